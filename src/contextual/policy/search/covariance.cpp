#include "contextual/policy/search/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace contextual::policy::search {

long drift_step(double run) noexcept {
  return std::lround(std::floor(run / runs_per_drift_step));
}

double noise(const Variances& variances, const Measurement& measurement) noexcept {
  return variances.sample / std::max(1, measurement.samples) + measurement.extra_variance;
}

double covariance(const Variances& variances, const Likeness& likeness, std::size_t problem_count) noexcept {
  const auto problems = static_cast<double>(problem_count);
  const auto matches = static_cast<double>(likeness.matches);
  double sum =
      variances.common + variances.config * matches / problems + variances.parameter * likeness.parameters;
  if (problem_count > 1) {
    sum += variances.pair * matches * (matches - 1) / (problems * (problems - 1));
  }
  return likeness.matches == problem_count ? sum + variances.assignment : sum;
}

MeasurementTable::MeasurementTable(const SearchSpace& space, std::vector<Measurement> measurements)
    : space_(&space), measurements_(std::move(measurements)) {
  likeness_.reserve(measurements_.size() * (measurements_.size() + 1) / 2);
  for (std::size_t i = 0; i < measurements_.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const Assignment& a = measurements_[i].assignment;
      const Assignment& b = measurements_[j].assignment;
      likeness_.push_back({space.matches(a, b), space.likeness(a, b)});
    }
  }
}

std::vector<double> MeasurementTable::row(const Variances& variances, std::size_t i) const {
  std::vector<double> row(i + 1);
  const std::size_t problems = space_->problem_count();
  const Likeness* const likeness = likeness_.data() + i * (i + 1) / 2;
  const long step = drift_step(measurements_[i].run);
  for (std::size_t j = 0; j <= i; ++j) {
    row[j] = covariance(variances, likeness[j], problems);
    const long apart = std::labs(step - drift_step(measurements_[j].run));
    if (apart < drift_steps) {
      const bool same = likeness[j].matches == problems;
      row[j] += (variances.drift + (same ? variances.own_drift : 0)) *
                (1.0 - static_cast<double>(apart) / drift_steps);
    }
  }
  row[i] += noise(variances, measurements_[i]);
  return row;
}

double MeasurementTable::median_value() const {
  if (measurements_.empty()) {
    return 0;
  }
  std::vector<double> values;
  for (const Measurement& measurement : measurements_) {
    values.push_back(measurement.value);
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace contextual::policy::search
