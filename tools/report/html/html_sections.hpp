#pragma once

/// \file
/// The sections of the page. All of them return markup.

#include "report/judging/analysis.hpp"
#include "report/judging/problem_result.hpp"
#include "report/judging/report.hpp"
#include "report/judging/report_options.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

/// Lists the files that were read, and what was damaged in them.
std::string files_markup(const Report& report);

/// Returns a table of the runs; if there are very many, older ones are left out. Runs in `detailed` are
/// linked, because the page has a section for them. A selected run that is not in `detailed` is marked as
/// left out.
std::string overview_markup(const Report& report, const std::vector<const RunSummary*>& detailed);

/// Returns the section of a run. `number` is its number in the overview, which links to the section.
std::string html_details(const RunAnalysis& analysis, const Logs& logs, std::size_t number,
                         const ReportOptions& options);

/// Puts `label` before the problem's name.
std::string problem_markup(const ProblemResult& problem, const std::string& label,
                           const ReportOptions& options);

/// Returns the searches of a run, each with its map, or nothing if it had none.
std::string search_markup(const RunAnalysis& analysis, const ReportOptions& options);

/// Returns the table, or nothing for a run without launches.
std::string iterations_markup(const RunAnalysis& analysis, const ReportOptions& options);

/// Returns the disagreements between ranks, and what each rank tunes for itself. Empty if nothing differs.
std::string rank_differences_markup(const RunAnalysis& analysis);

/// Returns which rank was the slowest, and how often. Empty for a single rank.
std::string slowness_markup(const RunAnalysis& analysis);

}  // namespace contextual::log_report
