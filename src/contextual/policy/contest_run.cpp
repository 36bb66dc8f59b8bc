#include "contextual/policy/contest_run.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {
ContestRun::ContestRun(Contest contest, std::vector<Entry> entries, Limits limits,
                       const PolicyOptions& options)
    : options_(&options),
      limits_(limits),
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
  return std::max(0, rounds_begun() - 1 - limits_.rounds);
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
  return 1 + limits_.rounds + std::min(invalid, limits_.rounds);
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

}  // namespace contextual::policy
