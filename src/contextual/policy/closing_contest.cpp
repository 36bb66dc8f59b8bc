#include "contextual/policy/closing_contest.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace contextual::policy {
namespace {

/// What 5 % / (k (k + 1)) of the standard normal distribution exceed, by look k, from the first one on.
constexpr std::array quantiles{1.9600, 2.3940, 2.6383, 2.8070, 2.9352, 3.0381, 3.1237, 3.1970,
                               3.2608, 3.3172, 3.3678, 3.4136, 3.4554, 3.4938, 3.5293, 3.5623};

constexpr int enough_rounds = 4;            ///< without far samples
constexpr std::size_t enough_samples = 10;  ///< of all measurements, to show what rounds do not

/// 0.17 % exceed it: what other measurements have shown is not given up for less.
constexpr double against_other_measurements = 2.9352;

}  // namespace

ClosingContest::ClosingContest(int rounds, std::int64_t most_runs)
    : rounds_(rounds), most_runs_(std::max(ClosingComparison::runs_of(rounds), most_runs)) {}

/// But for the fewest rounds that show a gain: what is compared with nothing would be locked in unseen.
void ClosingContest::limit(std::int64_t runs) {
  runs = std::max(fewest_runs, runs);
  most_runs_ = std::min(most_runs_, spent_ + runs);
  rounds_ = std::min(rounds_, static_cast<int>(runs / ClosingComparison::runs_of(1)));
}

void ClosingContest::drop() {
  spent_ += comparison_ ? comparison_->runs() : 0;
  comparison_.reset();
}

void ClosingContest::begin(Assignment reference, Assignment candidate, Claim claim, ClosingEvidence evidence,
                           std::optional<double> next_longer_by_ns) {
  drop();
  evidence_ = std::move(evidence);
  next_longer_by_ns_ = next_longer_by_ns;
  comparison_.emplace(std::move(reference), std::move(candidate), rounds_);
  claim_ = claim;
}

void ClosingContest::observe(const SearchObservation& observation) {
  comparison_->observe(observation);
}

std::int64_t ClosingContest::runs_left() const {
  return most_runs_ - spent_ - (comparison_ ? comparison_->runs() : 0);
}

std::size_t ClosingContest::most_runs_left() const {
  const std::int64_t current = comparison_ ? comparison_->runs_left() : 0;
  return static_cast<std::size_t>(current + std::max<std::int64_t>(0, runs_left()));
}

bool ClosingContest::affords(int candidates) const {
  return runs_left() >= ClosingComparison::runs_of(candidates * rounds_) && looks_ < quantiles.size();
}

/// Where the rounds are too few to show a gain or a loss, all samples of both may: the ends of its interval
/// are then theirs.
void ClosingContest::narrow(Gain& gain) const {
  constexpr double surely = 2;
  const Summary& choice = result_.choice_paid;
  const Summary& reference = result_.reference_paid;
  const double low = 1 - (choice.centre_ns + surely * choice.standard_error_ns) /
                             std::max(1.0, reference.centre_ns - surely * reference.standard_error_ns);
  const double high = 1 - (choice.centre_ns - surely * choice.standard_error_ns) /
                              (reference.centre_ns + surely * reference.standard_error_ns);
  if (gain.centre < 0 && high < -worthwhile) {
    gain.high = std::min(gain.high, high);
    gain.centre = std::min(gain.centre, high);
  } else if (gain.centre > 0 && low > worthwhile &&
             std::min(choice.count, reference.count) >= enough_samples) {
    gain.low = std::max(gain.low, low);
    gain.centre = std::max(gain.centre, low);
  }
}

/// Other measurements are medians, so that they do not speak for what has far samples of its own.
ClosingContest::Verdict ClosingContest::verdict_of(const Gain& gain, bool choice_pays) const {
  const bool is_spoken_for = claim_ == Claim::not_slower && !(gain.centre < 0 && choice_pays);
  return gain.high < 0 || (claim_ == Claim::not_slower && !is_spoken_for) ? Verdict::lost
         : gain.low > 0 || is_spoken_for                                  ? Verdict::shown
                                                                          : Verdict::noise;
}

/// Supposes that the choice takes so many standard errors more than it seems: in turn with the reference,
/// whose mean belongs to the gain, or, unless its far samples are not its own, by all of its samples,
/// whichever is more.
bool ClosingContest::behind_next(const Gain& gain, double reference_ns, double errors, bool of_all) const {
  if (!next_longer_by_ns_) {
    return false;
  }
  const double next_ns = result_.reference_near_ns + *next_longer_by_ns_;
  const double in_turn_ns = (1 - gain.centre + errors * result_.noise) * reference_ns;
  const double of_all_ns =
      of_all ? result_.choice_paid.centre_ns + errors * result_.choice_paid.standard_error_ns : 0;
  return std::max(in_turn_ns, of_all_ns) > (1 + worthwhile) * next_ns;
}

bool ClosingContest::gains_at_most(double margin) const {
  return result_.gain && result_.gain->centre <= margin &&
         std::all_of(result_.or_else.begin(), result_.or_else.end(),
                     [=](const auto& other) { return other.gain.centre <= margin; });
}

/// Whether the choice is behind what is next depends on how often it is slow. Were the machine the cause, the
/// reference would be slow at times, too.
bool ClosingContest::slow_runs_hide_next() const {
  constexpr double more_erratic = 2;
  constexpr double errors = 2;
  constexpr std::size_t most_samples = 64;
  return result_.choice_paid.count < most_samples &&
         result_.choice_paid.standard_error_ns > more_erratic * result_.reference_paid.standard_error_ns &&
         behind_next(-errors) != behind_next(errors);
}

ClosingContest::Verdict ClosingContest::judge() {
  result_ = comparison_->result(evidence_, claim_ == Claim::faster
                                               ? quantiles[std::min(looks_, quantiles.size() - 1)]
                                               : against_other_measurements);
  looks_ += claim_ == Claim::faster ? 1 : 0;
  if (result_.gain) {
    narrow(*result_.gain);
  }
  const Verdict verdict = result_.gain ? verdict_of(*result_.gain, result_.choice_pays) : Verdict::unmeasured;
  unsure_ = std::any_of(result_.or_else.begin(), result_.or_else.end(), [&](const auto& other) {
    return verdict_of(other.gain, other.choice_pays) != verdict ||
           (verdict == Verdict::shown &&
            behind_next(other.gain, other.reference_ns, at_least,
                        other.choice_pays || !result_.choice_pays) != behind_next());
  });
  // A few rounds may have met none of the slow runs of the choice.
  unsure_ = unsure_ || (result_.gain && result_.gain->centre > 0 &&
                        result_.choice_paid.centre_ns > result_.reference_paid.centre_ns);
  const bool seems_longer = result_.gain && result_.gain->centre + result_.noise < 0;
  const bool lost = verdict == Verdict::lost && result_.gain->high < worthwhile;
  const bool next_is_hidden = verdict == Verdict::shown && slow_runs_hide_next();
  const bool told = !unsure_ && !next_is_hidden && !result_.mostly_far &&
                    (lost || (verdict == Verdict::shown && !seems_longer));
  const bool enough =
      static_cast<int>(result_.choice.count) >= std::min(enough_rounds, comparison_->measured());
  if (told && enough) {
    return verdict;
  }
  const int more = worthwhile_rounds(next_is_hidden);
  comparison_->add_rounds(more);
  return more > 0 ? Verdict::open : verdict;
}

/// Enough for the next look, if the rounds that are left would show the gain, were it one standard error
/// larger than it seems, or to tell whose the far samples are. The rounds of one further candidate are kept.
int ClosingContest::worthwhile_rounds(bool next_is_hidden) const {
  constexpr double growth = 0.4;
  const int left = ClosingComparison::added_rounds_in(runs_left() - ClosingComparison::runs_of(rounds_));
  if (left <= 0 || looks_ >= quantiles.size()) {
    return 0;
  }
  const int rounds = comparison_->rounds();
  const int next = std::min(left, std::max(2, static_cast<int>(growth * rounds)));
  if (unsure_ || result_.mostly_far || next_is_hidden ||
      static_cast<int>(result_.choice.count) < std::min(enough_rounds, comparison_->measured())) {
    return next;
  }
  if (!result_.gain) {
    return 0;
  }
  const Gain& gain = *result_.gain;
  if (claim_ == Claim::not_slower && gain.centre + result_.noise <= 0) {
    return next;  // it may yet be shown to be longer
  }
  const double hoped_for = gain.centre + root_of_squares(result_.noise, result_.noise_of_parts);
  if (hoped_for <= 0) {
    return 0;
  }
  const double shortfall = (gain.centre - gain.low) / hoped_for;
  return rounds * shortfall * shortfall > rounds + left ? 0 : next;
}

}  // namespace contextual::policy
