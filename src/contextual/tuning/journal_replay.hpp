#pragma once

/// \file
/// What a tuning run can decide without running its region.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/continuation.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// How far a tuning run has come.
struct RunProgress {
  std::int64_t iterations = 0;  ///< tuning iterations so far
  bool discovered = false;      ///< a first batch has been run
};

/// Follows the earlier run, and leaves out what is in quarantine. All ranks do the same, from the same state
/// and what rank 0 has told. Not thread-safe.
class JournalReplay {
 public:
  using MarkRejected = std::function<void(const std::vector<policy::RejectionOutcome>&)>;

  /// `continuation`, `problems` and `recorder` outlive it. `mark_rejected` tells launches what is rejected.
  JournalReplay(Continuation& continuation, agreement::ProblemSet& problems, record::Recorder& recorder,
                MarkRejected mark_rejected);

  /// Takes in the batches of the earlier run, up to one that has to be run once more because problems have
  /// joined in it, and goes on to what has to be run. May throw what a user's search or `feasible` throws.
  void advance(RunProgress& progress);

  /// If the earlier run has come to its end, says what has been taken over.
  void end_following();

 private:
  void follow(RunProgress& progress);
  void skip_quarantined(RunProgress& progress);
  void replace_quarantined_choices(const RunProgress& progress);
  void note_quarantined(const std::vector<policy::IterationPlan>& planned,
                        const policy::BatchOutcome& outcome);
  void warn_of_quarantine(const Assignment& assignment, const std::string& reason);

  Continuation& continuation_;
  agreement::ProblemSet& problems_;
  record::Recorder& recorder_;
  MarkRejected mark_rejected_;
  std::vector<std::pair<Assignment, std::string>> followed_quarantine_;  ///< with reasons, to be told
  std::set<std::string> told_quarantine_;                                ///< the texts of the assignments
};

}  // namespace contextual::tuning
