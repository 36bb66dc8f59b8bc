#pragma once

/// \file
/// The details of one tuning run as text.

#include "analysis.hpp"
#include "report_options.hpp"
#include "text_writer.hpp"

namespace contextual::log_report {

void write_details(TextWriter& out, const RunAnalysis& analysis, const Logs& logs,
                   const ReportOptions& options);

/// "[2] " of the second of several problems, empty for an only one: what the iteration table calls it.
std::string problem_label(const RunAnalysis& analysis, const ProblemName* problem);

/// Parts of it.
void write_ending(TextWriter& out, const RunAnalysis& analysis, const Logs& logs);
void write_problem(TextWriter& out, const ProblemResult& problem, const std::string& label,
                   const ReportOptions& options);
void write_contests(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);
void write_slowness(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);
void write_table(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options);

}  // namespace contextual::log_report
