#pragma once

/// \file
/// The differences between the ranks of a run, as text.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

namespace contextual::log_report {

/// Writes the disagreements between ranks, and what each rank tunes for itself. Writes nothing if nothing
/// differs.
void write_rank_differences(TextWriter& out, const RunAnalysis& analysis);

/// Writes which rank was the slowest, and how often. Writes nothing for a single rank.
void write_slowness(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
