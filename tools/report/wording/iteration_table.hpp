#pragma once

/// \file
/// The iteration table as it happened, with similar rows joined.

#include "report/format/quantities.hpp"
#include "report/judging/run_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::log_report {

struct TableRow {
  Phase phase = Phase::walk;
  std::vector<Range> iterations;   ///< in their order
  std::size_t count = 0;           ///< the number of iterations
  std::vector<std::string> cells;  ///< one per problem, "config-0 (iter-0..7)"; empty if not seen yet
  double makespan_ns = 0;          ///< the median of the agreed makespans; 0 if unknown
};

struct IterationTable {
  std::vector<const ProblemName*> problems;  ///< the columns
  std::size_t problems_left_out = 0;
  std::vector<TableRow> rows;
};

enum class Rows : std::uint8_t {
  joined,  ///< similar rows become one
  all,     ///< one row for each iteration
};

/// Makes the table, with at most `max_problems` columns. `Rows::joined` joins successive rows that differ
/// only in the iteration of a config's steps. It also joins equal rows of the search that do not follow each
/// other, because the search comes back to an assignment.
IterationTable table_of(const RunView& view, Rows rows, std::size_t max_problems);

}  // namespace contextual::log_report
