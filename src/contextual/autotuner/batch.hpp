#pragma once

/// \file
/// One batch as this rank plans, runs and measures it.

#include "contextual/autotuner/run_context.hpp"
#include "contextual/autotuner/watchdog.hpp"
#include "contextual/policy/tuning_state.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace contextual::autotuner {

struct ResolvedOptions;

/// What this rank saw of a problem in one tuning iteration.
struct LocalCell {
  bool launched = false;
  bool fallback = false;                ///< some launch did not use the config that was due
  std::size_t config_id = 0;            ///< of the last launch
  std::optional<std::int64_t> time_ns;  ///< empty: not measured
};

struct Batch {
  std::vector<policy::Phase> phases;  ///< by iteration
  std::int64_t first_iteration = 0;
  std::size_t length = 1;

  // After the region ran.
  std::exception_ptr failure;  ///< what the region, a hook or the settle threw
  std::string cause;           ///< its text
  bool tuning_failed = false;  ///< it was a TuningFailedError of a shared problem

  // After the settle.
  std::vector<std::vector<LocalCell>> cells;              ///< by slot, by iteration
  std::vector<std::optional<std::int64_t>> makespans_ns;  ///< by iteration
  BatchConditions conditions;                             ///< of the devices, as the timer saw them
};

std::string_view phase_name(policy::Phase phase);

/// Runs the region once per iteration of the batch, intercepting its launches; stops at an exception, which
/// it keeps in the batch.
class BatchRunner {
 public:
  BatchRunner(detail::RunContext& context, const ResolvedOptions& options, Watchdog& watchdog)
      : context_(context), options_(options), watchdog_(watchdog) {}

  void run(Batch& batch, const std::function<void()>& region);

 private:
  void run_iteration(Batch& batch, std::size_t iteration, const std::function<void()>& region);
  void settle(Batch& batch);
  void fill_cells(Batch& batch, const std::vector<detail::LaunchRecord*>& records,
                  const std::vector<LaunchTiming>& timings);
  void check_region_left_well();
  void keep_settle_failure(Batch& batch);
  void drop_disturbed(Batch& batch);
  static void keep_failure(Batch& batch);

  detail::RunContext& context_;
  const ResolvedOptions& options_;
  Watchdog& watchdog_;
  std::vector<IterationTiming> iterations_;
};

}  // namespace contextual::autotuner
