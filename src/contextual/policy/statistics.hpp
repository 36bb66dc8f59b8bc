#pragma once

/// \file
/// Robust statistics over a few samples. Pure.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace contextual::policy {

/// The summary of a few samples, in nanoseconds.
struct Summary {
  std::size_t count = 0;         ///< of the samples
  double centre_ns = 0;          ///< their median or mean
  double spread_ns = 0;          ///< their standard deviation, or a robust estimate of it
  double standard_error_ns = 0;  ///< the standard error of the centre
  double least_ns = 0;           ///< the least sample
  double greatest_ns = 0;        ///< the greatest sample; of a median, the greatest that is not far
};

/// Returns the root of the sum of both squares, with the same bits on every rank, which std::hypot does not
/// promise.
double root_of_squares(double a, double b);

/// Returns the median, or 0 if there are no values.
double median(std::vector<double> values);

/// Summarises `samples` by their median; they may be negative, since they may be differences. There is no
/// minimum: contention with neighbors is part of what is measured in context. The spread is 1.4826 x the
/// median absolute deviation. Without samples, all members are 0.
Summary summarize(std::span<const std::int64_t> samples);

/// Summarises values by their mean and standard deviation. Without values, all members are 0.
Summary summarize_all(std::span<const double> values);

/// Returns the quantile of Student's t distribution with `degrees` of freedom where that of the normal
/// distribution is `normal`: at most 2 % too small for normal quantiles of 1.9 to 3.5 (an expansion by Fisher
/// and Cornish, "The percentile points of distributions having known cumulants", 1960). With one to three
/// degrees it is always the quantile that 2.5 % exceed.
double student_quantile(double normal, std::size_t degrees);

}  // namespace contextual::policy
