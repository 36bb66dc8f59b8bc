#pragma once

/// \file
/// What a timed launch costs, measured in tunings by CUPTI, with raw launches without it in between.

#include "cuda_launches.hpp"

#include <algorithm>
#include <vector>

namespace contextual::benchmarks {

/// ns a launch of one tuning, of bare CUPTI, and of raw launches before, between and after them: CUPTI comes
/// and goes, and a machine's speed may change within a second.
struct TimedSample {
  double raw_before = 0;
  double raw_beside = 0;     ///< the tuner's CUPTI
  double raw_ex_beside = 0;  ///< likewise
  double timed = 0;
  double raw_between = 0;
  double raw_beside_bare = 0;     ///< CUPTI
  double raw_ex_beside_bare = 0;  ///< likewise
  double raw_after = 0;

  double raw() const { return (raw_before + raw_between) / 2; }
  double raw_around_bare() const { return (raw_between + raw_after) / 2; }
  double slowest_raw() const { return std::max({raw_before, raw_between, raw_after}); }
};

/// Host time of timed launches over raw ones.
class TimedOverRaw {
 public:
  TimedOverRaw(Launches& launches, int batch) : launches_(launches), batch_(batch) {}

  void add_tuning();

  // Of at least one tuning.

  /// All tunings, and the quarter of them whose slowest raw launches, before, between and after, were
  /// fastest.
  void print() const;
  double over_raw() const;                  ///< ns, median of all tunings
  double least_disturbed_over_raw() const;  ///< of that quarter

 private:
  void add_tuned(TimedSample& sample);
  void add_bare_cupti(TimedSample& sample);
  double raw_now();
  std::vector<TimedSample> fastest_quarter() const;

  Launches& launches_;
  int batch_;
  std::vector<TimedSample> samples_;
  std::vector<double> context_;
};

}  // namespace contextual::benchmarks
