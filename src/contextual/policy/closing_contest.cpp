#include "contextual/policy/closing_contest.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace contextual::policy {
namespace {

/// What 5 % / (k (k + 1)) of the standard normal distribution exceed, by look k, from the first one on.
constexpr std::array quantiles{1.9600, 2.3940, 2.6383, 2.8070, 2.9352, 3.0381, 3.1237, 3.1970,
                               3.2608, 3.3172, 3.3678, 3.4136, 3.4554, 3.4938, 3.5293, 3.5623};

constexpr int rounds_for_outliers = 10;

/// 0.17 % exceed it: what other measurements have shown is not given up for less.
constexpr double against_other_measurements = 2.9352;

}  // namespace

ClosingContest::ClosingContest(int rounds, std::int64_t most_runs)
    : rounds_(rounds),
      most_rounds_(std::max(rounds, static_cast<int>(most_runs / ClosingComparison::runs_of(1)))) {}

void ClosingContest::limit(std::int64_t runs) {
  const auto rounds = static_cast<int>(std::max<std::int64_t>(0, runs) / ClosingComparison::runs_of(1));
  most_rounds_ = std::min(most_rounds_, spent_ + rounds);
  rounds_ = std::min(rounds_, rounds);
}

void ClosingContest::drop() {
  spent_ += comparison_ ? comparison_->rounds() : 0;
  comparison_.reset();
}

void ClosingContest::begin(Assignment reference, Assignment candidate, Claim claim) {
  drop();
  comparison_.emplace(std::move(reference), std::move(candidate), rounds_);
  claim_ = claim;
}

void ClosingContest::observe(const SearchObservation& observation) {
  comparison_->observe(observation);
}

int ClosingContest::rounds_left() const {
  return most_rounds_ - spent_ - (comparison_ ? comparison_->rounds() : 0);
}

std::size_t ClosingContest::most_runs_left() const {
  const std::size_t current = comparison_ ? 2 * comparison_->remaining_trials() : 0;
  const bool last = comparison_ && claim_ == Claim::not_slower;
  return current +
         (last ? 0 : static_cast<std::size_t>(ClosingComparison::runs_of(std::max(0, rounds_left()))));
}

bool ClosingContest::affords(int candidates) const {
  return rounds_left() >= candidates * rounds_ && looks_ < quantiles.size();
}

ClosingContest::Verdict ClosingContest::judge() {
  result_ = comparison_->result(claim_ == Claim::faster ? quantiles[std::min(looks_, quantiles.size() - 1)]
                                                        : against_other_measurements);
  looks_ += claim_ == Claim::faster ? 1 : 0;
  if (!result_.gain) {
    return Verdict::unmeasured;
  }
  if (result_.gain->high < 0) {
    return Verdict::lost;
  }
  if (result_.gain->low > 0 || claim_ == Claim::not_slower) {
    return Verdict::shown;
  }
  const int more = worthwhile_rounds();
  comparison_->add_rounds(more);
  return more > 0 ? Verdict::open : Verdict::noise;
}

/// Enough for the next look, if the rounds that are left would show the gain, were it one standard error
/// larger than it seems; but one sample of a busy host, which is known as such among ten, hides no gain. The
/// rounds of one further candidate are kept.
int ClosingContest::worthwhile_rounds() const {
  constexpr double growth = 0.4;
  const int left = rounds_left() - rounds_;
  const Gain& gain = *result_.gain;
  const double hoped_for = gain.centre + result_.noise;
  if (left <= 0 || looks_ >= quantiles.size()) {
    return 0;
  }
  if (comparison_->rounds() < rounds_for_outliers && result_.median_gain > 0) {
    return std::min(left, rounds_for_outliers - comparison_->rounds());
  }
  if (hoped_for <= 0) {
    return 0;
  }
  const auto rounds = static_cast<double>(comparison_->rounds());
  const double shortfall = (gain.centre - gain.low) / hoped_for;
  if (rounds * shortfall * shortfall > rounds + left) {
    return 0;
  }
  return std::min(left, std::max(2, static_cast<int>(growth * rounds)));
}

}  // namespace contextual::policy
