#pragma once

/// \file
/// The options of a tuning run's policy.

#include <contextual/search.hpp>

#include <chrono>
#include <cstdint>
#include <functional>

namespace contextual::policy {

struct PolicyOptions {
  int n_warmup = 3;  ///< uses of a config before its samples count; at least 1
  int n_repeat = 5;  ///< samples of a config; at least 1
  /// The most tuning iterations of one run. Problems that are still open then become provisional.
  std::int64_t max_iterations = 10000;
  // The user cannot set these two.
  int absent_batches = 3;     ///< a problem is closed after this many batches in a row without a launch
  int retake_limit = 8;       ///< a config that needs more retakes than this is rejected
  double tie_margin = 0.005;  ///< times that differ by at most this fraction always tie
  SearchLevel search = SearchLevel::normal;
  std::int64_t search_runs = 0;              ///< of the region, the walk's included; 0: as the level says
  std::chrono::milliseconds search_time{0};  ///< of the tuning run; 0: no limit
  int closing_rounds = 5;                    ///< of the comparison with the defaults
  SearchFactory search_factory{};            ///< joint_search if it is empty
  /// Returns false for an assignment of all problems that must not be run; may be empty.
  std::function<bool(const Assignment&)> feasible{};
  bool one_assignment_per_batch = false;  ///< so that a failed batch tells which assignment has failed
};

}  // namespace contextual::policy
