#pragma once

/// \file
/// The iteration table on the page.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"

#include <string>

namespace contextual::log_report {

/// Returns the table, or nothing for a run without launches.
std::string iterations_markup(const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
