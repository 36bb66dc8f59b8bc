#include "report/format/quantities.hpp"
#include "report/format/ranges.hpp"
#include "report/judging/iteration_table.hpp"
#include "report/wording/run_wording.hpp"
#include "report/wording/sections.hpp"

namespace contextual::log_report {
namespace {

Table empty_table(const RunAnalysis& analysis, const IterationTable& iterations) {
  Table table{{{"phase"}, {"iterations", Align::left, Room::gives_way}, {"runs", Align::right}}};
  for (const ProblemName* problem : iterations.problems) {
    table.columns.push_back(
        {problem_label(analysis, problem) + std::string(problem->kernel), Align::left, Room::by_blocks});
  }
  table.columns.push_back({"region's time", Align::right});
  return table;
}

void add_row(Table& table, const TableRow& row) {
  const bool is_final = row.phase == Phase::final_run;
  std::vector<std::string> cells{std::string(to_string(row.phase)),
                                 is_final ? "final" : ranges_text(row.iterations, 3),
                                 std::to_string(row.count)};
  cells.insert(cells.end(), row.cells.begin(), row.cells.end());
  cells.push_back(row.makespan_ns > 0 ? duration_text(row.makespan_ns) : "");
  table.add(std::move(cells), is_final ? Tone::good : Tone::none);
}

}  // namespace

/// Of too many rows the first two thirds and the last third are shown.
void write_iterations(Writer& out, const RunAnalysis& analysis, const ReportOptions& options) {
  const IterationTable iterations =
      table_of(analysis.view, options.whole_table ? Rows::all : Rows::joined, out.limits().columns);
  const std::vector<TableRow>& rows = iterations.rows;
  if (rows.empty()) {
    return;
  }
  const std::size_t limit = out.limits().rows;
  const std::size_t left_out = rows.size() > limit ? rows.size() - limit : 0;
  const std::size_t front = limit - limit / 3;
  Table table = empty_table(analysis, iterations);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (left_out > 0 && r == front) {
      table.add({"...", std::to_string(left_out) + " rows"});
      r += left_out;
    }
    add_row(table, rows[r]);
  }
  out.heading("Iteration table");
  out.table(table, count_text(analysis.view.iterations.size(), "iteration"));
  note_left_out(out, left_out, "row");
  note_left_out(out, iterations.problems_left_out, "kernel or key", "kernels and keys");
}

}  // namespace contextual::log_report
