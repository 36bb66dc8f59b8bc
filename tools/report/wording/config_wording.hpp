#pragma once

/// \file
/// Texts about a problem's configs and choices, for both the text and the page.

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

/// Returns e.g. "config-2 {BLOCK_N: 128}, 12.3 us", with the config's rates, and with "provisional" if the
/// choice is. The time of the choice that is in force is its own one in the chosen set, if that has run as a
/// whole, else, as of earlier choices, that of the walk.
std::string choice_line(const ProblemResult& problem, const Choice& choice);

/// Returns the cells of a line on the choice that is in force: kernel, key, config, own time as in
/// `choice_line`, "default" or how that compares with the default's with all defaults, and notes. The problem
/// must have a choice.
std::vector<std::string> choice_cells(const ProblemResult& problem);

/// Returns a note on what a provisional choice is, or an empty text if the choice is locked in.
std::string provisional_note(const Choice& choice);

/// Returns the choices before the last one, the newest first; if there are very many, only the newest.
std::vector<const Choice*> earlier_choices(const ProblemResult& problem);

/// Returns which configs were not measured, or an empty text if all were.
std::string not_measured_text(const ProblemResult& problem);

/// Returns how the median differs from the default's, e.g. "+12.5 %" or "12.5 x", or "" if either is unknown.
std::string relative_to_default(const ProblemResult& problem, const ConfigResult& config);

/// Which rates some config of the problem has: those that its kernel's author counts the work for.
struct KnownRates {
  bool teraflops_per_second = false;
  bool gigabytes_per_second = false;
};
KnownRates rates_known(const ProblemResult& problem);

/// Returns the names of a problem's parameters, e.g. "BLOCK_N, STAGES", if all its configs have the same
/// names; else "".
std::string parameter_names(const ProblemResult& problem);

/// Returns "128, 3" for "{BLOCK_N: 128, STAGES: 3}" if `names`, which a reader has seen, are those of the
/// config; else returns `config`.
std::string config_values(std::string_view config, const std::string& names);

}  // namespace contextual::log_report
