#pragma once

/// \file
/// A recorded region: what was measured of every assignment in several passes, and what follows from it.

#include "search/replayed_region.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

namespace search_replay {

/// One visit to an assignment in one pass.
struct RecordedVisit {
  std::size_t pass = 0;
  Assignment assignment;
  std::vector<Sample> samples;  ///< empty if the assignment proved infeasible
};

/// Immutable, so that threads may share it. An assignment that proved infeasible in any pass is infeasible.
class Recording {
 public:
  /// Reads a file and the `configs.csv` beside it (benchmarks/regions/README.md). Throws InvalidArgument with
  /// the file and line for what it cannot read.
  static Recording read(const std::filesystem::path& file);

  /// Throws InvalidArgument if a visit does not fit the problems, no pass after the first has a sample, or an
  /// assignment has no visit.
  Recording(std::vector<ReplayedProblem> problems, const std::vector<RecordedVisit>& visits);

  const std::vector<ReplayedProblem>& problems() const { return problems_; }
  std::size_t pass_count() const { return pass_count_; }
  std::size_t infeasible_count() const { return infeasible_count_; }

  bool feasible(const Assignment& assignment) const { return !passes_of(assignment).empty(); }
  /// Returns what was measured in a pass, or in the last one with the assignment if the pass lacks it. The
  /// assignment must be feasible.
  const std::vector<Sample>& samples(const Assignment& assignment, std::size_t pass) const;

  /// Returns the median over the passes after the first of the makespan relative to the pass's level, times
  /// the last pass's level; nothing if the assignment is infeasible. A pass's level is the median over all
  /// assignments.
  std::optional<double> truth_ns(const Assignment& assignment) const;
  const Assignment& best() const { return best_; }
  double best_ns() const;

  /// How far one pass alone can err: the largest regret of the assignments that were best in one pass after
  /// the first.
  double resolution() const { return resolution_; }

 private:
  struct Pass {
    std::vector<Sample> samples;
    double median_ns = 0;  ///< of the makespans
  };
  using Passes = std::vector<std::optional<Pass>>;  ///< by pass; empty if the assignment is infeasible

  std::size_t index_of(const Assignment& assignment) const;
  const Passes& passes_of(const Assignment& assignment) const { return passes_[index_of(assignment)]; }
  void take(const std::vector<RecordedVisit>& visits);
  void find_truth();
  void find_best(const std::vector<Assignment>& order);

  std::vector<ReplayedProblem> problems_;
  std::vector<Passes> passes_;  ///< by assignment
  std::vector<double> truth_ns_;
  std::size_t pass_count_ = 0;
  std::size_t infeasible_count_ = 0;
  Assignment best_;
  double resolution_ = 0;
};

}  // namespace search_replay
