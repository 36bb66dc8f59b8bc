#include "contextual/measure/bench_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace contextual::measure {

BenchTime quantile_of_sorted(std::span<const BenchTime> sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - std::floor(place));
}

void summarize(BenchResult& result, const std::vector<double>& quantiles) {
  std::vector<BenchTime> sorted = result.samples;
  std::sort(sorted.begin(), sorted.end());
  result.median = quantile_of_sorted(sorted, 0.5);
  result.mean =
      std::accumulate(sorted.begin(), sorted.end(), BenchTime{0}) / static_cast<double>(sorted.size());
  result.min = sorted.front();
  result.max = sorted.back();
  result.interquartile_range = quantile_of_sorted(sorted, 0.75) - quantile_of_sorted(sorted, 0.25);
  result.quantiles.clear();
  for (const double q : quantiles) {
    result.quantiles.push_back(quantile_of_sorted(sorted, q));
  }
}

}  // namespace contextual::measure
