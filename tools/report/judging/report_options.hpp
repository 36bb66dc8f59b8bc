#pragma once

/// \file
/// What a user asks of the report.

#include <cstddef>
#include <string>

namespace contextual::log_report {

struct ReportOptions {
  bool all = false;          ///< details of every run, not only of the newest one of each region
  std::string region{};      ///< only this one; empty: all
  std::string tuning{};      ///< only this run: its number in the overview, its id, or a part of that
  bool whole_table = false;  ///< nothing joined, nothing left out
  std::size_t width = 100;   ///< columns, of the text
  bool colour = false;       ///< of the text

  /// How many entries of a list are shown: `usual`, unless nothing is to be left out.
  std::size_t limit(std::size_t usual) const { return whole_table ? 1'000'000'000 : usual; }
};

}  // namespace contextual::log_report
