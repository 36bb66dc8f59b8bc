#include "common/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

namespace examples {

std::vector<float> random_values(long count, unsigned seed, float deviation, float mean) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(mean, deviation);
  std::vector<float> values(static_cast<std::size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return normal(engine); });
  return values;
}

void multiply_add(const std::vector<double>& a, const std::vector<float>& b, std::vector<double>& c, long n) {
  const auto columns = static_cast<std::size_t>(n);
  const std::size_t depth = b.size() / columns;
  for (std::size_t i = 0; i < c.size() / columns; ++i) {
    for (std::size_t p = 0; p < depth; ++p) {
      const double factor = a[i * depth + p];
      for (std::size_t j = 0; j < columns; ++j) {
        c[i * columns + j] += factor * static_cast<double>(b[p * columns + j]);
      }
    }
  }
}

double relative_error(const std::vector<float>& result, const std::vector<double>& reference) {
  double worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double difference = std::abs(static_cast<double>(result[i]) - reference[i]);
    if (std::isnan(difference)) {
      return std::numeric_limits<double>::infinity();
    }
    worst = std::max(worst, difference);
    largest = std::max(largest, std::abs(reference[i]));
  }
  return worst / largest;
}

}  // namespace examples
