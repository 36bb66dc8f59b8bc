#pragma once

/// \file
/// Which rank to look at first when a tuning run ended badly.

#include "report/judging/tuning_run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::log_report {

struct Verdict {
  std::vector<std::int64_t> ranks;  ///< sorted; empty: no rank stands out
  std::string why;
};

/// Judges a run in which some rank failed, is blocked, or wrote no end while others did. The first rule that
/// applies decides (culprit_rules.hpp). `logs` are those that `run` comes from.
Verdict verdict_of(const TuningRun& run, const Logs& logs);

}  // namespace contextual::log_report
