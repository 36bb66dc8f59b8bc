#include "contextual/policy/search/trial_ledger.hpp"

#include "contextual/policy/search/natural_logarithm.hpp"
#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace contextual::policy::search {

namespace {

/// The logarithms of the makespans that are known, from run `first` on.
std::vector<double> logarithms(const std::vector<SearchRun>& runs, std::size_t first) {
  std::vector<double> values;
  for (std::size_t i = first; i < runs.size(); ++i) {
    if (runs[i].makespan_ns && *runs[i].makespan_ns > 0) {
      values.push_back(natural_logarithm(static_cast<double>(*runs[i].makespan_ns)));
    }
  }
  return values;
}

}  // namespace

void TrialLedger::add_visit(const Assignment& assignment, std::vector<double> values, double run) {
  const auto count = static_cast<int>(values.size());
  measurements_.push_back({assignment, run, median(std::move(values)), count, 0});
  ++visits_[assignment];
}

void TrialLedger::note_success(const Assignment& assignment) {
  if (proven_.insert(assignment).second && !infeasible_.contains(assignment)) {
    known_.push_back(assignment);
  }
}

void TrialLedger::note_failure(const Assignment& assignment) {
  const bool was_proven = proven_.erase(assignment) > 0;
  if (infeasible_.insert(assignment).second && !was_proven) {
    known_.push_back(assignment);
  }
}

void TrialLedger::add_walked(const SearchSample& sample) {
  if (sample.runs.empty()) {
    note_failure(sample.assignment);
    return;
  }
  note_success(sample.assignment);
  std::vector<double> values = logarithms(sample.runs, 0);
  walked_runs_ += static_cast<double>(sample.runs.size());
  if (!values.empty()) {
    add_visit(sample.assignment, std::move(values), walked_runs_);
  }
}

void TrialLedger::add(const SearchObservation& observation) {
  const Assignment& assignment = observation.trial.assignment;
  const double run = walked_runs_ + static_cast<double>(runs_);
  runs_ += static_cast<std::int64_t>(std::max<std::size_t>(1, observation.runs.size()));
  if (!observation.infeasible.empty()) {
    note_failure(assignment);
    return;
  }
  note_success(assignment);
  std::vector<double> values = logarithms(observation.runs, 1);
  const bool led_in = !observation.runs.empty() && observation.runs.front().makespan_ns.value_or(0) > 0;
  const double lead_in =
      led_in ? natural_logarithm(static_cast<double>(*observation.runs.front().makespan_ns)) : 0;
  if (!values.empty()) {
    add_visit(assignment, std::move(values), run);
    if (led_in) {
      excesses_.push_back(lead_in - measurements_.back().value);
    }
  } else if (led_in) {
    measurements_.push_back({assignment, run, lead_in, 0, 0});
  }
}

std::size_t TrialLedger::visits(const Assignment& assignment) const {
  const auto found = visits_.find(assignment);
  return found == visits_.end() ? 0 : found->second;
}

/// Without the longest tenth: some lead-ins are far too long, and are recognised by that.
Lateness TrialLedger::lateness() const {
  constexpr std::size_t enough = 3;
  if (excesses_.size() < enough) {
    return {};
  }
  std::vector<double> sorted = excesses_;
  std::sort(sorted.begin(), sorted.end());
  sorted.resize(sorted.size() * 9 / 10);
  const auto count = static_cast<double>(sorted.size());
  double mean = 0;
  for (const double excess : sorted) {
    mean += excess / count;
  }
  double variance = 0;
  for (const double excess : sorted) {
    variance += (excess - mean) * (excess - mean) / count;
  }
  constexpr double for_the_longest_tenth = 1.5;
  constexpr double least_deviation = 0.002;
  return {mean, for_the_longest_tenth * std::sqrt(variance) + least_deviation};
}

/// Noise is one-sided: some samples are far longer than the others of their assignment, and say little.
/// Without this, two of them among fifteen visits make the shortest assignment look like the second.
void TrialLedger::doubt_disturbed(std::vector<Measurement>& measurements) const {
  constexpr std::size_t enough_visits = 3;      // of an assignment, for a median
  constexpr std::size_t enough_distances = 10;  // for a scale
  constexpr double normal_scale = 1.4826;       // of a normal distribution, over its median distance
  constexpr double far = 3;                     // scales
  constexpr double least_scale = 0.002;         // where all visits are alike
  std::map<Assignment, std::vector<double>> values;
  for (const Measurement& measurement : measurements) {
    if (measurement.samples > 0) {
      values[measurement.assignment].push_back(measurement.value);
    }
  }
  std::map<Assignment, double> medians;
  std::vector<double> distances;
  for (auto& [assignment, of_assignment] : values) {
    if (of_assignment.size() >= enough_visits) {
      const double middle = medians[assignment] = median(of_assignment);
      for (const double value : of_assignment) {
        distances.push_back(std::abs(value - middle));
      }
    }
  }
  if (distances.size() < enough_distances) {
    return;
  }
  const double scale = std::max(least_scale, normal_scale * median(distances));
  for (Measurement& measurement : measurements) {
    const auto middle = medians.find(measurement.assignment);
    const double excess = middle == medians.end() ? 0 : measurement.value - middle->second;
    if (measurement.samples > 0 && excess > far * scale) {
      measurement.extra_variance = excess * excess;
    }
  }
}

std::vector<Measurement> TrialLedger::makespans(const Lateness& lateness) const {
  std::vector<Measurement> values = measurements_;
  doubt_disturbed(values);
  for (Measurement& value : values) {
    if (value.samples == 0) {
      value.value -= lateness.mean;
      value.extra_variance = lateness.deviation * lateness.deviation;
    }
  }
  return values;
}

std::vector<Measurement> TrialLedger::failures() const {
  std::vector<Measurement> values;
  for (const Assignment& assignment : known_) {
    values.push_back({assignment, 0, infeasible_.contains(assignment) ? 1.0 : 0.0, 1, 0});
  }
  return values;
}

}  // namespace contextual::policy::search
