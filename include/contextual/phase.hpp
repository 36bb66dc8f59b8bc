#pragma once

/// \file
/// Where a tuning run stands, and what its thread is doing.

#include <string_view>

namespace contextual {

/// The part of a tuning run that a tuning iteration belongs to.
enum class Phase {
  walk,       ///< every problem tries its configs one after the other: the documented table
  search,     ///< sets of configs are compared by the region's makespan
  final_run,  ///< the last run of the region, with everything locked in
};

/// "walk", "search" or "final", as in logs.
constexpr std::string_view to_string(Phase phase) noexcept {
  switch (phase) {
    case Phase::walk:
      return "walk";
    case Phase::search:
      return "search";
    case Phase::final_run:
      break;
  }
  return "final";
}

/// What a thread is doing outside of the tuner's own bookkeeping.
enum class Activity {
  prepare,           ///< loading and preparing what the next batch launches
  before_iteration,  ///< the user's hook of that name
  region,            ///< the user's region
  after_iteration,   ///< the user's hook of that name
  settle,            ///< waiting for the region's device work
  later_call,        ///< the region, in a later call of a wrapped one
};

/// The enumerator's name, as in logs.
constexpr std::string_view to_string(Activity activity) noexcept {
  switch (activity) {
    case Activity::prepare:
      return "prepare";
    case Activity::before_iteration:
      return "before_iteration";
    case Activity::region:
      return "region";
    case Activity::after_iteration:
      return "after_iteration";
    case Activity::settle:
      return "settle";
    case Activity::later_call:
      break;
  }
  return "later_call";
}

}  // namespace contextual
