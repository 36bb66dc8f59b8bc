#pragma once

/// \file
/// What a tuning run's policy can be told to do otherwise.

#include <contextual/schedule.hpp>
#include <contextual/statistic.hpp>

#include <cstdint>

namespace contextual::policy {

struct PolicyOptions {
  int n_warmup = 3;  ///< uses of a config before its samples count; at least 1
  int n_repeat = 5;  ///< samples of a config; at least 1
  /// Tuning iterations of a batch. 0: a batch ends with the config that is being tried.
  int settle_every = 0;
  /// Tuning iterations of one run. Problems that are still open then become provisional.
  std::int64_t max_iterations = 10000;
  int absent_batches = 3;  ///< a problem is closed after this many batches in a row without a launch
  int retake_limit = 8;    ///< a config that needs more retakes than this is rejected
  Statistic statistic = Statistic::median;
  double tie_margin = 0.005;  ///< times that differ by no more than this, relatively, always tie
  bool finals = true;         ///< false: the walk's choices are locked in
  /// Of each problem this many configs take part by own time, further ones that are close to the last of
  /// these, and as many by makespan.
  int finals_candidates = 2;
  int finals_repeat = 5;           ///< rounds of a contest that count
  int finals_passes = 2;           ///< passes over all problems at most
  double finals_min_gain = 0.005;  ///< a change must make the makespan shorter by more than this, relatively
  ScheduleFactory schedule;        ///< empty: walk_schedule
};

}  // namespace contextual::policy
