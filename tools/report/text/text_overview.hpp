#pragma once

/// \file
/// The top of the text: the log files, one line for each tuning run, and the culprits.

#include "report/judging/report.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

namespace contextual::log_report {

/// Lists the files that were read, and what was damaged in them.
void write_files(TextWriter& out, const Report& report, const ReportOptions& options);

/// Lists the runs. If there are very many, lists the newest ones and earlier ones that ended badly.
void write_overview(TextWriter& out, const Report& report, const ReportOptions& options);

}  // namespace contextual::log_report
