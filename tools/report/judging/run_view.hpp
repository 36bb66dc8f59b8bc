#pragma once

/// \file
/// The launches of all ranks of a tuning run, side by side.

#include "report/judging/run_of_all_ranks.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// What one rank launched for one problem in one tuning iteration.
struct RankLaunch {
  std::int64_t rank = 0;
  const Launch* launch = nullptr;
};

/// Returns true for a launch that only prepares the ones after it, so that its times say nothing.
inline bool is_warmup(const Launch& launch) {
  return launch.role == LaunchRole::warmup || launch.role == LaunchRole::lead_in;
}

/// One problem in one tuning iteration, on all ranks that have it. Never empty.
struct Cell {
  const ProblemName* problem = nullptr;
  std::vector<RankLaunch> ranks;  ///< by rank

  const Launch& first() const { return *ranks.front().launch; }
  /// Returns the agreed time of the first rank that has one.
  std::optional<std::int64_t> agreed_ns() const;
  bool all_ok() const;  ///< on every rank
};

struct Iteration {
  std::int64_t number = 0;
  Phase phase = Phase::walk;
  std::vector<Cell> cells;                  ///< in the order of RunView::problems
  std::optional<std::int64_t> makespan_ns;  ///< the agreed one, or the longest if ranks have different ones
};

struct RunView {
  const RunOfAllRanks* run = nullptr;
  std::vector<const ProblemName*> problems;  ///< in the order in which they were first seen
  std::vector<Iteration> iterations;
};

/// `run` must outlive the result.
RunView view_of(const RunOfAllRanks& run);

}  // namespace contextual::log_report
