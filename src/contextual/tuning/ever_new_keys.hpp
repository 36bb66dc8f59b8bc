#pragma once

/// \file
/// Kernels that get a new key with every call, so that tuning never ends.

#include "contextual/launch/problem_slot.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Notes the problems that a run of this region has tuned. Returns a warning for each kernel of which this
/// was the 32nd run with a new key, counted for the whole process: it names the parts of the key that change,
/// and shows how to make them coarser. Thread-safe.
std::vector<std::string> ever_new_keys(std::uint32_t region_id, const std::string& region,
                                       const std::deque<detail::ProblemSlot>& slots);

}  // namespace contextual::tuning
