#pragma once

/// \file
/// The whole report as one page.

#include "report/judging/report.hpp"
#include "report/judging/report_options.hpp"

#include <string>

namespace contextual::log_report {

/// Returns a page that fetches nothing and has no script.
std::string html_report(const Report& report, const ReportOptions& options);

}  // namespace contextual::log_report
