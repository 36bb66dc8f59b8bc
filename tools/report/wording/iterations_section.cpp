#include "report/wording/sections.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace contextual::log_report {
namespace {

/// A cell of the table.
struct Entry {
  std::string what{};                  ///< empty: no launch and none due
  std::optional<std::int64_t> step{};  ///< the first one, in the walk
  std::int64_t last_step = 0;          ///< of a row of several iterations
  std::string status{};                ///< unless all is well

  std::string text() const {
    const std::string last = step != last_step ? ".." + std::to_string(last_step) : "";
    return what + (step ? " (iter-" + std::to_string(*step) + last + ")" : "") + status;
  }
};

struct Row {
  Phase phase = Phase::walk;
  std::vector<std::int64_t> iterations;
  std::vector<Entry> entries;
  std::vector<double> makespans_ns;
};

Entry entry_of(const RankLaunch& launch) {
  if (launch.status == LaunchStatus::not_launched) {
    return {.what = "-"};
  }
  const std::string config = "config-" + std::to_string(launch.config->id);
  const std::string status =
      launch.status == LaunchStatus::ok ? "" : " " + std::string(enum_text(launch.status));
  switch (launch.role) {
    case LaunchRole::best:
      return {.what = "best: " + config, .status = status};
    case LaunchRole::lead_in:
      return {.what = config + " (lead-in)", .status = status};
    case LaunchRole::candidate:
      return {.what = config + " (candidate)", .status = status};
    default:
      return {.what = config,
              .step = launch.step_iteration,
              .last_step = launch.step_iteration,
              .status = status};
  }
}

Row row_of(const Iteration& iteration, const std::map<const ProblemName*, std::size_t>& columns) {
  Row row{iteration.phase, {iteration.number}, std::vector<Entry>(columns.size()), {}};
  for (const Cell& cell : iteration.cells()) {
    // A rank on which something happened says more than one on which all was well.
    const auto odd = std::find_if(cell.begin(), cell.end(), [](const RankLaunch* launch) {
      return launch->status == LaunchStatus::rejected || launch->status == LaunchStatus::fallback;
    });
    if (const auto column = columns.find(cell.problem()); column != columns.end()) {
      row.entries[column->second] = entry_of(odd != cell.end() ? **odd : *cell.front());
    }
  }
  if (iteration.makespan_ns) {
    row.makespans_ns = {static_cast<double>(*iteration.makespan_ns)};
  }
  return row;
}

/// Both are 0 or more, and as large as a damaged line says.
bool follows(std::int64_t number, std::int64_t next) {
  return next - number == 1;
}

/// `next` goes on where `row` ended.
bool continues(const Row& row, const Row& next) {
  const auto joins = [](const Entry& a, const Entry& b) {
    return a.what == b.what && a.status == b.status && a.step.has_value() == b.step.has_value() &&
           (!a.step || follows(a.last_step, *b.step));
  };
  return row.phase == next.phase && follows(row.iterations.back(), next.iterations.front()) &&
         std::equal(row.entries.begin(), row.entries.end(), next.entries.begin(), joins);
}

void append(Row& row, const Row& next) {
  row.iterations.insert(row.iterations.end(), next.iterations.begin(), next.iterations.end());
  row.makespans_ns.insert(row.makespans_ns.end(), next.makespans_ns.begin(), next.makespans_ns.end());
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    row.entries[i].last_step = next.entries[i].last_step;
  }
}

std::vector<std::string> texts_of(const std::vector<Entry>& entries) {
  std::vector<std::string> texts;
  std::transform(entries.begin(), entries.end(), std::back_inserter(texts),
                 [](const Entry& entry) { return entry.text(); });
  return texts;
}

std::vector<Row> rows_of(const RunView& view, Rows rows, std::size_t problems) {
  std::map<const ProblemName*, std::size_t> columns;
  for (std::size_t i = 0; i < problems; ++i) {
    columns[view.problems[i]] = i;
  }
  std::vector<Row> table;
  std::map<std::vector<std::string>, std::size_t> of_search;  // rows by their cells
  for (const Iteration& iteration : view.iterations) {
    Row next = row_of(iteration, columns);
    Row* before =
        rows == Rows::joined && !table.empty() && continues(table.back(), next) ? &table.back() : nullptr;
    if (before == nullptr && rows == Rows::joined && next.phase == Phase::search) {
      const auto [found, is_new] = of_search.try_emplace(texts_of(next.entries), table.size());
      before = is_new ? nullptr : &table[found->second];
    }
    before != nullptr ? append(*before, next) : table.push_back(std::move(next));
  }
  return table;
}

}  // namespace

Table iteration_table(const RunAnalysis& analysis, Rows rows, std::size_t problems) {
  Table table{{{"phase"}, {"iterations", Align::left, Room::gives_way}, {"runs", Align::right}}};
  for (std::size_t i = 0; i < problems; ++i) {
    const ProblemName* const problem = analysis.view.problems[i];
    table.columns.push_back(
        {problem_label(analysis, problem) + std::string(problem->kernel), Align::left, Room::by_blocks});
  }
  table.columns.push_back({"region's time", Align::right});
  for (const Row& row : rows_of(analysis.view, rows, problems)) {
    const bool is_final = row.phase == Phase::final_run;
    std::vector<std::string> cells{std::string(to_string(row.phase)),
                                   is_final ? "final" : ranges_text(ranges_of(row.iterations), 3),
                                   std::to_string(row.iterations.size())};
    for (std::string& text : texts_of(row.entries)) {
      cells.push_back(std::move(text));
    }
    const double makespan_ns = median_of(row.makespans_ns);
    cells.push_back(makespan_ns > 0 ? duration_text(makespan_ns) : "");
    table.add(std::move(cells), is_final ? Tone::good : Tone::none);
  }
  return table;
}

/// Of too many rows the first two thirds and the last third are shown.
void write_iterations(Writer& out, const RunAnalysis& analysis, const ReportOptions& options) {
  const std::size_t problems = std::min(analysis.view.problems.size(), options.limit(table_columns));
  Table table = iteration_table(analysis, options.whole_table ? Rows::all : Rows::joined, problems);
  if (table.rows.empty()) {
    return;
  }
  const std::size_t limit = out.limits().rows;
  const std::size_t left_out = table.rows.size() > limit ? table.rows.size() - limit : 0;
  if (left_out > 0) {
    const auto first = table.rows.begin() + static_cast<std::ptrdiff_t>(limit - limit / 3);
    table.rows.erase(first + 1, first + static_cast<std::ptrdiff_t>(left_out));
    first->cells.assign(table.columns.size(), "");
    first->cells[0] = "...";
    first->cells[1] = std::to_string(left_out) + " rows";
  }
  out.heading("Iteration table");
  out.table(table, count_text(analysis.view.iterations.size(), "iteration"));
  note_left_out(out, left_out, "row");
  note_left_out(out, analysis.view.problems.size() - problems, "kernel or key", "kernels and keys");
}

}  // namespace contextual::log_report
