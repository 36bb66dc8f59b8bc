#pragma once

/// \file
/// The makespans of a batch, from the times of its tuning iterations. Pure.

#include "contextual/launch/batch.hpp"

#include <contextual/iterations.hpp>
#include <contextual/timer.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace contextual::tuning {

/// Returns the makespan of each iteration of the plan, or nothing where it is not known. `timings` has the
/// iterations that ran, in their order.
///
/// If iterations may overlap (`Iterations::pipelined`), all of a batch have the same makespan: the time from
/// the first start to the last end of all of them, divided by their number. They have none if the plan gives
/// a problem different configs, or if the extent of an iteration is not known. If the timer reports no
/// extents at all, its makespans are used as they are.
std::vector<std::optional<std::int64_t>> makespans_of(const detail::BatchPlan& plan,
                                                      std::span<const IterationTiming> timings,
                                                      Iterations iterations);

}  // namespace contextual::tuning
