#pragma once

/// \file
/// The options of a tuning run's policy.

#include <contextual/schedule.hpp>
#include <contextual/statistic.hpp>

#include <cstdint>

namespace contextual::policy {

struct PolicyOptions {
  int n_warmup = 3;  ///< uses of a config before its samples count; at least 1
  int n_repeat = 5;  ///< samples of a config; at least 1
  /// Tuning iterations per batch. If 0, a batch ends with the config that is being tried.
  int settle_every = 0;
  /// The most tuning iterations of one run. Problems that are still open then become provisional.
  std::int64_t max_iterations = 10000;
  int absent_batches = 3;  ///< a problem is closed after this many batches in a row without a launch
  int retake_limit = 8;    ///< a config that needs more retakes than this is rejected
  Statistic statistic = Statistic::median;
  double tie_margin = 0.005;  ///< times that differ by at most this fraction always tie
  bool finals = true;         ///< false: the walk's choices are locked in
  /// For each problem, this many configs take part for their own time, further ones whose time is close to
  /// the last of these, and as many for their makespan.
  int finals_candidates = 2;
  int finals_repeat = 5;           ///< rounds of a contest that count
  int finals_passes = 2;           ///< the most passes over all problems
  double finals_min_gain = 0.005;  ///< a change must shorten the makespan by more than this fraction
  ScheduleFactory schedule;        ///< walk_schedule if it is empty
};

}  // namespace contextual::policy
