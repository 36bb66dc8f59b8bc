#pragma once

/// \file
/// What a rank sets up for a tuning run before the ranks meet.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/hello.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/region_call.hpp"
#include "contextual/tuning/run_journal.hpp"
#include "contextual/tuning/tuning_run.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Sets up a run and its recorder. Keeps an error until the ranks meet, so that all of them learn of it.
class TuningSetup {
 public:
  /// All outlive the object, but for `watch`: how the making of the timer is watched.
  TuningSetup(const RegionCall& call, agreement::Exchange& exchange, const Watchdog::Watch& watch);

  /// Returns what to say when the ranks meet, which fails if the set-up has failed.
  agreement::Arrival arrival() const;

  /// Call it when the ranks have met to tune. `sets` of choices are those with which the search is to begin,
  /// too, equal on all ranks; a run that goes on with an earlier one keeps to those of that run.
  void begin(const agreement::Hello& hello, const std::vector<std::string>& sets);

  /// The run has ended before it began: call it in a catch block, with what the ranks said last. Throws that
  /// this rank alone came to tune what is new in a later call, if so, and else what was thrown.
  [[noreturn]] void rethrow(const agreement::Hello& hello);

  /// Valid when the ranks have met. The run refers to the recorder, which this object keeps.
  record::Recorder& recorder() { return *recorder_; }
  std::unique_ptr<TuningRun> take_run() { return std::move(run_); }

 private:
  bool came_alone(const std::vector<int>& missing) const;

  const RegionCall& call_;
  agreement::Exchange& exchange_;
  std::optional<record::Recorder> recorder_;
  RunJournal journal_;  ///< on rank 0, if the run is written down
  std::unique_ptr<TuningRun> run_;
  std::exception_ptr failure_;
};

}  // namespace contextual::tuning
