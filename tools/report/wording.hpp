#pragma once

/// \file
/// Words that text and page share.

#include "analysis.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

/// "chosen, default", "rejected: ...", "no samples".
std::string config_status(const ConfigResult& config);

/// "2 of 4 ranks", "1 rank".
std::string rank_count_text(const TuningRun& run);

/// The region, or the regions of ranks that never met.
std::string region_text(const TuningRun& run);

/// "ended well", "failed", "blocked", "no end".
const char* state_name(RankState state);

/// Which configs a long list shows: all of them up to `limit`, else the default, the chosen one, and the
/// fastest ones. Indices into ProblemResult::configs, ascending.
std::vector<std::size_t> configs_shown(const ProblemResult& problem, std::size_t limit);

/// "problem gemm (4096), pass 0", "sets", "verdict".
std::string contest_title(const Contest& contest);

/// "chosen after the walk" for all but the last of several choices.
std::string choice_line(const Choice& choice);

/// How the median differs from the default's, "+12.5 %" or "12.5 x"; "" without both.
std::string relative_to_default(const ProblemResult& problem, const ConfigResult& config);

/// The names of a problem's parameters, "BLOCK_N, STAGES", where all its configs have the same; else "".
std::string parameter_names(const ProblemResult& problem);

/// "{BLOCK_N: 128, STAGES: 3}" as "128, 3" where `names` were told already, else as it is.
std::string config_values(std::string_view config, const std::string& names);

/// What to know when ranks of a run never wrote that they met; empty where they did or one rank is alone.
std::string never_met_text(const TuningRun& run);

}  // namespace contextual::log_report
