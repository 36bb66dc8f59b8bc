#pragma once

/// \file
/// The contests of the search as text.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

namespace contextual::log_report {

/// Writes the contests, or nothing for a run without contests.
void write_search(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
