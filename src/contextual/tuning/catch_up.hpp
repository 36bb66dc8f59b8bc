#pragma once

/// \file
/// What a tuning run can decide without running its region.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/continuation.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace contextual::tuning {

/// How far a tuning run has come.
struct RunProgress {
  std::int64_t iterations = 0;     ///< tuning iterations so far
  bool discovered = false;         ///< a first batch has been run
  bool own_open_anywhere = false;  ///< some rank has problems of its own to tune
  bool own_open_now = false;  ///< the same, as the ranks have said in this run: an earlier one may say else
};

/// Follows the earlier run, and leaves out what is in quarantine. All ranks do the same, from the same state
/// and what rank 0 has told, so it needs no message. Not thread-safe.
class CatchUp {
 public:
  using MarkRejected = std::function<void(const std::vector<policy::RejectionOutcome>&)>;

  /// `continuation`, `shared` and `recorder` outlive it. `mark_rejected` tells launches what is rejected.
  CatchUp(Continuation& continuation, agreement::ProblemSet& shared, record::Recorder& recorder,
          MarkRejected mark_rejected);

  /// Goes on to what has to be run. May throw what a user's search or `feasible` throws.
  void advance(RunProgress& progress);

  /// If the earlier run has come to its end, goes by what the ranks have said in this one, and says what has
  /// been taken over.
  void end_following(RunProgress& progress);

 private:
  void follow_earlier_run(RunProgress& progress);
  void skip_quarantined(RunProgress& progress);
  void replace_quarantined_choices(const RunProgress& progress);

  Continuation& continuation_;
  agreement::ProblemSet& shared_;
  record::Recorder& recorder_;
  MarkRejected mark_rejected_;
};

}  // namespace contextual::tuning
