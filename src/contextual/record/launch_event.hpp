#pragma once

/// \file
/// The event of a launch, from what a batch planned, saw and agreed on. Pure.

#include "contextual/launch/batch.hpp"
#include "contextual/record/events.hpp"
#include "contextual/record/problem_view.hpp"

#include <cstddef>

namespace contextual::record {

/// What the problem did in that iteration of the batch; for one first seen in this batch, its first config.
policy::Cell cell_of(const detail::BatchResult& result, const ProblemView& problem, std::size_t iteration,
                     int n_warmup);

/// `cell` is what the problem did. Without an average: that is of a config, not of a launch.
LaunchRow launch_event(const detail::BatchPlan& plan, const detail::BatchResult& result,
                       const detail::AgreedTimes& agreed, const detail::ProblemSlot& slot,
                       std::size_t iteration, const policy::Cell& cell);

}  // namespace contextual::record
