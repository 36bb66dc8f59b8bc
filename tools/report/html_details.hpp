#pragma once

/// \file
/// The details of one tuning run as markup.

#include "analysis.hpp"
#include "report_options.hpp"

#include <string>

namespace contextual::log_report {

std::string html_details(const RunAnalysis& analysis, const Logs& logs, std::size_t number,
                         const ReportOptions& options);

/// "ok" and the like, in a frame.
std::string status_badge(RunStatus status, bool ranks_disagree);

}  // namespace contextual::log_report
