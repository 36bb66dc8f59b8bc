#pragma once

/// \file
/// Tuning runs: the `run`s of all ranks that belong together.

#include "report/format/texts.hpp"
#include "report/reading/logs.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// One tuning run, as far as its ranks wrote about it.
struct RunOfAllRanks {
  std::string id;                           ///< tuning_id, else the first rank's run_id
  bool met = false;                         ///< true if some rank wrote that all had met
  std::string_view region;                  ///< of the first rank
  std::int64_t rank_count = 1;              ///< as the ranks say, but at least as many as were found
  std::vector<const RankRun*> ranks;        ///< by rank; never empty
  std::vector<std::int64_t> absent;         ///< ranks that wrote nothing; of very many the first
  std::string_view started;                 ///< the first rank's start, ISO 8601; empty if not known
  std::optional<std::int64_t> started_s{};  ///< the same in seconds since 1970
  bool several_regions = false;  ///< true if ranks never met, because they were in different regions

  const RankRun* find(std::int64_t rank) const;
};

/// Joins the runs of `logs`, the oldest first. Runs with a tuning_id are joined by it. Runs that ended before
/// they had one are joined by region, number of ranks and a start within two minutes. Ranks that are left
/// over are joined with those of another region.
std::vector<RunOfAllRanks> join_runs(const Logs& logs);

/// Returns why there is nothing of an absent rank, e.g. "rank-2.jsonl has no run of this tuning". `logs` must
/// be those that `run` was read from.
std::string why_absent(const RunOfAllRanks& run, const Logs& logs, std::int64_t rank);

}  // namespace contextual::log_report
