#pragma once

/// \file
/// Makes the event of a launch from the plan, the result and the agreed times of a batch. Pure.

#include "contextual/launch/batch.hpp"
#include "contextual/record/events.hpp"
#include "contextual/record/problem_view.hpp"

#include <cstddef>

namespace contextual::record {

/// Returns what the problem did in an iteration of the batch. A problem first seen in this batch used its
/// first config.
policy::Cell cell_of(const detail::BatchResult& result, const ProblemView& problem, std::size_t iteration,
                     int n_warmup);

/// Makes the event of a launch. `cell` is what the problem did. Sets no average, which belongs to a config,
/// not to a launch.
LaunchRow launch_event(const detail::BatchPlan& plan, const detail::BatchResult& result,
                       const detail::AgreedTimes& agreed, const detail::ProblemSlot& slot,
                       std::size_t iteration, const policy::Cell& cell);

}  // namespace contextual::record
