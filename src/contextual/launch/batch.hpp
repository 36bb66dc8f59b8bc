#pragma once

/// \file
/// A batch, which is the tuning iterations that run back to back before the next settle: its plan, its result
/// on this rank, and the times that the ranks agreed on.

#include "contextual/policy/tuning_state.hpp"

#include <contextual/phase.hpp>
#include <contextual/timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace contextual::detail {

/// The purpose of a batch.
enum class BatchKind {
  discovery,  ///< the first run of the region, when nothing is known yet
  tuning,     ///< the next steps of the states
  final_run,  ///< everything is locked in
};

/// The plan of a batch. It does not change during the batch.
struct BatchPlan {
  BatchKind kind = BatchKind::discovery;
  std::int64_t first_iteration = 0;
  std::vector<Phase> phases;                      ///< by iteration
  std::vector<policy::IterationPlan> iterations;  ///< as the state has planned them

  std::size_t length() const noexcept { return phases.size(); }
  Phase phase() const noexcept { return phases.front(); }
  std::int64_t last_iteration() const noexcept {
    return first_iteration + static_cast<std::int64_t>(length()) - 1;
  }
};

/// What this rank saw of a problem in one tuning iteration.
struct LocalCell {
  bool launched = false;
  bool fallback = false;                ///< true if some launch did not use the planned config
  std::size_t config_id = 0;            ///< of the last launch
  std::optional<std::int64_t> time_ns;  ///< empty if it was not measured
  bool untimed = false;                 ///< it has no time because the batch asked for none
  /// False if it is known that, from begin to end of each of the problem's launches on a device or on the
  /// host, no other problem kept that busy and no other device work ran on that device. `measure::overlap`
  /// says what counts. A launch that encloses a launch of another problem overlaps it, and a coupled one
  /// overlaps what it may wait for. True wherever something is not known, so also in iterations that may
  /// overlap each other (`Iterations::pipelined`). With a timer of the host, work that belongs to no launch
  /// does not count here. Not meaningful unless `launched`.
  bool overlaps = true;
};

/// When a launch kept a device or the host busy.
struct LaunchSpan {
  std::size_t slot = 0;
  std::size_t config_id = 0;
  Span span;  ///< relative to the begin of its iteration
};

/// When this rank's work of one tuning iteration ran.
struct IterationTimeline {
  std::int64_t begin_ns = 0;  ///< of the first work, on the timer's clock
  std::int64_t end_ns = 0;    ///< of the last work, on the same clock
  std::vector<LaunchSpan> launches;
  /// Device work that belongs to no launch, relative to the begin; empty if the timer does not know it.
  std::optional<std::vector<Span>> others;
  std::size_t left_out_count = 0;  ///< spans beyond the most that are kept
};

/// An exception of the region, a hook, a `load` or the settle.
struct BatchFailure {
  std::exception_ptr thrown;   ///< null if the batch has not failed
  std::string cause;           ///< its text, and launches that it may come of
  bool of_launcher = false;    ///< `cause` names such a launch, which what was thrown does not
  bool tuning_failed = false;  ///< true for a TuningFailedError that all ranks are to throw
  bool launched = true;  ///< false if this rank has launched nothing of the batch, which is not to blame

  explicit operator bool() const noexcept { return thrown != nullptr; }
};

/// What this rank saw of a batch.
struct BatchResult {
  BatchFailure failure;
  std::vector<std::vector<LocalCell>> cells;              ///< by slot, by iteration
  std::vector<std::optional<std::int64_t>> makespans_ns;  ///< by iteration
  std::vector<IterationTimeline> timelines;               ///< by iteration; without spans if not known
  BatchConditions conditions;                             ///< as the timer reports them
  /// What the region threw in iterations in which memory ran out for candidates.
  std::map<std::size_t, std::exception_ptr> out_of_memory;
  std::string verdict;          ///< why `verify` rejected the batch's assignment; empty if it did not
  std::int64_t elapsed_ns = 0;  ///< since the run began, on this rank's clock
  std::chrono::nanoseconds wanted_head_start{0};  ///< see Timer

  bool disturbed() const noexcept { return !conditions.disturbance.empty(); }
  /// Returns true if this rank has launched the problem of a slot in the batch.
  bool launched(std::size_t slot) const {
    return std::any_of(cells[slot].begin(), cells[slot].end(),
                       [](const LocalCell& cell) { return cell.launched; });
  }
};

/// The times that the ranks agreed on.
struct AgreedTimes {
  std::vector<std::vector<std::optional<std::int64_t>>> time_ns;  ///< by iteration, by slot
  std::vector<std::optional<std::int64_t>> makespan_ns;           ///< by iteration
};

}  // namespace contextual::detail
