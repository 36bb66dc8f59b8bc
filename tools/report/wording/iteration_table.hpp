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
  std::vector<std::string> cells;  ///< of each problem, "config-0 (iter-0..7)"; empty if not seen yet
  double makespan_ns = 0;          ///< the median of the agreed makespans; 0 if unknown
};

enum class Rows : std::uint8_t {
  joined,  ///< similar rows become one
  all,     ///< one row for each iteration
};

/// Returns the rows of the table, with a cell for each of the first `problems` of the view. `Rows::joined`
/// joins successive rows that differ only in the iteration of a config's steps. It also joins equal rows of
/// the search that do not follow each other, because the search comes back to an assignment.
std::vector<TableRow> rows_of(const RunView& view, Rows rows, std::size_t problems);

}  // namespace contextual::log_report
