#pragma once

/// \file
/// The differences between the ranks of a run, on the page.

#include "report/judging/analysis.hpp"

#include <string>

namespace contextual::log_report {

/// Returns the disagreements between ranks, and what each rank tunes for itself. Empty if nothing differs.
std::string rank_differences_markup(const RunAnalysis& analysis);

/// Returns which rank was the slowest, and how often. Empty for a single rank.
std::string slowness_markup(const RunAnalysis& analysis);

}  // namespace contextual::log_report
