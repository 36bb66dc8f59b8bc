#pragma once

/// \file
/// The searches as text.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

namespace contextual::log_report {

/// Writes the searches of a run, or nothing if it had none.
void write_search(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
