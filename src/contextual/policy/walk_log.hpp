#pragma once

/// \file
/// What the walk measured of whole assignments, for the search that follows it. Pure.

#include "contextual/policy/batch_outcome.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <vector>

namespace contextual::policy {

/// Not thread-safe.
class WalkLog {
 public:
  /// Takes in a tuning iteration after the warm-ups of all problems.
  void add(const Assignment& assignment, const IterationOutcome& outcome);
  /// Takes note of any tuning iteration.
  void note(const IterationOutcome& outcome);
  /// Returns true if the region has succeeded, but no tuning iteration has had a makespan: the timer knows
  /// none.
  bool lacks_makespans() const noexcept { return has_succeeded_ && !has_makespans_; }
  /// Returns true if an assignment of all problems has a sample with a makespan.
  bool has_measured(const Assignment& assignment) const;
  /// Returns the samples so far, of all problems.
  const std::vector<SearchSample>& samples() const noexcept { return samples_; }
  /// Forgets the samples of an assignment that has failed.
  void drop(const Assignment& assignment);
  /// A problem has joined: earlier makespans are those of another region.
  void clear() { samples_.clear(); }

  /// Returns the samples of those assignments that differ from `base` at most in the problems `members`, as
  /// assignments of these problems.
  std::vector<SearchSample> samples_of(const std::vector<std::size_t>& members, const Assignment& base) const;

 private:
  SearchSample& sample_of(const Assignment& assignment);

  std::vector<SearchSample> samples_;  ///< of all problems
  bool has_succeeded_ = false;
  bool has_makespans_ = false;
};

/// Returns the values of `assignment` for the problems `members`.
Assignment project(const Assignment& assignment, const std::vector<std::size_t>& members);

}  // namespace contextual::policy
