#pragma once

/// \file
/// The whole report as text for a terminal.

#include "report/judging/report.hpp"

#include <string>

namespace contextual::log_report {

/// Returns lines of at most `ReportOptions::width` columns.
std::string text_report(const Report& report, const ReportOptions& options);

}  // namespace contextual::log_report
