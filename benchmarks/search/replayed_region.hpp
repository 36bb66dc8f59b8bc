#pragma once

/// \file
/// A region that answers runs without a device, and of which it is known how good every assignment truly is.

#include <contextual/config.hpp>
#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace search_replay {

using contextual::Assignment;
using contextual::Config;

/// What a run of the region measures.
struct Sample {
  std::int64_t makespan_ns = 0;
  std::vector<std::int64_t> times_ns;  ///< own times, in problem order
};

/// One kernel of a region, which is one tuning problem.
struct ReplayedProblem {
  std::string kernel;
  std::vector<Config> configs;       ///< config 0 is the default
  std::size_t refinement_count = 0;  ///< so many at the end are refinements
};

/// Not thread-safe. Two instances with the same seed answer the same runs alike.
class ReplayedRegion {
 public:
  ReplayedRegion() = default;
  ReplayedRegion(const ReplayedRegion&) = delete;
  ReplayedRegion& operator=(const ReplayedRegion&) = delete;
  virtual ~ReplayedRegion() = default;

  virtual const std::vector<ReplayedProblem>& problems() const = 0;

  /// The number of runs after which the problem is launched for the first time. It does not decrease from one
  /// problem to the next.
  virtual std::int64_t joins_after_runs([[maybe_unused]] std::size_t problem) const { return 0; }

  /// Runs the region once. Returns nothing if the assignment is infeasible; that costs a run as well. The
  /// assignment may lack problems that have not joined.
  virtual std::optional<Sample> run(const Assignment& assignment) = 0;

  /// Returns true if launches overlap other work, so that makespans decide and not own times.
  virtual bool overlaps() const { return true; }

  /// Says that the ranks meet, so that the next runs start in disorder.
  virtual void exchange() = 0;

  virtual std::int64_t runs() const = 0;  ///< so far

  /// Returns the true makespan of an assignment of all problems, or nothing if it is infeasible.
  virtual std::optional<double> truth_ns(const Assignment& assignment) const = 0;

  virtual double best_ns() const = 0;  ///< the least of all true makespans

  /// Returns by how much the assignment's true makespan exceeds the best one, relative to it; infinity if it
  /// is infeasible.
  double regret(const Assignment& assignment) const {
    const std::optional<double> truth = truth_ns(assignment);
    return truth ? *truth / best_ns() - 1 : std::numeric_limits<double>::infinity();
  }

  std::size_t problem_count() const { return problems().size(); }
};

}  // namespace search_replay
