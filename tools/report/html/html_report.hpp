#pragma once

/// \file
/// The whole report as one page, and its plots: inline SVG, without scripts and with a title on every mark.
/// The size of a plot is bounded, whatever the logs contain.

#include "report/judging/report.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

/// Returns a page that fetches nothing and has no script.
std::string html_report(const Report& report, const ReportOptions& options);

/// Plots samples, median and spread of every config of a problem, one row per config. Empty without samples.
std::string config_plot(const ProblemResult& problem);

/// Plots the region's agreed time in every tuning iteration, by phase. Empty without times.
std::string region_plot(const RunView& view);

/// Plots the region's time with the measured assignments of a search, one row each, and names those that are
/// infeasible. `problems` are those of its run. Empty if fewer than two assignments were measured.
std::string search_plot(const SearchView& search, const std::vector<ProblemResult>& problems);

}  // namespace contextual::log_report
