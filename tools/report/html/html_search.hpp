#pragma once

/// \file
/// The searches on the page.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"

#include <string>

namespace contextual::log_report {

/// Returns the searches of a run, each with its map, or nothing if it had none.
std::string search_markup(const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
