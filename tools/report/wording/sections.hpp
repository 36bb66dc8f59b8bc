#pragma once

/// \file
/// The sections of a report, for the text and the page alike.

#include "report/judging/analysis.hpp"
#include "report/judging/report.hpp"
#include "report/judging/report_options.hpp"
#include "report/wording/writer.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace contextual::log_report {

/// Writes everything.
void write_report(Writer& out, const Report& report, const ReportOptions& options);

/// Lists the files that were read, and what was damaged in them.
void write_files(Writer& out, const Report& report, const ReportOptions& options);

/// Lists the runs. If there are very many, lists the newest ones and earlier ones that ended badly. Runs of
/// `detailed` are linked; a selected one that is not among them is marked as left out.
void write_overview(Writer& out, const Report& report, const std::vector<const RunSummary*>& detailed,
                    const ReportOptions& options);

/// Writes all about one run. `logs` must be those that the run was read from.
void write_details(Writer& out, const RunAnalysis& analysis, const Logs& logs, std::size_t number,
                   const ReportOptions& options);

/// Puts `label` before the problem's name.
void write_problem(Writer& out, const ProblemResult& problem, const std::string& label);

/// Writes the searches of a run, or nothing if it had none.
void write_searches(Writer& out, const RunAnalysis& analysis);

/// Writes the table, or nothing for a run without launches.
void write_iterations(Writer& out, const RunAnalysis& analysis, const ReportOptions& options);

/// Writes the disagreements between ranks, or nothing if there are none.
void write_rank_differences(Writer& out, const RunAnalysis& analysis);

/// Writes which rank was the slowest, and how often. Writes nothing for a single rank.
void write_slowness(Writer& out, const RunAnalysis& analysis);

/// Says that something is left out which `--whole-table` shows; nothing if `count` is 0.
void note_left_out(Writer& out, std::size_t count, const std::string& singular,
                   const std::string& plural = {});

}  // namespace contextual::log_report
