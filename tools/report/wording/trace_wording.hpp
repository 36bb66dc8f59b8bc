#pragma once

/// \file
/// Texts about a trace, for the terminal and for the trace itself.

#include "report/judging/aligned_timelines.hpp"

#include <string>

namespace contextual::log_report {

/// Returns "chosen" or "defaults".
std::string side_name(const AlignedTimeline& timeline);

/// Returns e.g. "iteration 115 (search), 310.0 us".
std::string iteration_text(const AlignedTimeline& timeline);

/// Returns how the ranks are aligned and how exact that is, e.g. "2 ranks, aligned at the end of the
/// handshake to within 3.900 us; their ends are 2.100 us apart".
std::string alignment_text(const AlignedTimeline& timeline);

/// Returns what is missing, e.g. "no timeline of rank 3; 12 intervals left out", or an empty text.
std::string gaps_text(const AlignedTimeline& timeline);

}  // namespace contextual::log_report
