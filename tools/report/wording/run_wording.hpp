#pragma once

/// \file
/// Words about a tuning run and its ranks that text and page share.

#include "report/judging/analysis.hpp"
#include "report/judging/report.hpp"

#include <string>

namespace contextual::log_report {

/// When the run started, with how many ranks: "started 2026-01-31T12:00:00Z, 2 of 4 ranks, group MPI (4
/// ranks)".
std::string head_text(const TuningRun& run);

/// "4", or "3/4" where one wrote nothing.
std::string rank_fraction(const TuningRun& run);

/// The region, or the regions of ranks that never met.
std::string region_text(const TuningRun& run);

/// What to know when ranks of a run never wrote that they met; empty where they did or one rank is alone.
std::string never_met_text(const TuningRun& run);

/// "ok", "failed", "blocked", "no end".
const char* state_name(RankState state);

/// "ok, ranks disagree".
std::string status_text(const RunSummary& summary);

/// What the tuning gained over all defaults; empty where that was not measured.
std::string result_text(const RunAnalysis& analysis);

/// "[2] " of the second of several problems, empty for an only one: what the iteration table calls it.
std::string problem_label(const RunAnalysis& analysis, const ProblemName* problem);

/// "62.5 %".
std::string share_text(double share);

}  // namespace contextual::log_report
