#pragma once

/// \file
/// Robust statistics over a few samples. Pure.

#include <contextual/report.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace contextual::policy {

/// The summary of a few samples, by their median or by their mean.
struct Summary : TimeSummary {
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

/// Returns true if some sample of the slower one is not longer than the longest sample of the faster one, or
/// if either has no samples.
bool samples_overlap(const Summary& slower, const Summary& faster);

/// The difference of two measurements and its noise.
struct Comparison {
  double slower_by_ns = 0;  ///< negative if the supposedly slower one is faster
  double error_ns = 0;      ///< the standard error of `slower_by_ns`
  bool overlap = true;      ///< the result of `samples_overlap`
};

/// Compares the centres of samples that are not paired.
Comparison compare(const Summary& slower, const Summary& faster);

inline constexpr double errors_of_ties = 2;

/// Returns true if two measurements tie. They tie if they differ by no more than the margin. Beyond the
/// margin, they tie if the difference is within so many of its standard errors and their samples overlap.
///
/// Samples that do not overlap never tie, because the error of a slow and erratic config is so large that it
/// would otherwise tie with every fast and steady one. Noise only lengthens times, so a large error of the
/// slower config does not mean that it may be as fast.
bool is_tie(const Comparison& comparison, double margin_ns, double errors = errors_of_ties);

}  // namespace contextual::policy
