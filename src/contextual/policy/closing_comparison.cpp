#include "contextual/policy/closing_comparison.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace contextual::policy {
namespace {

constexpr std::size_t trials_per_round = 2;

/// The makespan of the run after the lead-in, which is the one sample of a trial.
std::optional<std::int64_t> sample_of(const SearchObservation& observation) {
  return observation.runs.size() > 1 ? observation.runs[1].makespan_ns : std::nullopt;
}

}  // namespace

ClosingComparison::ClosingComparison(Assignment reference, Assignment choice, int rounds)
    : reference_(std::move(reference)), choice_(std::move(choice)), rounds_(rounds) {}

bool ClosingComparison::complete() const noexcept {
  return static_cast<int>(counted_.size()) == rounds_ || begun_ == 2 * rounds_;
}

/// The order changes with each round.
const Assignment& ClosingComparison::at(std::size_t position) const {
  return (static_cast<std::size_t>(begun_) + position) % 2 == 0 ? reference_ : choice_;
}

std::vector<SearchTrial> ClosingComparison::plan() const {
  std::vector<SearchTrial> trials;
  for (std::size_t position = position_; position < trials_per_round && !complete(); ++position) {
    trials.push_back({at(position), 1});
  }
  return trials;
}

std::size_t ClosingComparison::remaining_trials() const {
  const auto rounds = static_cast<std::size_t>(rounds_) - counted_.size();
  return complete() ? 0 : trials_per_round * rounds - position_;
}

void ClosingComparison::observe(const SearchObservation& observation) {
  if (complete() || observation.trial.assignment != at(position_)) {
    return;
  }
  if (observation.trial.samples == 0 && !std::exchange(has_run_first_, true)) {
    return;  // the samples follow; where it does not succeed, its second first run counts as the trial
  }
  has_run_first_ = false;
  const bool of_reference = &at(position_) == &reference_;
  (of_reference ? round_.reference_ns : round_.choice_ns) = sample_of(observation);
  if (++position_ < trials_per_round) {
    return;
  }
  if (round_.reference_ns && round_.choice_ns) {
    counted_.push_back(round_);
  }
  round_ = {};
  position_ = 0;
  ++begun_;
}

/// A round goes as a whole, because both of its samples belong together.
std::vector<ClosingComparison::Round> ClosingComparison::clean() const {
  std::vector<double> references;
  std::vector<double> choices;
  for (const Round& round : counted_) {
    references.push_back(static_cast<double>(*round.reference_ns));
    choices.push_back(static_cast<double>(*round.choice_ns));
  }
  const std::array outliers{far_outlier(references), far_outlier(choices)};
  std::vector<Round> rounds;
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    if (outliers[0] != i && outliers[1] != i) {
      rounds.push_back(counted_[i]);
    }
  }
  return rounds;
}

ClosingComparison::Result ClosingComparison::result(double normal_quantile) const {
  std::vector<double> of_reference;
  std::vector<double> of_choice;
  for (const Round& round : clean()) {
    of_reference.push_back(static_cast<double>(*round.reference_ns));
    of_choice.push_back(static_cast<double>(*round.choice_ns));
  }
  Result result;
  result.reference = summarize_all(of_reference);
  result.choice = summarize_all(of_choice);
  const std::size_t count = of_choice.size();
  if (count < 2) {
    return result;
  }
  // The ratio of the means; what remains of each round beside it is free of a drift that both had.
  const double ratio = result.choice.centre_ns / result.reference.centre_ns;
  double squares = 0;
  std::vector<double> gains;
  gains.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    gains.push_back(1 - of_choice[i] / of_reference[i]);
    const double rest = of_choice[i] - ratio * of_reference[i];
    squares += rest * rest;
  }
  const auto rounds = static_cast<double>(count);
  const double error = std::sqrt(squares / (rounds - 1) / rounds) / result.choice.centre_ns;
  const double reach = 1 + student_quantile(normal_quantile, count - 1) * error;
  result.gain = Gain{1 - ratio, 1 - ratio * reach, 1 - ratio / reach};
  result.noise = ratio * error;
  result.median_gain = median(std::move(gains));
  return result;
}

bool reference_wins(const ClosingComparison::Result& result, double tie_margin) {
  return result.gain->centre <= std::min(tie_margin, result.noise);
}

}  // namespace contextual::policy
