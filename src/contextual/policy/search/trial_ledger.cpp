#include "contextual/policy/search/trial_ledger.hpp"

#include "contextual/policy/search/natural_logarithm.hpp"
#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace contextual::policy::search {

namespace {

constexpr double worthwhile_variance_change = 0.2;  ///< relative

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

void TrialLedger::add_visit(const Assignment& assignment, const std::vector<double>& values, double run) {
  const auto count = static_cast<double>(values.size());
  measurements_.push_back({assignment, run, std::accumulate(values.begin(), values.end(), 0.0) / count,
                           static_cast<int>(values.size()), 0});
  first_samples_.resize(measurements_.size());
  first_samples_.back() = samples_[assignment].values.size();
  ++visits_[assignment];
  Samples& samples = samples_[assignment];
  far_ = far_.without(samples.share.of_machine());
  samples.add(values);
  far_ += samples.share.of_machine();
  judge_spreads();
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
  const std::vector<double> values = logarithms(sample.runs, 0);
  walked_runs_ += static_cast<double>(sample.runs.size());
  if (!values.empty()) {
    add_visit(sample.assignment, values, walked_runs_);
  }
  for (const double value : values) {
    seen_runs_[sample.assignment].add(value);
  }
}

void TrialLedger::Runs::add(double value) {
  least = count == 0 ? value : std::min(least, value);
  ++count;
}

void TrialLedger::add(const SearchObservation& observation) {
  const Assignment& assignment = observation.trial.assignment;
  const double run = walked_runs_ + static_cast<double>(runs_);
  runs_ += static_cast<std::int64_t>(std::max<std::size_t>(1, observation.runs.size()));
  if (observation.infeasible) {
    note_failure(assignment);
    return;
  }
  note_success(assignment);
  for (const double value : logarithms(observation.runs, 0)) {
    seen_runs_[assignment].add(value);
  }
  std::vector<double> values = logarithms(observation.runs, 1);
  if (values.size() > 1) {
    note_second_run(values);
    if (second_runs_are_late()) {
      values.erase(values.begin());
    }
  }
  const bool led_in = !observation.runs.empty() && observation.runs.front().makespan_ns.value_or(0) > 0;
  const double lead_in =
      led_in ? natural_logarithm(static_cast<double>(*observation.runs.front().makespan_ns)) : 0;
  if (!values.empty()) {
    add_visit(assignment, values, run);
    if (led_in) {
      excesses_.push_back(lead_in - measurements_.back().value);
    }
  } else if (led_in) {
    measurements_.push_back({assignment, run, lead_in, 0, 0});
  }
}

void TrialLedger::note_second_run(const std::vector<double>& values) {
  const auto later_count = static_cast<double>(values.size() - 1);
  const double later = std::accumulate(values.begin() + 1, values.end(), 0.0) / later_count;
  second_run_excesses_.push_back(values.front() - later);
}

bool TrialLedger::second_runs_are_late() const {
  constexpr std::size_t enough = 3;
  constexpr double noticeable = 0.003;
  constexpr double short_ns = 250'000;  // a few us of disorder are some per cent of it
  if (second_run_excesses_.size() >= enough) {
    const Summary excess = summarize_all(second_run_excesses_);       // of logarithms
    return excess.centre_ns + excess.standard_error_ns > noticeable;  // unless it is shown that they are not
  }
  return !measurements_.empty() && measurements_.back().value < natural_logarithm(short_ns);
}

std::size_t TrialLedger::sample_count(const Assignment& assignment) const {
  const auto found = samples_.find(assignment);
  return found == samples_.end() ? 0 : found->second.values.size();
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

void TrialLedger::judge_spreads() {
  constexpr std::size_t enough_samples = 3;     // of an assignment, for a median
  constexpr std::size_t enough_distances = 10;  // for a scale
  constexpr double normal_scale = 1.4826;       // of a normal distribution, over its median distance
  constexpr double least_scale = 0.002;         // where all samples are alike
  std::vector<double> distances;
  for (auto& [assignment, samples] : samples_) {
    if (samples.values.size() >= enough_samples) {
      const double middle = median(samples.values);
      for (const double value : samples.values) {
        distances.push_back(std::abs(value - middle));
      }
    }
  }
  if (distances.size() >= enough_distances) {
    const double scale = std::max(least_scale, normal_scale * median(distances));
    usual_variance_ = scale * scale;
  }
}

void TrialLedger::Samples::add(const std::vector<double>& more) {
  values.insert(values.end(), more.begin(), more.end());
  limit = far_limit_of_logarithms(values);
  share = far_share_of_logarithms(values, limit);
  std::vector<double> near;
  std::vector<double> far;
  for (const double value : values) {
    (value > limit ? far : near).push_back(value);
  }
  most = median(far);
  // A small change is not worth that the whole model is made anew.
  const auto update = [](double& variance, const std::vector<double>& of) {
    const double spread = summarize_all(of).spread_ns;
    const double ratio = variance > 0 ? spread * spread / variance : 0;
    variance = ratio > 1 - worthwhile_variance_change && ratio < 1 + worthwhile_variance_change
                   ? variance
                   : spread * spread;
  };
  update(near_variance, near);
  for (const double value : far) {
    near.push_back(std::min(value, most));
  }
  update(capped_variance, near);
}

FarJudgement TrialLedger::judged(const Samples& samples) const {
  return judge_far(samples.share, far_.without(samples.share.of_machine()));
}

double TrialLedger::variance(const Samples& samples) const {
  return counts_far(samples) ? samples.capped_variance : samples.near_variance;
}

bool TrialLedger::unclear(const Assignment& assignment) const {
  const auto found = samples_.find(assignment);
  return found != samples_.end() && judged(found->second).cause == FarCause::unclear;
}

bool TrialLedger::may_be_stalled(const Assignment& assignment, double expected) const {
  constexpr std::size_t enough_samples = 3;
  const auto samples = samples_.find(assignment);
  const auto seen = seen_runs_.find(assignment);
  if (seen == seen_runs_.end()) {
    return false;
  }
  if (sample_count(assignment) >= enough_samples) {
    const double middle = median(samples->second.values);
    return seen->second.least < expected &&
           (middle < expected ? unclear(assignment) : middle > seen->second.least + length_of_stalls);
  }
  const double least = seen->second.least;
  if (seen->second.count == 1) {
    return least > expected + length_of_stalls && far_.stalls() > 0;
  }
  const double longest = samples == samples_.end() ? least
                                                   : *std::max_element(samples->second.values.begin(),
                                                                       samples->second.values.end());
  return longest > least + length_of_stalls && least < expected + length_of_stalls;
}

bool TrialLedger::erratic(const Samples& samples) const {
  constexpr std::size_t enough_samples = 3;
  constexpr double far = 3;  // deviations
  return usual_variance_ > 0 && samples.values.size() >= enough_samples &&
         variance(samples) > far * far * usual_variance_;
}

bool TrialLedger::has_erratic() const {
  return std::any_of(samples_.begin(), samples_.end(),
                     [this](const auto& each) { return erratic(each.second); });
}

bool TrialLedger::erratic(const Assignment& assignment) const {
  const auto found = samples_.find(assignment);
  return found != samples_.end() && erratic(found->second);
}

double TrialLedger::error(const Assignment& assignment) const {
  const auto found = samples_.find(assignment);
  if (found == samples_.end()) {
    return 0;
  }
  const Samples& samples = found->second;
  return std::sqrt((erratic(samples) ? variance(samples) : usual_variance_) /
                   static_cast<double>(samples.values.size()));
}

/// Without far samples of the visit, or with none of them longer than the median of all of them.
void TrialLedger::settle(Measurement& visit, std::span<const double> values, const Samples& samples,
                         bool counts_far) {
  double sum = 0;
  int count = 0;
  for (const double value : values) {
    const bool counts = counts_far || value <= samples.limit;
    sum += counts ? std::min(value, samples.most) : 0;
    count += counts ? 1 : 0;
  }
  if (count > 0) {
    visit.value = sum / count;
    visit.samples = count;
    return;
  }
  const double excess = visit.value - median(samples.values);
  visit.extra_variance = excess * excess;
}

std::vector<Measurement> TrialLedger::makespans(const Lateness& lateness) const {
  std::vector<Measurement> values = measurements_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Measurement& value = values[i];
    if (value.samples == 0) {
      value.value -= lateness.mean;
      value.extra_variance = lateness.deviation * lateness.deviation;
      continue;
    }
    const Samples& samples = samples_.at(value.assignment);
    const bool counts = counts_far(samples);
    if (samples.share.far > 0) {
      settle(value,
             std::span(samples.values).subspan(first_samples_[i], static_cast<std::size_t>(value.samples)),
             samples, counts);
    }
    if (erratic(samples)) {
      value.value += variance(samples) / 2;
      value.extra_variance = std::max(value.extra_variance, variance(samples) / value.samples);
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
