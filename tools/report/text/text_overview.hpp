#pragma once

/// \file
/// The top of the text: the log files, one line for each tuning run, and the culprits.

#include "report/judging/report.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

namespace contextual::log_report {

/// What was read, and what of it was damaged.
void write_files(TextWriter& out, const Report& report, const ReportOptions& options);

/// Of very many runs the newest ones, and those that ended badly before them.
void write_overview(TextWriter& out, const Report& report, const ReportOptions& options);

}  // namespace contextual::log_report
