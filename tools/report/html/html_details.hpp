#pragma once

/// \file
/// The details of one tuning run as markup.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"

#include <string>

namespace contextual::log_report {

/// Returns the section of a run. `number` is its number in the overview, which links to the section.
std::string html_details(const RunAnalysis& analysis, const Logs& logs, std::size_t number,
                         const ReportOptions& options);

}  // namespace contextual::log_report
