#pragma once

/// \file
/// Describes what a rank launched in a batch, for the comparison with other ranks.

#include "contextual/launch/run_context.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::agreement {

/// Returns a hash of the launches of kernels that every rank launches. It depends on the order of launches on
/// the thread of `run` and on each worker thread with LaunchOrder::same. It does not depend on the order of
/// threads, nor on the order of launches with LaunchOrder::any.
std::uint64_t launch_digest(detail::RunContext& context);

/// Returns the same as JSON, for the message if digests differ.
std::string launch_details(detail::RunContext& context, std::int64_t first_iteration);

/// Describes the first difference of a rank from the majority, and what to do about it: the rank, the tuning
/// iteration, the kernel, and the values if config spaces differ. `details` has the text of each rank.
std::string describe_difference(const std::vector<std::string>& details);

}  // namespace contextual::agreement
