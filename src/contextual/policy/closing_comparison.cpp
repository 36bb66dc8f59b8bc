#include "contextual/policy/closing_comparison.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace contextual::policy {
namespace {

constexpr std::size_t trials_per_round = 2;

/// The quantile of Student's t distribution that 2.5 % exceed, for the mean of `count` samples.
double student_quantile(std::size_t count) {
  constexpr std::array<double, 12> quantiles = {0,     0,     12.706, 4.303, 3.182, 2.776,
                                                2.571, 2.447, 2.365,  2.306, 2.262, 2.228};
  return count < quantiles.size() ? quantiles[count] : 2.2;
}

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

ClosingComparison::Result ClosingComparison::result() const {
  std::vector<std::int64_t> of_reference;
  std::vector<std::int64_t> of_choice;
  constexpr double whole = 1e9;
  std::vector<std::int64_t> gains;  // in billionths of the reference, so that a drift cancels
  for (const Round& round : counted_) {
    of_reference.push_back(*round.reference_ns);
    of_choice.push_back(*round.choice_ns);
    const auto reference_ns = static_cast<double>(*round.reference_ns);
    const auto choice_ns = static_cast<double>(*round.choice_ns);
    gains.push_back(static_cast<std::int64_t>(whole * (reference_ns - choice_ns) / reference_ns));
  }
  Result result;
  result.reference = summarize(of_reference, Statistic::median);
  result.choice = summarize(of_choice, Statistic::median);
  if (gains.size() > 1) {
    const Summary gain = summarize(gains, Statistic::median);
    const double reach = student_quantile(gains.size()) * gain.standard_error_ns;
    result.gain =
        Gain{gain.centre_ns / whole, (gain.centre_ns - reach) / whole, (gain.centre_ns + reach) / whole};
    result.noise = gain.standard_error_ns / whole;
  }
  return result;
}

bool reference_wins(const ClosingComparison::Result& result, double tie_margin) {
  return result.gain->centre <= std::min(tie_margin, result.noise);
}

}  // namespace contextual::policy
