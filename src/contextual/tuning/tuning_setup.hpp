#pragma once

/// \file
/// The begin of a tuning run: what each rank sets up for itself, then the meeting of all ranks.

#include "contextual/agreement/exchange.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace contextual::tuning {

/// Sets up a run's record and the run. What fails in that is kept until the ranks meet, so that all learn of
/// it.
class TuningSetup {
 public:
  TuningSetup(const std::string& region, std::uint32_t region_id, const options::ResolvedOptions& options,
              const Origin& origin, agreement::Exchange& exchange);

  /// Collective. Throws what could not be set up here, and what agreement::say_hello throws; the log then has
  /// an end.
  void meet();

  // After the ranks have met.
  record::Recorder& recorder() { return *recorder_; }
  std::unique_ptr<TuningRun> take_run() { return std::move(run_); }

 private:
  std::string region_;
  const options::ResolvedOptions& options_;
  agreement::Exchange& exchange_;
  std::optional<record::Recorder> recorder_;
  std::unique_ptr<TuningRun> run_;
  std::exception_ptr failure_;
};

}  // namespace contextual::tuning
