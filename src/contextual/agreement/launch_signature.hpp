#pragma once

/// \file
/// What a rank launched in a batch, to be compared with the other ranks.

#include "contextual/launch/run_context.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::agreement {

/// Over the launches of kernels that every rank launches: their order on the thread of `run` and on each
/// worker whose guard says LaunchOrder::same; the order of threads, and of launches under LaunchOrder::any,
/// does not count.
std::uint64_t launch_digest(detail::RunContext& context);

/// The same as text (JSON), for the message when digests differ.
std::string launch_details(detail::RunContext& context, std::int64_t first_iteration);

/// Names the first difference between the ranks, and what to do about it: rank, tuning iteration, kernel and,
/// where config spaces differ, the values; seen from what most ranks did. `details` by rank.
std::string describe_difference(const std::vector<std::string>& details);

}  // namespace contextual::agreement
