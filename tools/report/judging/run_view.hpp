#pragma once

/// \file
/// The launches of all ranks of a tuning run, side by side.

#include "report/judging/runs.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace contextual::log_report {

/// One problem in one tuning iteration, on all ranks that have it: by rank, never empty.
struct Cell : std::span<const RankLaunch* const> {
  const ProblemName* problem() const { return front()->problem(); }
  /// Returns the agreed time of the first rank that has one.
  RankLaunch::Time agreed_ns() const;
  bool all_ok() const;  ///< on every rank
};

struct Iteration {
  std::int64_t number = 0;
  Phase phase = Phase::walk;
  std::span<const RankLaunch* const> launches;  ///< by problem, in the order of RunView::problems, and rank
  RankLaunch::Time makespan_ns{
      std::nullopt};  ///< the agreed one, or the longest if ranks have different ones

  std::vector<Cell> cells() const;
};

struct RunView {
  std::vector<const ProblemName*> problems;  ///< in the order in which they were first seen
  std::vector<const RankLaunch*> launches;   ///< those that the iterations show
  std::vector<Iteration> iterations;
};

/// `run` must outlive the result.
RunView view_of(const RunOfAllRanks& run);

}  // namespace contextual::log_report
