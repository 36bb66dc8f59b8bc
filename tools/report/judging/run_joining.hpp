#pragma once

/// \file
/// Finds the `run`s of all ranks that belong together.

#include "report/judging/run_of_all_ranks.hpp"

#include <vector>

namespace contextual::log_report {

/// Joins the runs of `logs`, the oldest first. Runs with a tuning_id are joined by it. Runs that ended before
/// they had one are joined by region, number of ranks and a start within two minutes. Ranks that are left
/// over are joined with those of another region.
std::vector<RunOfAllRanks> join_runs(const Logs& logs);

}  // namespace contextual::log_report
