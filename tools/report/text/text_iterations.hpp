#pragma once

/// \file
/// The iteration table as text.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

namespace contextual::log_report {

/// Writes the table. If it is wider than the text, writes it in blocks of columns. Writes nothing for a run
/// without launches.
void write_iterations(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
