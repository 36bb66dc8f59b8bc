#pragma once

/// \file
/// Plots as inline SVG, without scripts and with a title on every mark. Colours are in the page's style
/// sheet. The size of a plot is bounded, whatever the logs contain.

#include "report/judging/analysis.hpp"

#include <string>

namespace contextual::log_report {

/// Plots samples, median and spread of every config of a problem, one row per config. Empty without samples.
std::string config_plot(const ProblemResult& problem);

/// Plots the region's agreed time in every tuning iteration, by phase. Empty without times.
std::string region_plot(const RunView& view);

/// Plots the measured assignments of a search as a grid of the configs of the two problems with the most
/// configs, coloured by the region's time. Empty if no two assignments differ in a problem that was chosen by
/// makespan.
std::string search_map(const SearchView& search);

}  // namespace contextual::log_report
