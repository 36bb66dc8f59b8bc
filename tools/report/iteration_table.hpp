#pragma once

/// \file
/// The iteration table as it happened, rows that are alike joined.

#include "run_view.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

struct TableRow {
  std::string_view phase;
  std::vector<Range> iterations;   ///< in their order
  std::size_t count = 0;           ///< iterations
  std::vector<std::string> cells;  ///< one a problem, "config-0 (iter-0..7)"; empty: not seen yet
  double makespan_ns = 0;          ///< median of the agreed ones; 0: unknown
};

struct IterationTable {
  std::vector<const ProblemName*> problems;  ///< the columns
  std::size_t problems_left_out = 0;
  std::vector<TableRow> rows;
};

/// With `joined`, rows that follow each other and differ only in the iteration of a config's steps become
/// one, and so do equal rows of the finals, which rotate. Without, one row an iteration. At most
/// `max_problems` columns.
IterationTable table_of(const RunView& view, bool joined, std::size_t max_problems);

}  // namespace contextual::log_report
