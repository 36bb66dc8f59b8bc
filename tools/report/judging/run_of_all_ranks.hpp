#pragma once

/// \file
/// A tuning run: the `run`s of all ranks that belong together.

#include "report/format/ranges.hpp"
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
  std::vector<Range> absent;                ///< ranks that wrote nothing
  std::string_view started;                 ///< the first rank's start, ISO 8601; empty if not known
  std::optional<std::int64_t> started_s{};  ///< the same in seconds since 1970
  bool several_regions = false;  ///< true if ranks never met, because they were in different regions

  const RankRun* find(std::int64_t rank) const;
};

}  // namespace contextual::log_report
