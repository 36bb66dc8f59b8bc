#pragma once

/// \file
/// Timelines of a tuning run as a trace that Perfetto shows.

#include "report/judging/aligned_timelines.hpp"
#include "report/judging/run_of_all_ranks.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

/// Returns a file of the Trace Event Format: one process for each rank and side, in the order of `timelines`,
/// and in it a row for the iteration, one or more for each kernel and key, and for other device work. Every
/// side begins near 0. `otherData` has the run, and how each side is aligned. `timelines` are those of `run`.
std::string trace_text(const RunOfAllRanks& run, const std::vector<AlignedTimeline>& timelines);

}  // namespace contextual::log_report
