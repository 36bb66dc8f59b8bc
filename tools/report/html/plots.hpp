#pragma once

/// \file
/// Plots as inline SVG: no script, no colour of their own (the page's style sheet has those), a title on
/// every mark. Bounded in size whatever the logs hold.

#include "report/judging/analysis.hpp"

#include <string>

namespace contextual::log_report {

/// Samples, median and spread of every config of a problem, one row each. Empty without samples.
std::string config_plot(const ProblemResult& problem);

/// The region's agreed time in every tuning iteration, by phase. Empty without times.
std::string region_plot(const RunView& view);

/// Which config every rank chose, a row for each problem and a column for each rank. Empty for one rank.
std::string choice_plot(const RunAnalysis& analysis);

}  // namespace contextual::log_report
