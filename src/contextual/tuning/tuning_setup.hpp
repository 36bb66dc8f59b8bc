#pragma once

/// \file
/// The begin of a tuning run: what each rank sets up for itself, then the meeting of all ranks.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <contextual/error.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace contextual::tuning {

/// Why a region is tuned now.
struct Occasion {
  Origin origin = Origin::run;
  std::string new_launch{};  ///< of a later call: `kernel "k", key (1)`, the first that is not locked in
};

/// Sets up a run's record and the run. What fails in that is kept until the ranks meet, so that all learn of
/// it.
class TuningSetup {
 public:
  TuningSetup(const std::string& region, std::uint32_t region_id, const options::ResolvedOptions& options,
              const Occasion& occasion, agreement::Exchange& exchange);

  /// Collective. Throws what could not be set up here, and what agreement::say_hello throws; the log then has
  /// an end. Where a later call's new launch is the occasion and no other rank comes, the error says so, and
  /// the log blames this rank.
  void meet();

  // After the ranks have met.
  record::Recorder& recorder() { return *recorder_; }
  std::unique_ptr<TuningRun> take_run() { return std::move(run_); }

 private:
  void say_hello();
  [[noreturn]] void throw_alone(const CommunicationError& error) const;

  std::string region_;
  Occasion occasion_;
  const options::ResolvedOptions& options_;
  agreement::Exchange& exchange_;
  std::optional<record::Recorder> recorder_;
  std::unique_ptr<TuningRun> run_;
  std::exception_ptr failure_;
};

}  // namespace contextual::tuning
