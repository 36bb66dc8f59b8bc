#pragma once

#include "contextual/options/resolved_options.hpp"

#include <contextual/detail/sync/launcher.hpp>

#include <optional>
#include <string>

namespace contextual::options {

/// Returns a warning that each rank tunes alone, for a tuner without a communicator in a program that a
/// launcher started as several ranks. Returns nothing if the options have a communicator, even `one_rank()`,
/// or if no launcher says that there are other ranks.
std::optional<std::string> lone_rank_warning(const ResolvedOptions& options,
                                             const std::optional<detail::LaunchedRank>& launched);

}  // namespace contextual::options
