#pragma once

/// \file
/// The contests of the search on the page.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"

#include <string>

namespace contextual::log_report {

/// Returns the contests, or nothing for a run without contests.
std::string search_markup(const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
