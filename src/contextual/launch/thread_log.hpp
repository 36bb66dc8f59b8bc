#pragma once

/// \file
/// What one thread of a region launches in a batch.

#include "contextual/launch/problem_slot.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/timer.hpp>

#include <atomic>
#include <cstdint>
#include <vector>

namespace contextual::detail {

class RunContext;

struct LaunchRecord {
  ProblemSlot* slot = nullptr;
  std::uint32_t config_id = 0;
  std::uint32_t batch_iteration = 0;
  bool fallback = false;  ///< true if it did not use the planned config
  bool late = false;      ///< true if this rank had not prepared the planned config, so it used the default
  LaunchNote note;
};

inline constexpr std::uint64_t launch_under_way = 1;

struct ThreadLog {
  ThreadLog(RunContext& owner, LaunchOrder launch_order) : run(&owner), order(launch_order) {}
  RunContext* run;
  LaunchOrder order;
  std::vector<LaunchRecord> records;  ///< of the current batch, in launch order

  /// The launch under way, else the last one, for the watchdog; 0 if there is none. A single word, so that a
  /// reader gets matching parts: the slot's index plus 1 in the upper half, below it the config id, and in
  /// the lowest bit whether the launch is under way.
  std::atomic<std::uint64_t> current{0};
};

}  // namespace contextual::detail
