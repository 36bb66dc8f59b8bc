#pragma once

/// \file
/// The last part of a search: the few assignments that may be the best are measured in turn until one is
/// left.

#include "contextual/policy/search/belief.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace contextual::policy::search {

/// The assignments that may still be the best. Not thread-safe.
class Race {
 public:
  struct Limits {
    std::size_t finalists = 8;
    double min_gain = 0.005;  ///< a smaller relative gain is not worth further runs
  };

  /// Chooses the finalists among what has been run: those that are the shortest of these in any draw, the
  /// most frequent first, and `incumbent`.
  ///
  /// What has not been run has no place in a race. So little is known of it that some of it is the shortest
  /// of all in nearly every draw, and it would take the places of what has proved short.
  Race(Belief& belief, const Assignment& incumbent, const Limits& limits);

  /// Adds a finalist, unless it is one already.
  void enter(const Assignment& assignment);

  const std::vector<Assignment>& finalists() const noexcept { return finalists_; }

  /// Returns the visits of the next round: first every finalist once, then as many visits to the shortest and
  /// the second of draws.
  std::vector<Assignment> next_round(Belief& belief);

  /// Takes out finalists that are hardly ever the shortest, after a round. Returns true if one is left, or if
  /// no other one is likely to be shorter by the minimum gain.
  bool decided(Belief& belief);

  /// Takes out the finalists for which `usable` is false.
  void keep_only(const std::function<bool(const Assignment&)>& usable);

 private:
  Limits limits_;
  std::vector<Assignment> finalists_;  ///< the most likely one first
  bool begun_ = false;
};

}  // namespace contextual::policy::search
