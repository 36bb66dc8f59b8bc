#pragma once

/// \file
/// The iteration table as it happened, rows that are alike joined.

#include "report/format/ranges.hpp"
#include "report/judging/run_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::log_report {

struct TableRow {
  Phase phase = Phase::walk;
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

enum class Rows : std::uint8_t {
  joined,  ///< rows that are alike are one
  all,     ///< one row for each iteration
};

/// Where rows are joined, those that follow each other and differ only in the iteration of a config's steps
/// become one, and so do equal rows of the search, whose contests rotate. At most `max_problems` columns.
IterationTable table_of(const RunView& view, Rows rows, std::size_t max_problems);

}  // namespace contextual::log_report
