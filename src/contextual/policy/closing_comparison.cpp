#include "contextual/policy/closing_comparison.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace contextual::policy {
namespace {

constexpr std::size_t trials_per_turn = 2;

/// False where all samples of the rounds are far beside the earlier ones, or the other way around: the
/// machine was in another state then, or makespans were shares of other batches, so the earlier ones say
/// nothing of these.
bool are_alike(const std::vector<double>& rounds, const std::vector<double>& earlier) {
  const auto least = [](const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
  };
  return rounds.empty() || earlier.empty() ||
         (least(rounds) <= far_limit(earlier) && least(earlier) <= far_limit(rounds));
}

/// The machine may have stalled most of a few samples.
bool mostly_far(const std::vector<double>& values) {
  constexpr std::size_t few = 15;
  return !values.empty() && values.size() <= few &&
         median(values) > times_of_stalls * *std::min_element(values.begin(), values.end());
}

}  // namespace

ClosingComparison::ClosingComparison(Assignment reference, Assignment choice, int rounds)
    : reference_(std::move(reference)),
      choice_(std::move(choice)),
      rounds_(rounds),
      first_rounds_(rounds),
      runs_(runs_of(rounds)) {}

/// Two trials a turn, with a lead-in each.
std::int64_t ClosingComparison::runs_of_added(int rounds) {
  const int turns = (rounds + rounds_per_turn - 1) / rounds_per_turn;
  return 2 * std::int64_t{turns + rounds};
}

int ClosingComparison::added_rounds_in(std::int64_t runs) {
  constexpr std::int64_t whole_turn = 2 * std::int64_t{1 + rounds_per_turn};
  const std::int64_t rest = std::max<std::int64_t>(0, runs % whole_turn / 2 - 1);
  return static_cast<int>(std::max<std::int64_t>(0, runs) / whole_turn * rounds_per_turn + rest);
}

void ClosingComparison::add_rounds(int rounds) {
  rounds_ += rounds;
  runs_ += runs_of_added(rounds);
}

bool ClosingComparison::complete() const noexcept {
  return static_cast<int>(counted_.size()) >= rounds_ || begun_ >= 2 * rounds_;
}

int ClosingComparison::rounds_of_turn() const {
  const int counted = measured();
  return counted < first_rounds_ ? 1 : std::min(rounds_per_turn, rounds_ - counted);
}

/// The order of each turn is that of a Thue-Morse sequence: a scheduler that sets the thread aside in every
/// second round, or every fourth, meets both in turn.
const Assignment& ClosingComparison::at(std::size_t position) const {
  const auto turned = static_cast<std::size_t>(std::popcount(turns_));
  return (turned + position) % 2 == 0 ? reference_ : choice_;
}

std::vector<SearchTrial> ClosingComparison::plan() const {
  std::vector<SearchTrial> trials;
  for (std::size_t position = position_; position < trials_per_turn && !complete(); ++position) {
    trials.push_back({at(position), rounds_of_turn()});
  }
  return trials;
}

std::int64_t ClosingComparison::runs_left() const {
  if (complete()) {
    return 0;
  }
  const int first = std::max(0, first_rounds_ - measured());
  const std::int64_t done = static_cast<std::int64_t>(position_) * (1 + rounds_of_turn());
  return runs_of(first) + runs_of_added(rounds_ - measured() - first) - done;
}

void ClosingComparison::observe(const SearchObservation& observation) {
  if (complete() || observation.trial.assignment != at(position_)) {
    return;
  }
  if (observation.trial.samples == 0 && !std::exchange(has_run_first_, true)) {
    return;  // the samples follow; where it does not succeed, its second first run counts as the trial
  }
  has_run_first_ = false;
  Samples& samples = &at(position_) == &reference_ ? of_reference_ : of_choice_;
  samples.clear();
  for (std::size_t i = 1; i < observation.runs.size(); ++i) {  // after the lead-in
    samples.push_back(observation.runs[i].makespan_ns);
  }
  if (++position_ < trials_per_turn) {
    return;
  }
  begun_ += rounds_of_turn();
  for (std::size_t i = 0; i < std::min(of_reference_.size(), of_choice_.size()); ++i) {
    if (of_reference_[i] && of_choice_[i]) {
      counted_.push_back({*of_reference_[i], *of_choice_[i]});
    }
  }
  position_ = 0;
  ++turns_;
}

std::optional<Gain> ClosingComparison::Result::gain_in_any_case() const {
  std::optional<Gain> all = gain;
  for (const OrElse& other : or_else) {
    all->low = std::min(all->low, other.gain.low);
    all->high = std::max(all->high, other.gain.high);
  }
  return all;
}

ClosingComparison::Result ClosingComparison::result(const ClosingEvidence& evidence,
                                                    double normal_quantile) const {
  Result result;
  std::vector<double> all_references;
  std::vector<double> all_choices;
  for (const Round& round : counted_) {
    all_references.push_back(static_cast<double>(round.reference_ns));
    all_choices.push_back(static_cast<double>(round.choice_ns));
  }
  if (!are_alike(all_references, evidence.reference_ns) || !are_alike(all_choices, evidence.choice_ns)) {
    return this->result({{}, {}, evidence.others}, normal_quantile);
  }
  all_references.insert(all_references.end(), evidence.reference_ns.begin(), evidence.reference_ns.end());
  all_choices.insert(all_choices.end(), evidence.choice_ns.begin(), evidence.choice_ns.end());
  result.mostly_far = mostly_far(all_references) || mostly_far(all_choices);
  const double reference_limit = far_limit(all_references);
  const double choice_limit = far_limit(all_choices);
  FarShare others_of_reference = far_share(all_choices, choice_limit);
  FarShare others_of_choice = far_share(all_references, reference_limit);
  others_of_reference += evidence.others;
  others_of_choice += evidence.others;
  const FarCost of_reference = far_cost(all_references, reference_limit, others_of_reference);
  const FarCost of_choice = far_cost(all_choices, choice_limit, others_of_choice);

  std::vector<double> references;  // of rounds in which neither is far
  std::vector<double> choices;
  for (const Round& round : counted_) {
    const auto reference = static_cast<double>(round.reference_ns);
    const auto choice = static_cast<double>(round.choice_ns);
    if (reference <= reference_limit && choice <= choice_limit) {
      references.push_back(reference);
      choices.push_back(choice);
    }
  }
  result.reference = summarize_all(references);
  result.choice = summarize_all(choices);
  const std::size_t count = choices.size();
  if (count < 2) {
    return result;
  }
  // The ratio of the means; what remains of each round beside it is free of a drift that both had.
  const double ratio = result.choice.centre_ns / result.reference.centre_ns;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double rest = choices[i] - ratio * references[i];
    squares += rest * rest;
  }
  const auto rounds = static_cast<double>(count);
  const double error = std::sqrt(squares / (rounds - 1) / rounds) / result.choice.centre_ns;
  const double quantile = student_quantile(normal_quantile, count - 1);
  const auto part_if = [](const FarCost& cost, bool pays) { return pays ? cost.own_part() : 0; };
  const auto error_of_parts = [&](bool reference_pays, bool choice_pays) {
    return root_of_squares(of_choice.error(part_if(of_choice, choice_pays)),
                           of_reference.error(part_if(of_reference, reference_pays)));
  };
  const auto gain_if = [&](bool reference_pays, bool choice_pays) {
    const double paid = ratio * of_choice.factor(part_if(of_choice, choice_pays)) /
                        of_reference.factor(part_if(of_reference, reference_pays));
    const double reach =
        1 + root_of_squares(quantile * error, two_sided_95 * error_of_parts(reference_pays, choice_pays));
    return Gain{1 - paid, 1 - paid * reach, 1 - paid / reach};
  };
  result.choice_paid = paid(all_choices, others_of_choice);
  result.reference_paid = paid(all_references, others_of_reference);
  result.choice_pays = of_choice.judgement.likelier_set;
  const bool reference_pays = of_reference.judgement.likelier_set;
  const bool choice_pays = result.choice_pays;
  result.gain = gain_if(reference_pays, choice_pays);
  result.noise = ratio * error;
  result.noise_of_parts = (1 - result.gain->centre) * error_of_parts(reference_pays, choice_pays);
  const auto reference_if = [&](bool pays) {
    return result.reference.centre_ns * of_reference.factor(part_if(of_reference, pays));
  };
  const bool reference_unclear = of_reference.judgement.cause == FarCause::unclear;
  const bool choice_unclear = of_choice.judgement.cause == FarCause::unclear;
  const auto add_if = [&](bool reference_does, bool choice_does) {
    result.or_else.push_back(
        {choice_does, gain_if(reference_does, choice_does), reference_if(reference_does)});
  };
  if (reference_unclear) {
    add_if(!reference_pays, choice_pays);
  }
  if (choice_unclear) {
    add_if(reference_pays, !choice_pays);
  }
  if (reference_unclear && choice_unclear) {
    add_if(!reference_pays, !choice_pays);
  }
  result.reference_near_ns = result.reference.centre_ns;
  result.reference.centre_ns = reference_if(reference_pays);
  result.choice.centre_ns *= of_choice.factor(part_if(of_choice, choice_pays));
  return result;
}

bool reference_wins(const ClosingComparison::Result& result, double tie_margin) {
  return result.gain->centre <= std::min(tie_margin, result.noise);
}

}  // namespace contextual::policy
