#pragma once

#include "contextual/options/resolved_options.hpp"
#include "contextual/sync/launcher.hpp"

#include <optional>
#include <string>

namespace contextual::options {

/// What is to be said of a tuner without a communicator in a program of several ranks: each of them tunes
/// alone. Nothing where a communicator was given, also `one_rank()`, or where no launcher says that there are
/// others.
std::optional<std::string> lone_rank_warning(const ResolvedOptions& options,
                                             const std::optional<sync::LaunchedRank>& launched);

}  // namespace contextual::options
