#include "contextual/policy/search/covariance.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace contextual::policy::search {

namespace {

/// Where row `i` of a lower triangle begins.
std::size_t triangle(std::size_t i) {
  return i * (i + 1) / 2;
}

/// The value is no part of the covariance matrix.
bool same_row(const Measurement& a, const Measurement& b) {
  return a.assignment == b.assignment && drift_step(a.run) == drift_step(b.run) && a.samples == b.samples &&
         a.extra_variance == b.extra_variance;
}

}  // namespace

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
    : space_(&space) {
  replace(std::move(measurements));
}

std::size_t MeasurementTable::replace(std::vector<Measurement> measurements) {
  const auto [changed, changed_to] = std::mismatch(measurements_.begin(), measurements_.end(),
                                                   measurements.begin(), measurements.end(), same_row);
  const auto kept = static_cast<std::size_t>(changed - measurements_.begin());
  const auto [other, other_now] =
      std::mismatch(changed, measurements_.end(), changed_to, measurements.end(),
                    [](const Measurement& a, const Measurement& b) { return a.assignment == b.assignment; });
  const auto known = static_cast<std::size_t>(other - measurements_.begin());
  measurements_ = std::move(measurements);
  likeness_.resize(triangle(known));
  first_of_.resize(known);
  std::erase_if(first_by_assignment_, [known](const auto& first) { return first.second >= known; });
  for (std::size_t i = known; i < measurements_.size(); ++i) {
    const Assignment& a = measurements_[i].assignment;
    for (std::size_t j = 0; j <= i; ++j) {
      const Assignment& b = measurements_[j].assignment;
      likeness_.push_back({space_->matches(a, b), space_->likeness(a, b)});
    }
    first_of_.push_back(first_by_assignment_.try_emplace(a, i).first->second);
  }
  return kept;
}

std::optional<std::size_t> MeasurementTable::find(const Assignment& assignment) const {
  const auto found = first_by_assignment_.find(assignment);
  return found == first_by_assignment_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Likeness> MeasurementTable::likeness(const Assignment& assignment) const {
  std::vector<Likeness> likeness;
  likeness.reserve(size());
  const std::optional<std::size_t> known = find(assignment);
  for (std::size_t i = 0; i < size(); ++i) {
    const Assignment& measured = measurements_[i].assignment;
    likeness.push_back(
        known ? likeness_[triangle(std::max(i, *known)) + std::min(i, *known)]
              : Likeness{space_->matches(assignment, measured), space_->likeness(assignment, measured)});
  }
  return likeness;
}

std::vector<double> MeasurementTable::row(const Variances& variances, std::size_t i) const {
  std::vector<double> row(i + 1);
  const std::size_t problems = space_->problem_count();
  const Likeness* const likeness = likeness_.data() + triangle(i);
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
  std::vector<double> values;
  for (const Measurement& measurement : measurements_) {
    values.push_back(measurement.value);
  }
  return median(std::move(values));
}

}  // namespace contextual::policy::search
