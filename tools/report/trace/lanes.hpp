#pragma once

/// \file
/// Lays out intervals in rows in which none overlaps another.

#include <cstddef>
#include <vector>

namespace contextual::log_report {

struct Interval {
  double begin_ns = 0;
  double end_ns = 0;
};

/// Returns the row of each interval, from 0: the first one that is free when the interval begins, taken in
/// the order of their begins. One that begins where another ends does not overlap it.
std::vector<std::size_t> lanes_of(const std::vector<Interval>& intervals);

}  // namespace contextual::log_report
