#include "report/judging/evidence.hpp"

#include "report/format/ranges.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace contextual::log_report {
namespace {

/// Absent ranks that are listed one by one.
constexpr std::int64_t max_listed = 10'000;

}  // namespace

Evidence::Evidence(const RunOfAllRanks& run, const Logs& logs) : run_(&run), logs_(&logs) {
  for (const RankRun* rank : run.ranks) {
    by_state_[state_of(*rank)].push_back(rank);
    if (rank->end && !rank->end->ok()) {
      const std::set<std::int64_t> blamed(rank->end->blamed_ranks.begin(), rank->end->blamed_ranks.end());
      for (const std::int64_t other : blamed) {
        ++blame_[other];
      }
    }
  }
}

const std::vector<const RankRun*>& Evidence::in(RankState state) const {
  static const std::vector<const RankRun*> none;
  const auto found = by_state_.find(state);
  return found == by_state_.end() ? none : found->second;
}

int Evidence::blame_of(std::int64_t rank) const {
  const auto found = blame_.find(rank);
  return found == blame_.end() ? 0 : found->second;
}

Ranks Evidence::most_blamed(const Ranks& candidates) const {
  int most = 0;
  for (const std::int64_t rank : candidates) {
    most = std::max(most, blame_of(rank));
  }
  Ranks result;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(result),
               [&](std::int64_t rank) { return blame_of(rank) == most; });
  return result;
}

Ranks Evidence::most_blamed() const {
  Ranks ranks;
  for (const auto& [rank, count] : blame_) {
    ranks.push_back(rank);
  }
  return most_blamed(ranks);
}

Ranks Evidence::absent() const {
  Ranks ranks;
  for (const Range& range : run_->absent) {
    for (std::int64_t rank = range.first; rank <= range.last; ++rank) {
      if (static_cast<std::int64_t>(ranks.size()) == max_listed) {
        return ranks;
      }
      ranks.push_back(rank);
    }
  }
  return ranks;
}

}  // namespace contextual::log_report
