#pragma once

/// \file
/// How a tuning run ended: where each rank stopped, who was missing, and which rank to look at first.

#include "report/judging/rank_state.hpp"
#include "report/judging/run_of_all_ranks.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

/// Where a rank stopped, or several ranks in the same way.
struct Stop {
  std::vector<std::int64_t> ranks;
  RankState state = RankState::open;
  std::string what;   ///< the error with its type, what is blocked, or that the log ends
  std::string where;  ///< "walk, iteration 17, gemm config-2"
};

enum class RunStatus {
  ok,
  failed,      ///< some rank failed, is blocked, or wrote no end while others did
  unfinished,  ///< no rank wrote an end: all still run, or all were ended from outside
};

struct Ending {
  RunStatus status = RunStatus::ok;
  std::vector<Stop> stops;             ///< equal ones joined, in the order of the lowest rank
  std::vector<std::int64_t> culprits;  ///< ranks to look at first; empty if none was found
  std::string why;                     ///< why these ranks, or why none

  /// Returns e.g. "culprit: rank 2: its log ends ...", or an empty text if the run is ok or unfinished.
  std::string culprit_line() const;
};

/// Returns the ending of a run. `logs` must be those that `run` was read from.
Ending ending_of(const RunOfAllRanks& run, const Logs& logs);

/// "ok", "failed", "unfinished".
const char* status_name(RunStatus status);

}  // namespace contextual::log_report
