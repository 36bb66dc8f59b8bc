#pragma once

/// \file
/// Texts about the contests of the search, for both the text and the page.

#include "report/reading/events.hpp"

#include <string>

namespace contextual::log_report {

inline constexpr const char* search_title =
    "Search: contests in paired rounds, compared by the region's time, ties by own times";

/// Returns e.g. "gemm (4096), the others fixed, pass 1".
std::string contest_title(const Contest& contest);

/// The cells of one candidate.
struct EntryWords {
  std::string makespan;
  std::string spread;
  std::string gain;          ///< how much of the incumbent's time it saves; empty for the incumbent
  std::string gain_percent;  ///< the same as a part of the incumbent's time
  std::string role;          ///< "incumbent, chosen"
};

/// `entry` must be one of `contest`.
EntryWords entry_words(const Contest& contest, const ContestEntry& entry);

}  // namespace contextual::log_report
