#pragma once

/// \file
/// What the ranks of a run that ended badly say about each other.

#include "report/judging/rank_state.hpp"
#include "report/judging/run_of_all_ranks.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace contextual::log_report {

using Ranks = std::vector<std::int64_t>;

/// `run` and `logs` must outlive the object.
class Evidence {
 public:
  Evidence(const RunOfAllRanks& run, const Logs& logs);

  const RunOfAllRanks& run() const { return *run_; }
  const Logs& logs() const { return *logs_; }

  /// Returns the ranks in that state.
  const std::vector<const RankRun*>& in(RankState state) const;

  /// Returns the failed ranks whose RunEnd `predicate` accepts.
  template <typename Predicate>
  std::vector<const RankRun*> failed_with(const Predicate& predicate) const {
    std::vector<const RankRun*> ranks;
    for (const RankRun* rank : in(RankState::failed)) {
      if (predicate(*rank->end)) {
        ranks.push_back(rank);
      }
    }
    return ranks;
  }

  /// Returns the number of ranks that blame this one.
  int blame_of(std::int64_t rank) const;

  /// Returns those of `candidates` that are blamed most often, or all of them if none is blamed.
  Ranks most_blamed(const Ranks& candidates) const;

  /// Returns the ranks that are blamed most often, or nothing if none is blamed.
  Ranks most_blamed() const;

  /// Returns the ranks that wrote nothing; if there are very many, only the first ones.
  Ranks absent() const;

 private:
  const RunOfAllRanks* run_;
  const Logs* logs_;
  std::map<RankState, std::vector<const RankRun*>> by_state_;
  std::map<std::int64_t, int> blame_;
};

}  // namespace contextual::log_report
