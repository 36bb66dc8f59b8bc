#pragma once

/// \file
/// Whether the first runs of a config in the walk were so long that it is not repeated. Pure.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/problem_state.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace contextual::policy {

/// First runs are compared with first runs only, because whatever a first use costs is part of all of them,
/// and no sample has it. What stands out, also beside the run before it, is run once more: a busy machine
/// stalls single runs, and may have become busy since the shortest one. Not thread-safe.
class FirstRuns {
 public:
  /// Both outlive it.
  FirstRuns(std::vector<ProblemState>& problems, const ChoicePoints& choice_points)
      : problems_(problems), choice_points_(choice_points) {}

  /// Returns the problems whose config runs for the first time in the walk. Call it before they observe.
  std::vector<std::size_t> beginning(const Assignment& assignment, const IterationOutcome& outcome) const;

  /// Suspects the config of one of those that have begun, if the run took long and far longer than another
  /// first run. The makespan decides, or the own time where it is not known. Which config is to blame is told
  /// by the own times. Where they do not tell, all are repeated: each may be fast beside other neighbors.
  /// Rejects a config that was suspected and took as long again.
  void judge(const std::vector<std::size_t>& begun, const Assignment& assignment,
             const IterationOutcome& outcome);

  /// Returns true if the next run of the walk, a batch of its own, is that of a config that is suspected.
  bool suspects() const { return suspect_ && problems_[suspect_->problem].walking(); }

 private:
  struct Suspect {
    std::size_t problem = 0;
    Assignment assignment;
    std::int64_t run_ns = 0;    ///< the shorter one of its runs so far
    std::int64_t other_ns = 0;  ///< of other configs: of the shortest first run or of the last run
    bool by_makespan = false;
    bool is_slow() const;
  };
  void suspect(const std::vector<std::size_t>& begun, const Assignment& assignment,
               const IterationOutcome& outcome);
  /// Returns true if it was a suspect's second run.
  bool judge_suspect(const Assignment& assignment, const IterationOutcome& outcome);

  std::vector<ProblemState>& problems_;
  const ChoicePoints& choice_points_;
  /// The assignment and makespan of the shortest first run of the same problems.
  std::optional<std::pair<Assignment, std::int64_t>> shortest_;
  std::optional<Suspect> suspect_;
  IterationOutcome last_;  ///< without those of suspects
};

}  // namespace contextual::policy
