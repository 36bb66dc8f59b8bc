#include "report/judging/run_of_all_ranks.hpp"

#include <algorithm>

namespace contextual::log_report {

const RankRun* RunOfAllRanks::find(std::int64_t rank) const {
  const auto found = std::lower_bound(ranks.begin(), ranks.end(), rank,
                                      [](const RankRun* run, std::int64_t r) { return run->rank < r; });
  return found != ranks.end() && (*found)->rank == rank ? *found : nullptr;
}

}  // namespace contextual::log_report
