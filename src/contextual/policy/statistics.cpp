#include "contextual/policy/statistics.hpp"

#include "contextual/policy/far_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace contextual::policy {
namespace {

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
}

double median_absolute_deviation(std::span<const double> sorted) {
  const double median = median_of_sorted(sorted);
  std::vector<double> deviations;
  deviations.reserve(sorted.size());
  for (const double value : sorted) {
    deviations.push_back(std::abs(value - median));
  }
  std::sort(deviations.begin(), deviations.end());
  return median_of_sorted(deviations);
}

/// The median absolute deviation of a few samples reads too small; factors for normal samples from
/// Croux and Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale" (1992).
double small_sample_factor(std::size_t count) {
  constexpr std::array<double, 10> factors = {1, 1, 1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};
  return count < factors.size() ? factors[count]
                                : static_cast<double>(count) / (static_cast<double>(count) - 0.8);
}

}  // namespace

double root_of_squares(double a, double b) {
  return std::sqrt(a * a + b * b);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : median_of_sorted(values);
}

Summary summarize(std::span<const std::int64_t> samples) {
  if (samples.empty()) {
    return {};
  }
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  constexpr double efficiency = 1.2533;  // sqrt(pi / 2), asymptotic for the median of normal samples

  Summary summary;
  summary.count = sorted.size();
  summary.centre_ns = median_of_sorted(sorted);
  summary.spread_ns = 1.4826 * median_absolute_deviation(sorted);
  summary.standard_error_ns = efficiency * small_sample_factor(sorted.size()) * summary.spread_ns /
                              std::sqrt(static_cast<double>(sorted.size()));
  summary.least_ns = sorted.front();
  const double limit = far_limit(sorted);
  summary.greatest_ns =
      *std::prev(std::upper_bound(sorted.begin(), sorted.end(), std::max(limit, sorted.front())));
  return summary;
}

Summary summarize_all(std::span<const double> values) {
  Summary summary;
  summary.count = values.size();
  if (values.empty()) {
    return summary;
  }
  const auto count = static_cast<double>(values.size());
  for (const double value : values) {
    summary.centre_ns += value / count;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - summary.centre_ns) * (value - summary.centre_ns);
  }
  summary.spread_ns = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  summary.standard_error_ns = summary.spread_ns / std::sqrt(count);
  summary.least_ns = *std::min_element(values.begin(), values.end());
  summary.greatest_ns = *std::max_element(values.begin(), values.end());
  return summary;
}

double student_quantile(double normal, std::size_t degrees) {
  constexpr std::array few{0.0, 12.706, 4.303, 3.182};
  if (degrees < few.size()) {
    return few[degrees];
  }
  const double z = normal;
  const double z2 = z * z;
  const auto n = static_cast<double>(degrees);
  const double first = (z2 + 1) / 4;
  const double second = ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double fourth = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z * (1 + (first + (second + (third + fourth / n) / n) / n) / n);
}

bool samples_overlap(const Summary& slower, const Summary& faster) {
  return slower.count == 0 || faster.count == 0 || slower.least_ns <= faster.greatest_ns;
}

Comparison compare(const Summary& slower, const Summary& faster) {
  return {slower.centre_ns - faster.centre_ns,
          root_of_squares(slower.standard_error_ns, faster.standard_error_ns),
          samples_overlap(slower, faster)};
}

bool is_tie(const Comparison& comparison, double margin_ns, double errors) {
  return comparison.slower_by_ns <= margin_ns ||
         (comparison.overlap && comparison.slower_by_ns <= errors * comparison.error_ns);
}

}  // namespace contextual::policy
