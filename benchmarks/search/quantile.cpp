#include "search/quantile.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace search_replay {
namespace {

void sort(std::vector<double>& values) {
  if (values.empty()) {
    throw contextual::InvalidArgument("the median of no values");
  }
  std::sort(values.begin(), values.end());
}

}  // namespace

double median(std::vector<double> values) {
  sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double quantile(std::vector<double> values, double share) {
  sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

}  // namespace search_replay
