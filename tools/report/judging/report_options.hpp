#pragma once

/// \file
/// The options of the report.

#include <cstddef>
#include <string>

namespace contextual::log_report {

inline constexpr std::size_t no_limit = 1'000'000'000;

/// What ReportOptions::width may be.
inline constexpr std::size_t narrowest_text = 60;
inline constexpr std::size_t widest_text = 10'000;

struct ReportOptions {
  bool all = false;      ///< details of every run, not only of the newest one of each region that measured
  std::string region{};  ///< only this one; empty for all
  std::string tuning{};  ///< only this run: its number in the overview, its id, or a part of that
  bool whole_table = false;  ///< joins no rows and leaves nothing out
  std::size_t width = 100;   ///< columns, of the text

  /// Returns how many entries of a list are shown: `usual`, unless nothing is to be left out.
  std::size_t limit(std::size_t usual) const { return whole_table ? no_limit : usual; }
};

}  // namespace contextual::log_report
