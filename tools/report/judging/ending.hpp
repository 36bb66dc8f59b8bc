#pragma once

/// \file
/// How a tuning run ended: where each rank stopped, who was missing, and which rank to look at first.

#include "report/judging/runs.hpp"
#include "report/reading/logs.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

enum class RankState : std::uint8_t {
  ok,       ///< the run ended well
  failed,   ///< it ended with an error
  blocked,  ///< the watchdog found it blocked, and nothing came after that
  open,     ///< its log just ends: killed, exited, stopped, or still running
};

RankState state_of(const RankRun& run);

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
constexpr std::string_view name_of(RunStatus status) {
  return status == RunStatus::ok ? "ok" : status == RunStatus::failed ? "failed" : "unfinished";
}

/// "ok", "failed", "blocked", "no end".
constexpr std::string_view name_of(RankState state) {
  return state == RankState::ok        ? "ok"
         : state == RankState::failed  ? "failed"
         : state == RankState::blocked ? "blocked"
                                       : "no end";
}

}  // namespace contextual::log_report
