#pragma once

/// \file
/// How a tuning run ended: where each rank stopped, who was missing, and which rank to look at first.

#include "report/judging/rank_state.hpp"
#include "report/judging/tuning_run.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

/// Where one rank stopped, or several alike.
struct Stop {
  std::vector<std::int64_t> ranks;
  RankState state = RankState::open;
  std::string what;   ///< error with its type, what blocks, or that the log ends
  std::string where;  ///< "walk, iteration 17, gemm config-2"
};

enum class RunStatus {
  ok,
  failed,      ///< an error, a blocked rank, or one whose log ends while others' go on
  unfinished,  ///< no rank wrote an end: still running, or all ended from outside
};

struct Ending {
  RunStatus status = RunStatus::ok;
  std::vector<Stop> stops;             ///< alike ones together, by the lowest rank
  std::vector<std::int64_t> culprits;  ///< ranks to look at first; empty: none found
  std::string why;                     ///< why those, or why none

  /// "culprit: rank 2: its log ends ..."; empty when the run is ok or unfinished.
  std::string culprit_line() const;
};

/// `logs` are those that `run` comes from.
Ending ending_of(const TuningRun& run, const Logs& logs);

/// "ok", "failed", "unfinished".
const char* status_name(RunStatus status);

}  // namespace contextual::log_report
