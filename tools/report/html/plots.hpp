#pragma once

/// \file
/// Plots as inline SVG, without scripts and with a title on every mark. Colors are in the page's style sheet.
/// The size of a plot is bounded, whatever the logs contain.

#include "report/judging/report.hpp"

#include <string>

namespace contextual::log_report {

/// Plots samples, median and spread of every config of a problem, one row per config. Empty without samples.
std::string config_plot(const ProblemResult& problem);

/// Plots the region's agreed time in every tuning iteration, by phase. Empty without times.
std::string region_plot(const RunView& view);

/// Plots the region's time with the measured assignments of a search, one row each, and names those that are
/// infeasible. `problems` are those of its run. Empty if fewer than two assignments were measured.
std::string search_plot(const SearchView& search, const std::vector<ProblemResult>& problems);

}  // namespace contextual::log_report
