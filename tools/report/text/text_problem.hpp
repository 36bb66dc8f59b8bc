#pragma once

/// \file
/// One tuning problem as text: its choice, the reason, and its configs in the walk.

#include "report/judging/problem_result.hpp"
#include "report/judging/report_options.hpp"
#include "report/text/text_writer.hpp"

#include <string>

namespace contextual::log_report {

/// Puts `label` before the problem's name.
void write_problem(TextWriter& out, const ProblemResult& problem, const std::string& label,
                   const ReportOptions& options);

}  // namespace contextual::log_report
