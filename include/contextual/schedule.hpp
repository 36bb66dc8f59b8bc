#pragma once

/// \file
/// A schedule: the order in which one tuning problem tries its configs. It uses no clock, no device and no
/// communication.
///
/// Every rank feeds its own instance the same agreed observations, so that every rank plans the same steps. A
/// schedule that reads anything else (the time, random numbers without a fixed seed, an address) makes the
/// ranks diverge. `contextual/testing/schedule_conformance.hpp` checks for that.

#include <contextual/export.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace contextual {

/// What a tuning problem does in one tuning iteration of its walk.
struct Step {
  std::size_t config_id = 0;  ///< the config that its launches use
  int iteration = 0;          ///< counts the uses of this config in the walk from 0: the table's "iter-0"
  bool warmup = false;        ///< its time is measured but is never a sample

  bool operator==(const Step&) const = default;
};

/// The result, agreed between all ranks, of a step that was launched.
struct Observation {
  Step step;
  /// The maximum over ranks in ns, always greater than 0. Empty for a missing, zero, negative or NaN time.
  /// The schedule must then plan the step again (a retake), unless its config has been rejected meanwhile.
  std::optional<std::int64_t> time_ns;
};

/// The walk of one tuning problem. Each rank has one instance per tuning problem, which it calls from one
/// thread at a time.
class CONTEXTUAL_API Schedule {
 public:
  Schedule() = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  virtual ~Schedule();

  /// Returns the next steps, at most `max_steps`, and only those that do not depend on further observations.
  /// The result is empty if and only if the walk is complete. The result stays the same until the next
  /// `observe` or `reject`.
  virtual std::vector<Step> plan(std::size_t max_steps) const = 0;

  /// Takes in the result of one launched step. Steps are observed in the order in which they were planned. A
  /// planned step that was not launched is not observed and must be planned again.
  virtual void observe(const Observation& observation) = 0;

  /// Rejects a config, which must not be planned again. The config may already be rejected or complete, or
  /// may not have begun.
  virtual void reject(std::size_t config_id) = 0;

  /// Returns an upper bound of the remaining steps, given that every observation has a time. It is 0 if and
  /// only if the walk is complete.
  virtual std::size_t remaining_steps() const = 0;
};

/// Describes the tuning problem that a schedule is made for.
struct ScheduleRequest {
  std::size_t config_count = 1;  ///< at least 1; config 0 is the default
  /// True for each config that is not a candidate and must never be planned. The default may be left out too,
  /// but never all configs. Empty if every config is a candidate.
  std::vector<bool> left_out;
  int n_warmup = 3;  ///< at least 1
  int n_repeat = 5;  ///< at least 1; n_warmup + n_repeat does not overflow
};

/// Makes the schedule of one tuning problem. Called with equal requests in the same order on all ranks, on
/// the thread of `run`.
using ScheduleFactory = std::function<std::unique_ptr<Schedule>(const ScheduleRequest&)>;

/// Makes the schedule of the documented table: configs 0, 1, 2, ... in order, each `n_warmup` times and then
/// `n_repeat` times in a row.
CONTEXTUAL_API std::unique_ptr<Schedule> walk_schedule(const ScheduleRequest& request);

}  // namespace contextual
