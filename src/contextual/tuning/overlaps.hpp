#pragma once

/// \file
/// Says which problems' work overlaps other work in a tuning iteration. Pure.

#include <contextual/timer.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace contextual::tuning {

/// Collects the work of one tuning iteration by problem.
class IterationOverlaps {
 public:
  /// Adds a launch of the problem. If it has no spans and is not idle, what overlaps it is not known. An idle
  /// one counts as overlapping, because it leaves its work to others, and a coupled one, because it may wait
  /// for others: their own times say nothing. What runs in the gaps of a launch overlaps it, because it is in
  /// the launch's own time.
  void add_launch(std::size_t problem, const LaunchTiming& launch, bool coupled = false);
  /// Sets the work that belongs to no launch (IterationTiming::other_spans).
  void set_others(const std::optional<std::vector<Span>>& spans);

  /// Returns by problem, up to `problem_count`, whether its launches overlap those of another problem, or the
  /// work that belongs to no launch. Returns true for all if something is not known. Cost: sorts the spans,
  /// then one pass for every pair of problems that were launched.
  std::vector<bool> by_problem(std::size_t problem_count) const;

 private:
  std::vector<std::vector<Span>> spans_;  ///< by problem
  std::vector<std::size_t> with_others_;  ///< problems with an idle or a coupled launch
  std::vector<Span> others_;
  bool others_known_ = false;
  bool launches_known_ = true;
};

}  // namespace contextual::tuning
