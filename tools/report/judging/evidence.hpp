#pragma once

/// \file
/// What the ranks of one badly ended run say about each other, ready to be asked.

#include "report/judging/rank_state.hpp"
#include "report/judging/tuning_run.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace contextual::log_report {

using Ranks = std::vector<std::int64_t>;

/// `run` and `logs` must live longer.
class Evidence {
 public:
  Evidence(const TuningRun& run, const Logs& logs);

  const TuningRun& run() const { return *run_; }
  const Logs& logs() const { return *logs_; }

  /// Ranks in that state.
  const std::vector<const RankRun*>& in(RankState state) const;

  /// Failed ranks whose RunEnd `predicate` accepts.
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

  /// How many ranks blame this one.
  int blame_of(std::int64_t rank) const;

  /// Those of `candidates` that are blamed most often; all of them where none is blamed.
  Ranks most_blamed(const Ranks& candidates) const;

  /// Those of all ranks that are blamed most often; empty where none is.
  Ranks most_blamed() const;

  /// Ranks that wrote nothing, of very many the first ones.
  Ranks absent() const;

 private:
  const TuningRun* run_;
  const Logs* logs_;
  std::map<RankState, std::vector<const RankRun*>> by_state_;
  std::map<std::int64_t, int> blame_;
};

}  // namespace contextual::log_report
