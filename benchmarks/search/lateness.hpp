#pragma once

/// \file
/// How much too long a run is that comes right after a change of configs or an exchange between the ranks.

#include "search/random_numbers.hpp"

#include <contextual/search.hpp>

namespace search_replay {

/// The sizes of the delays were recorded in nine regions: see benchmarks/regions/README.md.
class Lateness {
 public:
  /// Delays are larger where `best_ns`, the region's best makespan, is less than 250 us.
  explicit Lateness(double best_ns) : brief_(best_ns < 250e3) {}

  void exchange() { disorder_ = disordered_runs; }

  /// Returns the delay of the next run relative to its makespan. It is 0 from the third run on after a change
  /// or an exchange.
  double next(const contextual::Assignment& assignment, RandomNumbers& random);

 private:
  static constexpr int disordered_runs = 2;

  bool brief_;
  int disorder_ = disordered_runs;  ///< the number of runs that are still disordered
  contextual::Assignment last_;
};

}  // namespace search_replay
