#pragma once

/// \file
/// Texts about a tuning run and its ranks, for both the text and the page.

#include "report/judging/analysis.hpp"
#include "report/judging/report.hpp"

#include <string>
#include <string_view>

namespace contextual::log_report {

/// Returns when the run started and with how many ranks, e.g. "started 2026-01-31T12:00:00Z, 2 of 4 ranks,
/// group MPI (4 ranks)".
std::string head_text(const RunOfAllRanks& run);

/// Returns e.g. "4", or "3/4" if one rank wrote nothing.
std::string rank_fraction(const RunOfAllRanks& run);

/// Returns the region, or the regions of ranks that never met.
std::string region_text(const RunOfAllRanks& run);

/// Returns a note on ranks that never wrote that they had met, or an empty text if they did or there is a
/// single rank.
std::string never_met_text(const RunOfAllRanks& run);

/// Returns "ok", "failed", "blocked" or "no end".
const char* state_name(RankState state);

/// Returns e.g. "ok, ranks disagree".
std::string status_text(const RunSummary& summary);

/// Returns what the tuning gained over all defaults, or why that is not known. Empty without a search.
std::string result_text(const RunAnalysis& analysis);

/// Returns the name of a problem in the iteration table: e.g. "[2] " for the second of several problems, and
/// an empty text for an only one.
std::string problem_label(const RunAnalysis& analysis, const ProblemName* problem);

/// Returns a message of a program, of which the end may be left out: it can be endless.
std::string message_text(std::string_view message);

/// Returns e.g. "62.5 %".
std::string share_text(double share);

}  // namespace contextual::log_report
