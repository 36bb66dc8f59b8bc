#pragma once

/// \file
/// What differs between the ranks of a run, as text.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

namespace contextual::log_report {

/// What must be alike and is not, and what each rank tunes for itself. Writes nothing where nothing differs.
void write_rank_differences(TextWriter& out, const RunAnalysis& analysis);

/// Which rank was the slowest, and how often. Writes nothing for one rank.
void write_slowness(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
