#include "contextual/policy/search/trial_ledger.hpp"

#include "contextual/policy/search/natural_logarithm.hpp"

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

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

void TrialLedger::add_visit(const Assignment& assignment, std::vector<double> values, double run) {
  const double middle = median(values);
  samples_.push_back({assignment, run, middle, static_cast<int>(values.size()), 0});
  ++visits_[assignment];
}

void TrialLedger::add_walked(const SearchSample& sample) {
  if (sample.runs.empty()) {
    infeasible_.insert(sample.assignment);
    return;
  }
  proven_.insert(sample.assignment);
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
    infeasible_.insert(assignment);
    proven_.erase(assignment);
    return;
  }
  proven_.insert(assignment);
  std::vector<double> values = logarithms(observation.runs, 1);
  const bool led_in = !observation.runs.empty() && observation.runs.front().makespan_ns.value_or(0) > 0;
  const double lead_in =
      led_in ? natural_logarithm(static_cast<double>(*observation.runs.front().makespan_ns)) : 0;
  if (!values.empty()) {
    add_visit(assignment, std::move(values), run);
    if (led_in) {
      excesses_.push_back(lead_in - samples_.back().value);
    }
  } else if (led_in) {
    lead_ins_.push_back({assignment, run, lead_in, 0, 0});
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
  sorted.resize(std::max<std::size_t>(2, sorted.size() * 9 / 10));
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
void TrialLedger::doubt_disturbed(std::vector<Measurement>& visits) const {
  constexpr std::size_t enough_visits = 3;      // of an assignment, for a median
  constexpr std::size_t enough_distances = 10;  // for a scale
  constexpr double normal_scale = 1.4826;       // of a normal distribution, over its median distance
  constexpr double far = 3;                     // scales
  constexpr double least_scale = 0.002;         // where all visits are alike
  std::map<Assignment, std::vector<double>> values;
  for (const Measurement& visit : visits) {
    values[visit.assignment].push_back(visit.value);
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
  for (Measurement& visit : visits) {
    const auto middle = medians.find(visit.assignment);
    const double excess = middle == medians.end() ? 0 : visit.value - middle->second;
    if (excess > far * scale) {
      visit.extra_variance = excess * excess;
    }
  }
}

std::vector<Measurement> TrialLedger::makespans() const {
  std::vector<Measurement> values = samples_;
  doubt_disturbed(values);
  const Lateness late = lateness();
  for (Measurement lead_in : lead_ins_) {
    lead_in.value -= late.mean;
    lead_in.extra_variance = late.deviation * late.deviation;
    values.push_back(std::move(lead_in));
  }
  return values;
}

std::vector<Measurement> TrialLedger::failures() const {
  std::vector<Measurement> values;
  for (const Assignment& assignment : infeasible_) {
    values.push_back({assignment, 0, 1, 1, 0});
  }
  for (const Assignment& assignment : proven_) {
    values.push_back({assignment, 0, 0, 1, 0});
  }
  return values;
}

}  // namespace contextual::policy::search
