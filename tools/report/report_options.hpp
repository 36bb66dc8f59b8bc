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
};

}  // namespace contextual::log_report
