#pragma once

/// \file
/// Finds the rank to look at first when a tuning run ended badly.

#include "report/judging/run_of_all_ranks.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::log_report {

struct Verdict {
  std::vector<std::int64_t> ranks;  ///< sorted; empty if no rank stands out
  std::string why;
};

/// Judges a run in which some rank failed, is blocked, or wrote no end while others did. The first rule of
/// culprit_rules.hpp that applies decides. `logs` must be those that `run` was read from.
Verdict verdict_of(const RunOfAllRanks& run, const Logs& logs);

}  // namespace contextual::log_report
