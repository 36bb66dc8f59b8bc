#pragma once

/// \file
/// Robust statistics over a few samples. Pure.

#include <contextual/statistic.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace contextual::policy {

using contextual::Statistic;

/// The summary of a few samples, in nanoseconds.
struct Summary {
  std::size_t count = 0;         ///< of the samples
  double centre_ns = 0;          ///< their median or trimmed mean
  double spread_ns = 0;          ///< 1.4826 x median absolute deviation: a robust standard deviation
  double standard_error_ns = 0;  ///< the standard error of the centre
  double least_ns = 0;           ///< the least sample
  double greatest_ns = 0;        ///< the greatest sample
};

/// Returns the median, or 0 if there are no values.
double median(std::vector<double> values);

/// Summarises `samples`, which may be negative, since they may be differences. Without samples, all members
/// are 0.
Summary summarize(std::span<const std::int64_t> samples, Statistic statistic);

}  // namespace contextual::policy
