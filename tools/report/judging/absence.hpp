#pragma once

/// \file
/// Ranks of a tuning run that wrote nothing about it.

#include "report/format/ranges.hpp"
#include "report/judging/run_of_all_ranks.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::log_report {

/// Ranks that wrote nothing, for the same reason.
struct Absence {
  std::vector<Range> ranks;
  std::string why;  ///< "rank-2.jsonl has no run of this tuning"

  bool holds(std::int64_t rank) const;
  std::string text() const;  ///< "rank 2: rank-2.jsonl has no run of this tuning"
};

/// Returns every absent rank once. `logs` must be those that `run` was read from.
std::vector<Absence> absences_of(const RunOfAllRanks& run, const Logs& logs);

}  // namespace contextual::log_report
