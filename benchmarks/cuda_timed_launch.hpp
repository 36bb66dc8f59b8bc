#pragma once

/// \file
/// What a timed launch costs, measured in tunings by CUPTI, with raw launches without it in between.

#include "cuda_launches.hpp"

#include <algorithm>
#include <vector>

namespace contextual::benchmarks {

/// ns a launch of one tuning, and of raw launches before and after it: CUPTI comes and goes, and a machine's
/// speed may change within a second.
struct TimedSample {
  double raw_before = 0;
  double raw_beside = 0;  ///< the tuner's CUPTI
  double timed = 0;
  double raw_after = 0;

  double raw() const { return (raw_before + raw_after) / 2; }
  double slowest_raw() const { return std::max(raw_before, raw_after); }
};

/// Host time of timed launches over raw ones.
class TimedOverRaw {
 public:
  TimedOverRaw(Launches& launches, int batch) : launches_(launches), batch_(batch) {}

  void add_tuning();

  // Of at least one tuning.

  /// All tunings, and the quarter of them whose slowest raw launches were fastest.
  void print() const;
  double over_raw() const;                  ///< ns, median of all tunings
  double least_disturbed_over_raw() const;  ///< of that quarter

 private:
  void add_tuned(TimedSample& sample);
  double raw_now();
  std::vector<TimedSample> fastest_quarter() const;

  Launches& launches_;
  int batch_;
  std::vector<TimedSample> samples_;
};

}  // namespace contextual::benchmarks
