#pragma once

/// \file
/// Which `run`s of which ranks belong together.

#include "report/judging/tuning_run.hpp"

#include <vector>

namespace contextual::log_report {

/// Joins the runs of `logs`, the oldest first. By tuning_id; what ended before it had one, by region, number
/// of ranks and a start within two minutes, and where that leaves ranks over, with those of another region.
std::vector<TuningRun> join_runs(const Logs& logs);

}  // namespace contextual::log_report
