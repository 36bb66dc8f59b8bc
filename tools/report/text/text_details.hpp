#pragma once

/// \file
/// The details of one tuning run as text.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

namespace contextual::log_report {

/// `logs` must be those that the run was read from.
void write_details(TextWriter& out, const RunAnalysis& analysis, const Logs& logs,
                   const ReportOptions& options);

}  // namespace contextual::log_report
