#pragma once

/// \file
/// In which order one tuning problem tries its configs. Pure: no clock, no device, no communication.
///
/// Every rank feeds its copy the same agreed observations, so every rank plans the same steps. A schedule
/// that reads anything else (time, random numbers without a fixed seed, an address) makes ranks diverge;
/// `contextual/testing/schedule_conformance.hpp` looks for that.

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
  std::size_t config_id = 0;  ///< which config its launches use
  int iteration = 0;          ///< n-th use of this config in the walk, from 0; the "iter-0" of the table
  bool warmup = false;        ///< measured, but never a sample

  bool operator==(const Step&) const = default;
};

/// What all ranks agreed on for a step that was launched.
struct Observation {
  Step step;
  /// MAX over ranks, in ns, always > 0. Empty for a missing, zero, negative or NaN time: the step is then
  /// to be planned again (a retake), unless its config has been rejected meanwhile.
  std::optional<std::int64_t> time_ns;
};

/// The walk of one tuning problem. Not thread-safe; one instance a problem and rank.
class CONTEXTUAL_API Schedule {
 public:
  Schedule() = default;
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  virtual ~Schedule();

  /// The next steps, at most `max_steps`, as far as they can be told without further observations. Empty
  /// if and only if the walk is complete. Does not change the schedule: without an observation the answer
  /// stays the same.
  virtual std::vector<Step> plan(std::size_t max_steps) const = 0;

  /// One launched step. Steps are observed in the order in which they were planned; a step that was
  /// planned but not launched is not observed and stays due.
  virtual void observe(const Observation& observation) = 0;

  /// A config is out: it is not planned again. May name a config that is already out, complete or not begun.
  virtual void reject(std::size_t config_id) = 0;

  /// An upper bound of the steps still to come when every observation has a time. 0 if and only if complete.
  virtual std::size_t remaining_steps() const = 0;
};

/// What a schedule is made for.
struct ScheduleRequest {
  std::size_t config_count = 1;  ///< at least 1; config 0 is the default
  /// For each config: true when it is no candidate, and never to be tried. It may hold for the default too,
  /// but never for all configs. Empty when every config is a candidate.
  std::vector<bool> left_out;
  int n_warmup = 3;  ///< at least 1
  int n_repeat = 5;  ///< at least 1; the sum of both is an int
};

/// Makes one schedule a tuning problem. Called with equal requests in the same order on all ranks.
using ScheduleFactory = std::function<std::unique_ptr<Schedule>(const ScheduleRequest&)>;

/// The documented table: config 0, 1, 2, ... in order, each `n_warmup` and then `n_repeat` times in a row.
CONTEXTUAL_API std::unique_ptr<Schedule> walk_schedule(const ScheduleRequest& request);

}  // namespace contextual
