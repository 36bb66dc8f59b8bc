#pragma once

/// \file
/// The begin of a tuning run: each rank sets up its part, then all ranks meet.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/hello.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/run_journal.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <contextual/error.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Why a region is tuned now.
struct Occasion {
  Origin origin = Origin::run;
  std::string new_launch{};  ///< in a later call, the first launch without a choice: `kernel "k", key (1)`
};

/// Sets up a run and its recorder. Keeps an error until the ranks meet, so that all of them learn of it.
class TuningSetup {
 public:
  TuningSetup(const std::string& region, std::uint32_t region_id, const options::ResolvedOptions& options,
              const Occasion& occasion, agreement::Exchange& exchange, Watchdog& watchdog);

  /// Collective. Throws the error of this rank's set-up, or what agreement::say_hello throws, after it has
  /// written the end of the run to the log. If a new launch in a later call is the occasion and no other rank
  /// comes, the error says so, and the log blames this rank.
  ///
  /// Returns what the ranks know then. Where rank 0 has kept choices, the ranks have to meet again before
  /// they tune.
  const agreement::Hello& meet();

  /// Sets of choices with which the search is to begin, too, as unusable_sets returns them. Call it before
  /// `meet`, equal on all ranks. A run that goes on with an earlier one keeps to those of that run.
  void start_also_from(std::vector<std::string> sets) { starts_ = std::move(sets); }

  // Valid after `meet` has returned. The run refers to the recorder, which this object keeps.
  record::Recorder& recorder() { return *recorder_; }
  std::unique_ptr<TuningRun> take_run() { return std::move(run_); }
  /// What the ranks know.
  const agreement::Hello& hello() const { return hello_; }

 private:
  void say_hello();
  agreement::Hello say_hello_once();
  void go_on();
  [[noreturn]] void throw_alone(const CommunicationError& error) const;

  std::string region_;
  std::uint32_t region_id_;
  Occasion occasion_;
  const options::ResolvedOptions& options_;
  agreement::Exchange& exchange_;
  std::optional<record::Recorder> recorder_;
  std::unique_ptr<RunJournal> journal_;  ///< on rank 0, if the run is written down
  std::unique_ptr<TuningRun> run_;
  std::exception_ptr failure_;
  agreement::Hello hello_;
  std::vector<std::string> starts_;
};

}  // namespace contextual::tuning
