#pragma once

/// \file
/// The phases of a tuning run and the activities of its thread.

#include <array>
#include <cstddef>
#include <string_view>

namespace contextual {

/// The part of a tuning run that a tuning iteration belongs to.
enum class Phase {
  walk,       ///< every tuning problem tries its configs one after the other: the documented table
  search,     ///< sets of configs are compared by the makespan of the region
  final_run,  ///< the region runs for the last time, with everything locked in
};

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

namespace detail {
/// In the order of the enumerators.
inline constexpr std::array<std::string_view, 3> phase_texts{"walk", "search", "final"};
inline constexpr std::array<std::string_view, 7> activity_texts{
    "prepare", "before_iteration", "region", "after_iteration", "verify", "settle", "later_call"};
}  // namespace detail

/// Returns "walk", "search" or "final", as in logs.
constexpr std::string_view to_string(Phase phase) noexcept {
  return detail::phase_texts[static_cast<std::size_t>(phase)];
}

/// Returns the enumerator's name, as in logs.
constexpr std::string_view to_string(Activity activity) noexcept {
  return detail::activity_texts[static_cast<std::size_t>(activity)];
}

}  // namespace contextual
