#pragma once

/// \file
/// Words about a problem's configs and choices that text and page share.

#include "report/judging/problem_result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// "chosen, default", "rejected: ...", "no samples".
std::string config_status(const ConfigResult& config);

/// Which configs a long list shows: all of them up to `limit`, else the default, the chosen one, and the
/// fastest ones. Indices into ProblemResult::configs, ascending.
std::vector<std::size_t> configs_shown(const ProblemResult& problem, std::size_t limit);

/// "config-2 {BLOCK_N: 128}, 12.3 us", and "provisional" where it is.
std::string choice_line(const Choice& choice);

/// What a provisional choice is; empty for one that is locked in.
std::string provisional_note(const Choice& choice);

/// The choices before the last one, the newest of them first; of very many the newest few.
std::vector<const Choice*> earlier_choices(const ProblemResult& problem);

/// Which configs were not measured; empty where all were.
std::string not_measured_text(const ProblemResult& problem);

/// Of a problem that is local.
inline constexpr const char* local_note =
    "Each rank seems to tune this kernel for itself; these are the times of the lowest rank.";

/// How the median differs from the default's, "+12.5 %" or "12.5 x"; "" without both.
std::string relative_to_default(const ProblemResult& problem, const ConfigResult& config);

/// The tuner used another statistic than the median, such as a trimmed mean, and that shows.
bool centres_differ(const ProblemResult& problem);

/// The names of a problem's parameters, "BLOCK_N, STAGES", where all its configs have the same; else "".
std::string parameter_names(const ProblemResult& problem);

/// "{BLOCK_N: 128, STAGES: 3}" as "128, 3" where `names` were told already, else as it is.
std::string config_values(std::string_view config, const std::string& names);

}  // namespace contextual::log_report
