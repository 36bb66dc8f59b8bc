#include "contextual/policy/contest_run.hpp"
#include "contextual/policy/text.hpp"
#include "contextual/policy/tie.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

// What a contest's rounds decide; contest_run.cpp holds them.

namespace contextual::policy {
namespace {

/// Fewer paired rounds than this say nothing about the noise, unless fewer were asked for.
constexpr int min_valid_rounds = 3;

std::string rounds_text(std::size_t count) {
  return "(paired, " + std::to_string(count) + (count == 1 ? " round)" : " rounds)");
}

}  // namespace

ContestRun::Result ContestRun::decide() const {
  const std::vector<int> rounds = valid_rounds();
  Result result;
  result.contest = contest_;
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    result.contest.contenders.push_back(measure(entry, rounds));
  }
  std::vector<Contender>& contenders = result.contest.contenders;
  if (std::count(alive_.begin(), alive_.end(), true) < 2) {
    result.verdict = "every other candidate was rejected";
  } else if (!enough(rounds.size())) {
    result.verdict = "not enough valid rounds";
  } else {
    settle_gain(result);
    result.verdict = explain(contenders, result.winner);
    if (contest_.kind == Contest::Kind::problem && (result.winner == 0 || !result.close.empty())) {
      settle_tie(result, rounds);
    }
  }
  if (!result.close.empty()) {
    std::vector<std::size_t>& close = result.close;
    close.push_back(0);
    std::sort(close.begin(), close.end());
    close.erase(std::unique(close.begin(), close.end()), close.end());
  }
  contenders[result.close.empty() ? result.winner : 0].chosen = true;
  result.contest.reason =
      (result.winner == 0 ? "kept " + entries_[0].name
                          : entries_[result.winner].name + " replaces " + entries_[0].name) +
      ": " + result.verdict;
  if (!result.close.empty()) {
    result.contest.reason =
        "undecided, so they meet again: " + names(result.close) + "; so far " + result.contest.reason;
  }
  return result;
}

std::string ContestRun::names(const std::vector<std::size_t>& entries) const {
  std::string text;
  for (const std::size_t entry : entries) {
    text += (text.empty() ? "" : ", ") + entries_[entry].name;
  }
  return text;
}

/// Of an entry that dropped out: nothing.
Contender ContestRun::measure(std::size_t entry, const std::vector<int>& rounds) const {
  std::vector<std::int64_t> makespans;
  std::vector<std::int64_t> gains;
  for (const int round : rounds) {
    const std::vector<Times>& row = times_[static_cast<std::size_t>(round)];
    if (alive_[entry]) {
      makespans.push_back(row[entry].makespan_ns);
      gains.push_back(row[0].makespan_ns - row[entry].makespan_ns);
    }
  }
  Contender contender{entries_[entry].label, summarize(makespans, options_->statistic), std::nullopt, false};
  if (entry != 0) {
    contender.gain = summarize(gains, options_->statistic);
  }
  return contender;
}

/// A change must gain more than the minimum gain, and not tie by the noise. Only whole defaults replace a
/// whole set as soon as that is slower beyond the noise: the guard that tuning does not end slower than it
/// began.
bool ContestRun::eligible(std::size_t entry, const Contender& contender, const Summary& incumbent) const {
  return alive_[entry] && !is_tie({.slower_by_ns = contender.gain->centre_ns,
                                   .error_ns = contender.gain->standard_error_ns,
                                   .overlap = samples_overlap(incumbent, contender.makespan)},
                                  required_gain_ns(entry, incumbent.centre_ns));
}

double ContestRun::required_gain_ns(std::size_t entry, double incumbent_ns) const {
  const bool guards = contest_.kind != Contest::Kind::problem && entries_[entry].is_default;
  return (guards ? options_->tie_margin : options_->finals_min_gain) * incumbent_ns;
}

/// The gain is there, but not by so much that the best of a few candidates could not have it by chance.
bool ContestRun::is_close(std::size_t entry, const Contender& contender, double incumbent_ns) const {
  return contender.gain->centre_ns - unlikely_errors * contender.gain->standard_error_ns <=
         required_gain_ns(entry, incumbent_ns);
}

/// Those within the noise of the largest gain. Empty where nobody has one.
std::vector<std::size_t> ContestRun::best_by_gain(const std::vector<Contender>& contenders) const {
  std::vector<std::size_t> best;
  for (std::size_t entry = 1; entry < contenders.size(); ++entry) {
    if (eligible(entry, contenders[entry], contenders[0].makespan)) {
      best.push_back(entry);
    }
  }
  if (best.empty()) {
    return best;
  }
  const Contender& most = contenders[*std::max_element(best.begin(), best.end(), [&](auto a, auto b) {
    return contenders[a].gain->centre_ns < contenders[b].gain->centre_ns;
  })];
  const double margin_ns = options_->tie_margin * contenders[0].makespan.centre_ns;
  std::erase_if(best, [&](std::size_t entry) {
    const Contender& other = contenders[entry];
    return !is_tie({.slower_by_ns = most.gain->centre_ns - other.gain->centre_ns,
                    .error_ns = std::hypot(other.gain->standard_error_ns, most.gain->standard_error_ns),
                    .overlap = samples_overlap(other.makespan, most.makespan)},
                   margin_ns);
  });
  return best;
}

/// The largest gain; within the noise of it the default wins, then the lowest index.
void ContestRun::settle_gain(Result& result) const {
  const std::vector<Contender>& contenders = result.contest.contenders;
  const std::vector<std::size_t> best = best_by_gain(contenders);
  if (best.empty()) {
    return;
  }
  result.winner =
      *std::min_element(best.begin(), best.end(), [this](auto a, auto b) { return rank(a) < rank(b); });
  if (contest_.kind == Contest::Kind::problem && !limits_.last &&
      is_close(result.winner, contenders[result.winner], contenders[0].makespan.centre_ns)) {
    result.close = best;
  }
}

/// By own times. The walk takes a config's samples in a row and beside whatever its neighbours tried then, so
/// it can take a drift of the device or another neighbour for a difference. Here candidates took turns in the
/// context that stays.
void ContestRun::settle_tie(Result& result, const std::vector<int>& rounds) const {
  const std::vector<Contender>& contenders = result.contest.contenders;
  const std::optional<ByOwnTime> own = by_own_time(tied_with_incumbent(contenders, rounds, false), rounds);
  if (!own) {
    return;
  }
  if (!limits_.last) {
    note_close(result, *own, rounds);
  }
  if (result.winner == 0 && own->winner != 0) {
    result.winner = own->winner;
    result.tie = true;
    result.loss = std::max(0.0, loss_of(contenders, own->winner));
    result.verdict = own->text + rounds_text(own->rounds);
  }
}

void ContestRun::note_close(Result& result, const ByOwnTime& own, const std::vector<int>& rounds) const {
  const std::vector<Contender>& contenders = result.contest.contenders;
  const auto add = [&](const std::vector<std::size_t>& entries) {
    result.close.insert(result.close.end(), entries.begin(), entries.end());
  };
  add(own.close);
  if (result.winner != 0) {
    add({own.winner});  // beside the gain that has to show itself again
  }
  // With those whose makespan is longer by no more than the noise: they might tie.
  const std::optional<ByOwnTime> more = by_own_time(tied_with_incumbent(contenders, rounds, true), rounds);
  if (more && more->winner != own.winner) {
    add(more->close);
    add({own.winner, more->winner});
  }
  if (own.winner != 0 &&
      loss_of(contenders, own.winner) + noise_of(contenders, own.winner) > limits_.tie_slack) {
    add({own.winner});  // its makespan might be longer than that of a tie
  }
}

/// Empty: they have too few own times.
std::optional<ContestRun::ByOwnTime> ContestRun::by_own_time(const std::vector<std::size_t>& entries,
                                                             const std::vector<int>& rounds) const {
  std::vector<std::vector<std::int64_t>> own_ns;
  for (const int round : rounds) {
    const std::vector<Times>& row = times_[static_cast<std::size_t>(round)];
    std::vector<std::int64_t> of_round(entries.size());
    std::transform(entries.begin(), entries.end(), of_round.begin(),
                   [&](std::size_t entry) { return row[entry].own_ns; });
    if (std::find(of_round.begin(), of_round.end(), 0) == of_round.end()) {
      own_ns.push_back(std::move(of_round));
    }
  }
  if (!enough(own_ns.size())) {
    return std::nullopt;
  }
  std::vector<Rank> ranks(entries.size());
  std::transform(entries.begin(), entries.end(), ranks.begin(),
                 [this](std::size_t entry) { return rank(entry); });
  const OwnTimeDecision decision =
      decide_by_own_time(ranks, own_ns, options_->tie_margin, options_->statistic);
  ByOwnTime result;
  result.winner = entries[decision.winner];
  result.rounds = own_ns.size();
  result.text = own_time_text(decision, entries);
  for (const std::size_t candidate : decision.close) {
    result.close.push_back(entries[candidate]);
  }
  return result;
}

std::string ContestRun::own_time_text(const OwnTimeDecision& own,
                                      const std::vector<std::size_t>& entries) const {
  if (own.told && own.winner == own.fastest) {
    return "makespans tie, own time " + percent(own.shorter) + " shorter ";
  }
  return (own.told ? "makespans tie, own time ties with that of " + entries_[entries[own.fastest]].name
                   : std::string("makespans and own times tie")) +
         ", and the " + (entries_[entries[own.winner]].is_default ? "default" : "lower index") + " wins ";
}

/// By how much the makespan is longer than the incumbent's, relative to it.
double ContestRun::loss_of(const std::vector<Contender>& contenders, std::size_t entry) const {
  return entry == 0 ? 0 : -contenders[entry].gain->centre_ns / contenders[0].makespan.centre_ns;
}

/// Twice the standard error of that.
double ContestRun::noise_of(const std::vector<Contender>& contenders, std::size_t entry) const {
  return entry == 0 ? 0 : 2 * contenders[entry].gain->standard_error_ns / contenders[0].makespan.centre_ns;
}

/// The makespan is longer, but it may be so by the noise alone.
bool ContestRun::ties_by_noise(const Contender& incumbent, const Contender& contender) const {
  return is_tie({.slower_by_ns = -contender.gain->centre_ns,
                 .error_ns = contender.gain->standard_error_ns,
                 .overlap = samples_overlap(contender.makespan, incumbent.makespan)},
                limits_.tie_slack * incumbent.makespan.centre_ns);
}

/// Those whose makespan is not longer by more than the slack, or by the noise; and that have own times. The
/// incumbent among them.
std::vector<std::size_t> ContestRun::tied_with_incumbent(const std::vector<Contender>& contenders,
                                                         const std::vector<int>& rounds,
                                                         bool or_by_noise) const {
  const auto timed = [&](std::size_t entry) {
    return enough(static_cast<std::size_t>(std::count_if(rounds.begin(), rounds.end(), [&](int round) {
      return times_[static_cast<std::size_t>(round)][entry].own_ns > 0;
    })));
  };
  std::vector<std::size_t> tied{0};
  for (std::size_t entry = 1; entry < contenders.size(); ++entry) {
    if (alive_[entry] && timed(entry) &&
        (loss_of(contenders, entry) <= limits_.tie_slack ||
         (or_by_noise && ties_by_noise(contenders[0], contenders[entry])))) {
      tied.push_back(entry);
    }
  }
  return tied;
}

bool ContestRun::enough(std::size_t rounds) const {
  return rounds >= static_cast<std::size_t>(std::min(min_valid_rounds, limits_.rounds));
}

std::string ContestRun::explain(const std::vector<Contender>& contenders, std::size_t winner) const {
  const double incumbent_ns = contenders[0].makespan.centre_ns;
  const std::string rounds = rounds_text(contenders[0].makespan.count);
  if (winner != 0) {
    return "makespan " + percent(contenders[winner].gain->centre_ns / incumbent_ns) + " shorter " + rounds;
  }
  if (contest_.kind == Contest::Kind::verdict) {
    const double gain = contenders[1].gain->centre_ns / contenders[1].makespan.centre_ns;
    return gain < 0 ? "makespan " + percent(-gain) + " shorter than with all defaults " + rounds
                    : "not slower than all defaults beyond the noise " + rounds;
  }
  return "no candidate gained more than " + percent(options_->finals_min_gain) + " and the noise " + rounds;
}

}  // namespace contextual::policy
