#include "contextual/policy/contest_run.hpp"

#include "contextual/policy/text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace contextual::policy {
namespace {

/// Fewer paired rounds than this say nothing about the noise, unless fewer were asked for.
constexpr int min_valid_rounds = 3;

/// A difference beyond this many standard errors is none of the noise, also where few rounds make these
/// errors uncertain and several candidates make large ones likely.
constexpr double unlikely_errors = 4;

std::string rounds_text(std::size_t count) {
  return "(paired, " + std::to_string(count) + (count == 1 ? " round)" : " rounds)");
}

}  // namespace

ContestRun::ContestRun(Contest contest, std::vector<Entry> entries, int rounds, const PolicyOptions& options)
    : options_(&options),
      rounds_(rounds),
      contest_(std::move(contest)),
      entries_(std::move(entries)),
      alive_(entries_.size(), true) {
  times_.emplace_back(entries_.size());
}

/// The order shifts by one every round, so that a drift cancels.
std::size_t ContestRun::entry_at(int round, std::size_t position) const {
  return (position + static_cast<std::size_t>(round)) % entries_.size();
}

std::vector<ContestRun::Trial> ContestRun::plan(std::size_t max_trials) const {
  std::vector<Trial> trials;
  if (std::count(alive_.begin(), alive_.end(), true) < 2) {
    return trials;
  }
  std::size_t position = position_;
  for (int round = round_; round < total_rounds(); ++round) {
    for (; position < entries_.size() && trials.size() < max_trials; ++position) {
      const std::size_t entry = entry_at(round, position);
      if (alive_[entry]) {
        trials.push_back({entry, round, round == 0});
      }
    }
    position = 0;
  }
  return trials;
}

std::size_t ContestRun::remaining() const {
  return plan(static_cast<std::size_t>(total_rounds()) * entries_.size()).size();
}

void ContestRun::observe(const Trial& trial, std::optional<std::int64_t> makespan_ns,
                         std::optional<std::int64_t> own_ns) {
  if (!alive_[trial.entry] || trial.round != round_ || entry_at(round_, position_) != trial.entry) {
    return;
  }
  times_.back()[trial.entry] = {std::max<std::int64_t>(0, makespan_ns.value_or(0)),
                                std::max<std::int64_t>(0, own_ns.value_or(0))};
  ++position_;
  skip_dropped();
}

void ContestRun::drop(std::size_t entry) {
  alive_[entry] = false;
  skip_dropped();
}

/// Afterwards the next place is that of an entry that is still in.
void ContestRun::skip_dropped() {
  while (position_ < entries_.size() && !alive_[entry_at(round_, position_)]) {
    ++position_;
  }
  if (position_ == entries_.size()) {
    ++round_;
    position_ = 0;
    times_.emplace_back(entries_.size());
    if (std::count(alive_.begin(), alive_.end(), true) > 0) {
      skip_dropped();
    }
  }
}

int ContestRun::rounds_begun() const {
  return round_ + (position_ > 0 ? 1 : 0);
}

int ContestRun::rounds_retaken() const {
  return std::max(0, rounds_begun() - 1 - rounds_);
}

/// Every entry that is still in has a makespan.
bool ContestRun::valid(int round) const {
  const std::vector<Times>& row = times_[static_cast<std::size_t>(round)];
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    if (alive_[entry] && row[entry].makespan_ns == 0) {
      return false;
    }
  }
  return true;
}

int ContestRun::total_rounds() const {
  const int invalid = std::max(0, round_ - 1) - static_cast<int>(valid_rounds().size());
  return 1 + rounds_ + std::min(invalid, rounds_);
}

/// Of the rounds that are over; round 0 is the warm-up and never counts.
std::vector<int> ContestRun::valid_rounds() const {
  std::vector<int> rounds;
  for (int round = 1; round < round_; ++round) {
    if (valid(round)) {
      rounds.push_back(round);
    }
  }
  return rounds;
}

ContestRun::Result ContestRun::decide() const {
  const std::vector<int> rounds = valid_rounds();
  Result result{contest_, 0, {}, false, {}};
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    result.contest.contenders.push_back(measure(entry, rounds));
  }
  std::vector<Contender>& contenders = result.contest.contenders;
  if (std::count(alive_.begin(), alive_.end(), true) < 2) {
    result.verdict = "every other candidate was rejected";
  } else if (!enough(rounds.size())) {
    result.verdict = "not enough valid rounds";
  } else {
    result.winner = winner_of(contenders);
    result.verdict = explain(contenders, result.winner);
    const bool one_problem = contest_.kind == Contest::Kind::problem;
    if (one_problem && result.winner == 0) {
      settle_tie(result, rounds);
    } else if (one_problem &&
               is_close(result.winner, contenders[result.winner], contenders[0].makespan.centre_ns)) {
      result.close = {0, result.winner};
    }
  }
  contenders[result.winner].chosen = true;
  result.contest.reason =
      (result.winner == 0 ? "kept " + entries_[0].name
                          : entries_[result.winner].name + " replaces " + entries_[0].name) +
      ": " + result.verdict;
  return result;
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

/// A change must gain more than the noise and the minimum gain. Only whole defaults replace a whole set as
/// soon as that is slower beyond the noise: the guard that tuning does not end slower than it began.
bool ContestRun::eligible(std::size_t entry, const Contender& contender, double incumbent_ns) const {
  return alive_[entry] && contender.gain->centre_ns > std::max(required_gain_ns(entry, incumbent_ns),
                                                               2 * contender.gain->standard_error_ns);
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

/// The largest gain; within the noise of it the default wins, then the lowest index.
std::size_t ContestRun::winner_of(const std::vector<Contender>& contenders) const {
  const double incumbent_ns = contenders[0].makespan.centre_ns;
  std::size_t best = 0;
  for (std::size_t entry = 1; entry < contenders.size(); ++entry) {
    if (eligible(entry, contenders[entry], incumbent_ns) &&
        (best == 0 || contenders[entry].gain->centre_ns > contenders[best].gain->centre_ns)) {
      best = entry;
    }
  }
  std::size_t winner = best;
  for (std::size_t entry = 1; best != 0 && entry < contenders.size(); ++entry) {
    const Summary& gain = *contenders[entry].gain;
    const Summary& most = *contenders[best].gain;
    const double noise_ns = std::max(options_->tie_margin * incumbent_ns,
                                     2 * std::hypot(gain.standard_error_ns, most.standard_error_ns));
    if (eligible(entry, contenders[entry], incumbent_ns) && most.centre_ns - gain.centre_ns <= noise_ns &&
        rank(entry) < rank(winner)) {
      winner = entry;
    }
  }
  return winner;
}

/// The walk's rule again: the shortest own time, within the noise of it the default, then the lowest index.
/// The walk takes a config's samples in a row and beside whatever its neighbours tried then, so it can take a
/// drift of the device or another neighbour for a difference. Here candidates took turns in the context that
/// stays.
void ContestRun::settle_tie(Result& result, const std::vector<int>& rounds) const {
  std::vector<std::size_t> tied = tied_with_incumbent(result.contest.contenders);
  std::vector<int> timed;
  std::copy_if(rounds.begin(), rounds.end(), std::back_inserter(timed), [&](int round) {
    const std::vector<Times>& row = times_[static_cast<std::size_t>(round)];
    return std::all_of(tied.begin(), tied.end(), [&](std::size_t entry) { return row[entry].own_ns > 0; });
  });
  if (tied.size() < 2 || !enough(timed.size())) {
    return;
  }
  std::sort(tied.begin(), tied.end(), [this](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  const std::size_t fastest = *std::min_element(tied.begin(), tied.end(), [&](std::size_t a, std::size_t b) {
    return own_time(a, timed).centre_ns < own_time(b, timed).centre_ns;
  });
  const double margin_ns = options_->tie_margin * own_time(fastest, timed).centre_ns;
  std::size_t winner = fastest;
  std::vector<std::size_t>& close = result.close;
  for (const std::size_t entry : tied) {
    if (entry == fastest) {
      break;  // those of a higher rank are not faster
    }
    const Summary over = own_time_over(entry, fastest, timed);
    const double noise_ns = 2 * over.standard_error_ns;
    if (over.centre_ns - unlikely_errors * over.standard_error_ns > margin_ns) {
      continue;  // slower, and no noise of that size changes it
    }
    if (winner == fastest && over.centre_ns <= std::max(margin_ns, noise_ns)) {
      winner = entry;
      if (close.empty() && over.centre_ns + noise_ns <= margin_ns) {
        break;  // a tie, and no noise of that size changes it
      }
    }
    close.push_back(entry);
  }
  if (!close.empty()) {
    close.push_back(fastest);
    std::erase(close, std::size_t{0});
    close.insert(close.begin(), 0);
  }
  if (winner == 0) {
    return;
  }
  const Summary shorter = own_time_over(0, winner, timed);
  const bool told = shorter.centre_ns > std::max(margin_ns, 2 * shorter.standard_error_ns);
  result.winner = winner;
  result.tie = true;
  result.verdict = told ? "makespans tie, own time " +
                              percent(shorter.centre_ns / own_time(0, timed).centre_ns) + " shorter "
                        : "makespans and own times tie, and " +
                              std::string(entries_[winner].is_default ? "the default" : "the lower index") +
                              " wins ";
  result.verdict += rounds_text(timed.size());
}

bool ContestRun::enough(std::size_t rounds) const {
  return rounds >= static_cast<std::size_t>(std::min(min_valid_rounds, rounds_));
}

/// By makespan, beyond noise neither shorter nor longer; the incumbent among them.
std::vector<std::size_t> ContestRun::tied_with_incumbent(const std::vector<Contender>& contenders) const {
  std::vector<std::size_t> tied{0};
  for (std::size_t entry = 1; entry < contenders.size(); ++entry) {
    const Summary& gain = *contenders[entry].gain;
    const double noise_ns =
        std::max(options_->tie_margin * contenders[0].makespan.centre_ns, 2 * gain.standard_error_ns);
    if (alive_[entry] && -gain.centre_ns <= noise_ns) {
      tied.push_back(entry);
    }
  }
  return tied;
}

Summary ContestRun::own_time(std::size_t entry, const std::vector<int>& rounds) const {
  std::vector<std::int64_t> own;
  std::transform(rounds.begin(), rounds.end(), std::back_inserter(own),
                 [&](int round) { return times_[static_cast<std::size_t>(round)][entry].own_ns; });
  return summarize(own, options_->statistic);
}

/// Of the paired differences.
Summary ContestRun::own_time_over(std::size_t entry, std::size_t other,
                                  const std::vector<int>& rounds) const {
  std::vector<std::int64_t> differences;
  std::transform(rounds.begin(), rounds.end(), std::back_inserter(differences), [&](int round) {
    const std::vector<Times>& row = times_[static_cast<std::size_t>(round)];
    return row[entry].own_ns - row[other].own_ns;
  });
  return summarize(differences, options_->statistic);
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
