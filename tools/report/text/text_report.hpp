#pragma once

/// \file
/// The whole report as text for a terminal.

#include "report/judging/report.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace contextual::log_report {

/// Returns how wide the text is unless `--width` says so: as the terminal, if there is one, else 100 columns.
std::size_t text_width(std::optional<std::size_t> terminal);

/// Returns lines of at most `ReportOptions::width` columns.
std::string text_report(const Report& report, const ReportOptions& options);

}  // namespace contextual::log_report
