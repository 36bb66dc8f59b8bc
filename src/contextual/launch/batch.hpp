#pragma once

/// \file
/// A batch: the tuning iterations that run back to back before the next settle. What was planned for it, what
/// this rank saw of it, and what the ranks agreed on.

#include "contextual/policy/tuning_state.hpp"

#include <contextual/phase.hpp>
#include <contextual/timer.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace contextual::detail {

/// Why a batch is run.
enum class BatchKind {
  discovery,  ///< the first run of the region: nothing is known yet
  tuning,     ///< the states' next steps
  final_run,  ///< everything is locked in
};

/// What the tuning iterations of a batch are to do. It does not change once it is made.
struct BatchPlan {
  BatchKind kind = BatchKind::discovery;
  std::int64_t first_iteration = 0;
  std::vector<Phase> phases;                  ///< by iteration
  std::vector<policy::IterationPlan> shared;  ///< of the problems that the ranks share, by iteration
  std::vector<policy::IterationPlan> own;     ///< of the problems that this rank has alone, by iteration

  std::size_t length() const noexcept { return phases.size(); }
  Phase phase() const noexcept { return phases.front(); }
  std::int64_t last_iteration() const noexcept {
    return first_iteration + static_cast<std::int64_t>(length()) - 1;
  }
};

/// What this rank saw of a problem in one tuning iteration.
struct LocalCell {
  bool launched = false;
  bool fallback = false;                ///< some launch did not use the config that was due
  std::size_t config_id = 0;            ///< of the last launch
  std::optional<std::int64_t> time_ns;  ///< empty: not measured
};

/// What the region, a hook, a `prepare` or the settle threw.
struct BatchFailure {
  std::exception_ptr thrown;
  std::string cause;           ///< its text
  bool tuning_failed = false;  ///< it is the TuningFailedError of a problem that the ranks share

  explicit operator bool() const noexcept { return thrown != nullptr; }
};

/// What this rank saw of a batch.
struct BatchResult {
  BatchFailure failure;
  std::vector<std::vector<LocalCell>> cells;              ///< by slot, by iteration
  std::vector<std::optional<std::int64_t>> makespans_ns;  ///< by iteration
  BatchConditions conditions;                             ///< of the devices, as the timer saw them

  bool disturbed() const noexcept { return !conditions.disturbance.empty(); }
};

/// What the ranks agreed on. Of problems that a rank has alone, the times are its own.
struct AgreedTimes {
  std::vector<std::vector<std::optional<std::int64_t>>> time_ns;  ///< by slot, by iteration
  std::vector<std::optional<std::int64_t>> makespan_ns;           ///< by iteration
};

}  // namespace contextual::detail
