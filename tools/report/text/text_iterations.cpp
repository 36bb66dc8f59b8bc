#include "report/format/quantities.hpp"
#include "report/format/ranges.hpp"
#include "report/judging/iteration_table.hpp"
#include "report/text/text_sections.hpp"
#include "report/wording/run_wording.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t rows_in_text = 60;
constexpr std::size_t problems_in_table = 64;
constexpr std::size_t fixed_columns = 52;  ///< of phase, iterations, runs and the region's time

std::string iterations_text(const TableRow& row) {
  if (row.phase == Phase::final_run) {
    return "final";
  }
  return ranges_text(row.iterations, 3);
}

std::string column_title(const RunAnalysis& analysis, const ProblemName* problem) {
  return problem_label(analysis, problem) + std::string(problem->kernel);
}

/// Columns `first` to before `last`.
struct Block {
  std::size_t first;
  std::size_t last;
};

/// As many columns as have room beside the others, and at least one.
Block block_from(std::size_t first, const RunAnalysis& analysis, const IterationTable& table,
                 std::size_t width) {
  Block block{first, first};
  std::size_t used = fixed_columns;
  for (; block.last < table.problems.size(); ++block.last) {
    std::size_t widest = columns_of(column_title(analysis, table.problems[block.last]));
    for (const TableRow& row : table.rows) {
      widest = std::max(widest, columns_of(row.cells[block.last]));
    }
    used += widest + 2;
    if (block.last > first && used > width) {
      break;
    }
  }
  return block;
}

TextTable empty_table(const RunAnalysis& analysis, const IterationTable& table, const Block& block) {
  std::vector<Column> columns{{"phase"}, {"iterations", Align::left, true}, {"runs", Align::right}};
  for (std::size_t i = block.first; i < block.last; ++i) {
    columns.push_back({column_title(analysis, table.problems[i])});
  }
  columns.push_back({"region's time", Align::right});
  return TextTable(columns);
}

std::vector<std::string> cells_of(const TableRow& row, const Block& block) {
  std::vector<std::string> cells{std::string(to_string(row.phase)), iterations_text(row),
                                 std::to_string(row.count)};
  cells.insert(cells.end(), row.cells.begin() + static_cast<std::ptrdiff_t>(block.first),
               row.cells.begin() + static_cast<std::ptrdiff_t>(block.last));
  cells.push_back(row.makespan_ns > 0 ? duration_text(row.makespan_ns) : "");
  return cells;
}

/// Of more than `limit` rows the first two thirds and the last third are shown.
void write_block(TextWriter& out, const IterationTable& table, const Block& block, TextTable text,
                 std::size_t limit) {
  const std::size_t back = limit / 3;
  const std::size_t front = limit - back;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const bool left_out = table.rows.size() > limit && r >= front && r + back < table.rows.size();
    if (left_out && r == front) {
      text.add({"...", std::to_string(table.rows.size() - limit) + " rows"});
    }
    if (!left_out) {
      const TableRow& row = table.rows[r];
      text.add(cells_of(row, block), row.phase == Phase::final_run ? Colour::good : Colour::none);
    }
  }
  out.table(text, 2);
}

}  // namespace

void write_iterations(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options) {
  const IterationTable table = table_of(analysis.view, options.whole_table ? Rows::all : Rows::joined,
                                        options.limit(problems_in_table));
  if (table.rows.empty()) {
    return;
  }
  out.heading("Iteration table");
  for (Block block{0, 0}; block.last < table.problems.size();) {
    if (block.last > 0) {
      out.blank();
    }
    block = block_from(block.last, analysis, table, out.width());
    write_block(out, table, block, empty_table(analysis, table, block), options.limit(rows_in_text));
  }
  if (table.rows.size() > options.limit(rows_in_text)) {
    out.line("  Rows were left out; --whole-table shows them.");
  }
  if (table.problems_left_out > 0) {
    out.line("  " + count_text(table.problems_left_out, "kernel or key", "kernels and keys") +
             " more; --whole-table shows them.");
  }
}

}  // namespace contextual::log_report
