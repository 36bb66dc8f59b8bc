#include "report/format/quantities.hpp"
#include "report/format/ranges.hpp"
#include "report/html/html_blocks.hpp"
#include "report/html/html_sections.hpp"
#include "report/html/html_table.hpp"
#include "report/judging/iteration_table.hpp"

namespace contextual::log_report {
namespace {

constexpr std::size_t rows_on_page = 1'000;
constexpr std::size_t columns_on_page = 32;
constexpr std::size_t ranges_in_cell = 8;

HtmlTable empty_table(const IterationTable& table) {
  std::vector<HtmlTable::Heading> headings{{"Phase"}, {"Iterations"}, {"Runs", Cells::number}};
  for (const ProblemName* problem : table.problems) {
    headings.push_back({name_of(*problem)});
  }
  headings.push_back({"Region's time", Cells::number});
  return HtmlTable(std::move(headings));
}

void add_row(HtmlTable& markup, const TableRow& row) {
  const bool final_run = row.phase == Phase::final_run;
  std::vector<std::string> cells{std::string(to_string(row.phase)),
                                 final_run ? "final" : ranges_text(row.iterations, ranges_in_cell),
                                 std::to_string(row.count)};
  cells.insert(cells.end(), row.cells.begin(), row.cells.end());
  cells.push_back(row.makespan_ns > 0 ? duration_text(row.makespan_ns) : "");
  markup.add(cells, final_run ? "chosen" : "");
}

}  // namespace

std::string iterations_markup(const RunAnalysis& analysis, const ReportOptions& options) {
  const IterationTable table =
      table_of(analysis.view, options.whole_table ? Rows::all : Rows::joined, options.limit(columns_on_page));
  if (table.rows.empty()) {
    return "";
  }
  HtmlTable markup = empty_table(table);
  const std::size_t limit = options.limit(rows_on_page);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const bool left_out = table.rows.size() > limit && r >= limit / 2 && r + limit / 2 < table.rows.size();
    if (!left_out) {
      add_row(markup, table.rows[r]);
    }
  }
  std::string notes;
  if (table.rows.size() > limit) {
    notes += left_out_note(table.rows.size() - limit, "row");
  }
  if (table.problems_left_out > 0) {
    notes += left_out_note(table.problems_left_out, "kernel or key");
  }
  return folded("Iteration table: " + count_text(analysis.view.iterations.size(), "iteration"),
                markup.markup() + notes, Fold::closed);
}

}  // namespace contextual::log_report
