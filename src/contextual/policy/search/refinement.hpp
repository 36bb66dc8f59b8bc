#pragma once

/// \file
/// Which values of refined parameters a search tries next, near an assignment.

#include "contextual/policy/search/search_space.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <vector>

namespace contextual::policy::search {

/// The places of all configs on the axes of their numeric parameters. Not thread-safe.
class Refinement {
 public:
  explicit Refinement(const std::vector<SearchProblem>& problems);

  /// Returns true if there is a refinement of any problem.
  bool possible() const noexcept { return possible_; }

  /// Returns assignments that differ from `centre` in one value, that of a closed refinement: on each side
  /// the one nearest to halfway to the next value that was ever a candidate, or beyond the last of these to
  /// the last value of all. Those of one problem come first, then those that combine two problems' values,
  /// because two kernels that share multiprocessors gain only if one gives what the other takes. Empty if
  /// nothing is left between `centre` and its neighbours.
  std::vector<Assignment> beside(const Assignment& centre, const SearchSpace& space) const;

 private:
  /// A config on the axis of one parameter, where all others are equal.
  struct Place {
    double value = 0;
    std::size_t config = 0;
  };
  std::vector<std::size_t> configs_beside(std::size_t problem, std::size_t centre,
                                          const SearchSpace& space) const;

  /// By problem: the lines through the space that have refinements, in order of values.
  std::vector<std::vector<std::vector<Place>>> lines_;
  bool possible_ = false;
};

}  // namespace contextual::policy::search
