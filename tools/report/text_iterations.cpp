#include "iteration_table.hpp"
#include "text_details.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t rows_in_text = 60;
constexpr std::size_t problems_in_text = 64;
constexpr std::size_t cell_columns = 22;  ///< "config-0 (iter-0..7)" and a little

std::string iterations_text(const TableRow& row) {
  if (row.phase == "final") {
    return "final";
  }
  return ranges_text(row.iterations, 3);
}

std::string column_title(const RunAnalysis& analysis, const ProblemName* problem) {
  const std::string label = problem_label(analysis, problem);
  return label.empty() ? name_of(*problem) : label + std::string(problem->kernel);
}

/// One block of columns, `first` to before `last`.
void write_block(TextWriter& out, const RunAnalysis& analysis, const IterationTable& table, std::size_t first,
                 std::size_t last, std::size_t row_limit) {
  std::vector<Column> columns{{"phase"}, {"iterations", false, 10}, {"runs", true}};
  for (std::size_t i = first; i < last; ++i) {
    columns.push_back({column_title(analysis, table.problems[i]), false, 12});
  }
  columns.push_back({"region", true});
  TextTable text(columns);
  const std::size_t front = row_limit - row_limit / 3;
  const std::size_t back = row_limit - front;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (table.rows.size() > row_limit && r >= front && r + back < table.rows.size()) {
      if (r == front) {
        text.add({"...", std::to_string(table.rows.size() - row_limit) + " rows"});
      }
      continue;
    }
    const TableRow& row = table.rows[r];
    std::vector<std::string> cells{std::string(row.phase), iterations_text(row), std::to_string(row.count)};
    cells.insert(cells.end(), row.cells.begin() + static_cast<std::ptrdiff_t>(first),
                 row.cells.begin() + static_cast<std::ptrdiff_t>(last));
    cells.push_back(row.makespan_ns > 0 ? duration_text(row.makespan_ns) : "");
    text.add(std::move(cells), row.phase == "final" ? Colour::good : Colour::none);
  }
  out.table(text, 2);
}

}  // namespace

void write_table(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options) {
  constexpr std::size_t no_limit = 1'000'000'000;
  const IterationTable table =
      table_of(analysis.view, !options.whole_table, options.whole_table ? no_limit : problems_in_text);
  if (table.rows.empty()) {
    return;
  }
  out.heading("Iteration table");
  const std::size_t fixed = 44;
  const std::size_t in_block =
      std::max<std::size_t>(1, (std::max(out.width(), fixed) - fixed) / cell_columns);
  const std::size_t row_limit = options.whole_table ? no_limit : rows_in_text;
  for (std::size_t first = 0; first < table.problems.size(); first += in_block) {
    if (first > 0) {
      out.blank();
    }
    write_block(out, analysis, table, first, std::min(first + in_block, table.problems.size()), row_limit);
  }
  if (!options.whole_table && table.rows.size() > rows_in_text) {
    out.line("  Rows were left out; --whole-table shows them.");
  }
  if (table.problems_left_out > 0) {
    out.line("  " + count_text(table.problems_left_out, "kernel or key", "kernels and keys") +
             " more; --whole-table shows them.");
  }
}

}  // namespace contextual::log_report
