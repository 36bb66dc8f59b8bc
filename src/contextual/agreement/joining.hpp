#pragma once

/// \file
/// New tuning problems: their order, their digest, and their union over ranks.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/known_spaces.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/run_context.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::agreement {

/// Returns the problems seen since the last exchange, in the order in which they join: first those that the
/// thread of `run` launched, in launch order, then those of worker threads, sorted by name and key.
std::vector<detail::ProblemSlot*> newly_seen(detail::RunContext& context);

/// Returns a hash of everything that must be equal on all ranks if the problems are to join without a gather.
std::uint64_t problems_digest(const std::vector<detail::ProblemSlot*>& problems);

/// Returns the problems as JSON, for the gather.
std::string problem_details(const std::vector<detail::ProblemSlot*>& problems);

/// Returns the union of the problems that all ranks saw, by rank and then in the rank's order. A problem that
/// only other ranks launch gets a slot too. A config that one rank leaves out is left out on all. A problem
/// counts as locked in only if all ranks that saw it have the same choice. Adds their config spaces to
/// `spaces`. Collective. Throws RankMismatchError if ranks describe a problem differently, and
/// CommunicationError.
std::vector<detail::ProblemSlot*> unite(detail::RunContext& context,
                                        const std::vector<detail::ProblemSlot*>& own, Exchange& exchange,
                                        KnownSpaces& spaces);

/// Throws InvalidArgument if a kernel that is coupled to newly launched kernels was not launched with their
/// key.
void check_coupled_members(detail::RunContext& context);

}  // namespace contextual::agreement
