#pragma once

/// \file
/// The phases of a tuning run and the activities of its thread.

#include <string_view>

namespace contextual {

/// The part of a tuning run that a tuning iteration belongs to.
enum class Phase {
  walk,       ///< every tuning problem tries its configs one after the other: the documented table
  search,     ///< sets of configs are compared by the makespan of the region
  final_run,  ///< the region runs for the last time, with everything locked in
};

/// Returns "walk", "search" or "final", as in logs.
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

/// What a thread does besides the tuner's own bookkeeping.
enum class Activity {
  prepare,           ///< loading and preparing what the next batch launches
  before_iteration,  ///< the user's hook of that name
  region,            ///< the user's region
  after_iteration,   ///< the user's hook of that name
  verify,            ///< Options::verify, Options::outputs
  settle,            ///< waiting for the region's device work
  later_call,        ///< the region, in a later call of a wrapped one
};

/// Returns the enumerator's name, as in logs.
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
    case Activity::verify:
      return "verify";
    case Activity::settle:
      return "settle";
    case Activity::later_call:
      break;
  }
  return "later_call";
}

}  // namespace contextual
