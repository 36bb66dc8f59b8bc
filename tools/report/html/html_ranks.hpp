#pragma once

/// \file
/// What differs between the ranks of a run, on the page.

#include "report/judging/analysis.hpp"

#include <string>

namespace contextual::log_report {

/// What must be alike and is not, and what each rank tunes for itself. Empty where nothing differs.
std::string rank_differences_markup(const RunAnalysis& analysis);

/// Which rank was the slowest, and how often. Empty for one rank.
std::string slowness_markup(const RunAnalysis& analysis);

}  // namespace contextual::log_report
