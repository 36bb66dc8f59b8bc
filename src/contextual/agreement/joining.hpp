#pragma once

/// \file
/// New tuning problems: their order, their digest, and the union over ranks.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/launch/run_context.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::agreement {

/// Problems seen since the last exchange, in the order in which they join: first those that the thread of
/// `run` launched, as it launched them, then those of workers by name and key.
std::vector<detail::ProblemSlot*> newly_seen(detail::RunContext& context, Deciders deciders);

/// Over all that must be equal on all ranks for them to join without a gather.
std::uint64_t problems_digest(const std::vector<detail::ProblemSlot*>& problems);

/// For the gather (JSON).
std::string problem_details(const std::vector<detail::ProblemSlot*>& problems);

/// The union of what all ranks saw, by rank and then in their order; problems that are launched on other
/// ranks only get a slot. A config that one rank leaves out is left out; a problem counts as locked in only
/// if all ranks that saw it say the same config. Collective. Throws RankMismatchError when ranks describe one
/// problem differently, and CommunicationError.
std::vector<detail::ProblemSlot*> unite(detail::RunContext& context,
                                        const std::vector<detail::ProblemSlot*>& own, Exchange& exchange);

}  // namespace contextual::agreement
