#pragma once

/// \file
/// The sections of the text report.

#include "report/judging/analysis.hpp"
#include "report/judging/problem_result.hpp"
#include "report/judging/report.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

#include <string>

namespace contextual::log_report {

/// Lists the files that were read, and what was damaged in them.
void write_files(TextWriter& out, const Report& report, const ReportOptions& options);

/// Lists the runs. If there are very many, lists the newest ones and earlier ones that ended badly.
void write_overview(TextWriter& out, const Report& report, const ReportOptions& options);

/// `logs` must be those that the run was read from.
void write_details(TextWriter& out, const RunAnalysis& analysis, const Logs& logs,
                   const ReportOptions& options);

/// Puts `label` before the problem's name.
void write_problem(TextWriter& out, const ProblemResult& problem, const std::string& label,
                   const ReportOptions& options);

/// Writes the searches of a run, or nothing if it had none.
void write_search(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);

/// Writes the table. If it is wider than the text, writes it in blocks of columns. Writes nothing for a run
/// without launches.
void write_iterations(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);

/// Writes the disagreements between ranks, and what each rank tunes for itself. Writes nothing if nothing
/// differs.
void write_rank_differences(TextWriter& out, const RunAnalysis& analysis);

/// Writes which rank was the slowest, and how often. Writes nothing for a single rank.
void write_slowness(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
