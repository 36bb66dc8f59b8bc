#pragma once

/// \file
/// Whether the first run of a config in the walk was so long that it is not repeated. Pure.

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
/// and no sample has it. Not thread-safe.
class FirstRuns {
 public:
  /// Both outlive it.
  FirstRuns(std::vector<ProblemState>& problems, const ChoicePoints& choice_points)
      : problems_(problems), choice_points_(choice_points) {}

  /// Returns the problems whose config runs for the first time in the walk. Call it before they observe.
  std::vector<std::size_t> beginning(const Assignment& assignment, const IterationOutcome& outcome) const;

  /// Rejects the config of one of those that have begun, if the run took long and far longer than another
  /// one. The makespan decides, or the own time where it is not known. Which config is to blame is told by
  /// the own times. Where they do not tell, all are repeated: each may be fast beside other neighbours.
  void judge(const std::vector<std::size_t>& begun, const Assignment& assignment,
             const IterationOutcome& outcome);

 private:
  std::vector<ProblemState>& problems_;
  const ChoicePoints& choice_points_;
  /// The assignment and makespan of the shortest first run of the same problems.
  std::optional<std::pair<Assignment, std::int64_t>> shortest_;
};

}  // namespace contextual::policy
