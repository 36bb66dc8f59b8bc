#include "report/format/quantities.hpp"
#include "report/judging/problem_result.hpp"
#include "report/wording/iteration_table.hpp"
#include "report/wording/sections.hpp"

#include <algorithm>
#include <map>

namespace contextual::log_report {
namespace {

/// A cell before it is text.
struct Entry {
  const RankLaunch* launch = nullptr;  ///< null: no launch and none due
  std::int64_t last_step = 0;          ///< of a row of several iterations

  bool is_step() const { return launch->role == LaunchRole::warmup || launch->role == LaunchRole::repeat; }
};

struct OpenRow {
  Phase phase = Phase::walk;
  std::vector<std::int64_t> iterations;
  std::vector<Entry> entries;
  std::vector<double> makespans_ns;
};

bool same_but_step(const Entry& a, const Entry& b) {
  if (a.launch == nullptr || b.launch == nullptr) {
    return a.launch == b.launch;
  }
  return a.is_step() == b.is_step() && (a.is_step() || a.launch->role == b.launch->role) &&
         a.launch->config->id == b.launch->config->id && a.launch->status == b.launch->status;
}

/// Both are 0 or more, and as large as a damaged line says.
bool follows(std::int64_t number, std::int64_t next) {
  return next - number == 1;
}

/// `next` goes on where `row` ended.
bool continues(const OpenRow& row, const OpenRow& next) {
  const auto joins = [](const Entry& a, const Entry& b) {
    const bool steps = a.launch != nullptr && a.is_step();
    return same_but_step(a, b) && (!steps || follows(a.last_step, b.launch->step_iteration));
  };
  return row.phase == next.phase && follows(row.iterations.back(), next.iterations.front()) &&
         std::equal(row.entries.begin(), row.entries.end(), next.entries.begin(), joins);
}

std::string status_text(const RankLaunch& launch) {
  return launch.status == LaunchStatus::ok ? "" : " " + std::string(enum_text(launch.status));
}

std::string cell_text(const Entry& entry) {
  if (entry.launch == nullptr) {
    return "";
  }
  const RankLaunch& launch = *entry.launch;
  if (launch.status == LaunchStatus::not_launched) {
    return "-";
  }
  const std::string config = "config-" + std::to_string(launch.config->id);
  if (entry.is_step()) {
    return config + " (iter-" + std::to_string(launch.step_iteration) +
           (entry.last_step != launch.step_iteration ? ".." + std::to_string(entry.last_step) : "") + ")" +
           status_text(launch);
  }
  return (launch.role == LaunchRole::best      ? "best: " + config
          : launch.role == LaunchRole::lead_in ? config + " (lead-in)"
                                               : config + " (candidate)") +
         status_text(launch);
}

OpenRow row_of(const Iteration& iteration, const std::map<const ProblemName*, std::size_t>& columns) {
  OpenRow row;
  row.phase = iteration.phase;
  row.iterations = {iteration.number};
  row.entries.resize(columns.size());
  for (const Cell& cell : iteration.cells()) {
    // A rank on which something happened says more than one on which all was well.
    const auto odd = std::find_if(cell.begin(), cell.end(), [](const RankLaunch* launch) {
      return launch->status == LaunchStatus::rejected || launch->status == LaunchStatus::fallback;
    });
    const RankLaunch& launch = odd != cell.end() ? **odd : *cell.front();
    if (const auto column = columns.find(cell.problem()); column != columns.end()) {
      row.entries[column->second] = {&launch, launch.step_iteration};
    }
  }
  if (iteration.makespan_ns) {
    row.makespans_ns = {static_cast<double>(*iteration.makespan_ns)};
  }
  return row;
}

void append(OpenRow& row, const OpenRow& next) {
  row.iterations.insert(row.iterations.end(), next.iterations.begin(), next.iterations.end());
  row.makespans_ns.insert(row.makespans_ns.end(), next.makespans_ns.begin(), next.makespans_ns.end());
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    row.entries[i].last_step = next.entries[i].last_step;
  }
}

TableRow closed(const OpenRow& row) {
  TableRow result;
  result.phase = row.phase;
  result.iterations = ranges_of(row.iterations);
  result.count = row.iterations.size();
  result.makespan_ns = median_of(row.makespans_ns);
  for (const Entry& entry : row.entries) {
    result.cells.push_back(cell_text(entry));
  }
  return result;
}

Table empty_table(const RunAnalysis& analysis, std::size_t problems) {
  Table table{{{"phase"}, {"iterations", Align::left, Room::gives_way}, {"runs", Align::right}}};
  for (std::size_t i = 0; i < problems; ++i) {
    const ProblemName* const problem = analysis.view.problems[i];
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

std::vector<TableRow> rows_of(const RunView& view, Rows rows, std::size_t problems) {
  std::map<const ProblemName*, std::size_t> columns;
  for (std::size_t i = 0; i < std::min(problems, view.problems.size()); ++i) {
    columns[view.problems[i]] = i;
  }
  std::vector<OpenRow> open;
  std::map<std::vector<std::string>, std::size_t> of_search;  // rows by their cells
  for (const Iteration& iteration : view.iterations) {
    OpenRow next = row_of(iteration, columns);
    OpenRow* before =
        rows == Rows::joined && !open.empty() && continues(open.back(), next) ? &open.back() : nullptr;
    if (before == nullptr && rows == Rows::joined && next.phase == Phase::search) {
      const auto [found, is_new] = of_search.try_emplace(closed(next).cells, open.size());
      before = is_new ? nullptr : &open[found->second];
    }
    if (before != nullptr) {
      append(*before, next);
    } else {
      open.push_back(std::move(next));
    }
  }
  std::vector<TableRow> table;
  std::transform(open.begin(), open.end(), std::back_inserter(table), closed);
  return table;
}

/// Of too many rows the first two thirds and the last third are shown.
void write_iterations(Writer& out, const RunAnalysis& analysis, const ReportOptions& options) {
  const std::size_t problems = std::min(analysis.view.problems.size(), options.limit(table_columns));
  const std::vector<TableRow> rows =
      rows_of(analysis.view, options.whole_table ? Rows::all : Rows::joined, problems);
  if (rows.empty()) {
    return;
  }
  const std::size_t limit = out.limits().rows;
  const std::size_t left_out = rows.size() > limit ? rows.size() - limit : 0;
  const std::size_t front = limit - limit / 3;
  Table table = empty_table(analysis, problems);
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
  note_left_out(out, analysis.view.problems.size() - problems, "kernel or key", "kernels and keys");
}

}  // namespace contextual::log_report
