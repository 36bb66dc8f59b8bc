#pragma once

/// \file
/// Texts about a problem's configs and choices, for the text, the page and its plots.

#include "report/judging/problem_result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// Returns e.g. "chosen, default", "rejected: ..." or "no samples".
std::string config_status(const ConfigResult& config);

/// Returns the configs that a list shows, as ascending indices of ProblemResult::configs. If there are more
/// than `limit`, these are the default, the chosen one and the fastest ones.
std::vector<std::size_t> configs_shown(const ProblemResult& problem, std::size_t limit);

/// Returns the config as text, "config-2" if the log never names it.
std::string config_label(const ConfigResult& config);

/// Returns the cells of a line on the choice that is in force: kernel, key, config, own time, "default" or
/// how that compares with the default's with all defaults, and notes. The time is the one in the chosen set,
/// if that has run as a whole, else that of the walk. The problem must have a choice.
std::vector<std::string> choice_cells(const ProblemResult& problem);

}  // namespace contextual::log_report
