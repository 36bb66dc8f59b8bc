#include "iteration_table.hpp"

#include <algorithm>
#include <map>

namespace contextual::log_report {
namespace {

/// A cell before it is text.
struct Entry {
  const Launch* launch = nullptr;  ///< null: no launch and none due
  std::int64_t last_step = 0;      ///< of a row of several iterations

  bool is_step() const { return launch->role == Role::warmup || launch->role == Role::repeat; }
};

struct OpenRow {
  std::string_view phase;
  std::vector<std::int64_t> iterations;
  std::vector<Entry> entries;
  std::vector<double> makespans_ns;
};

bool same_but_step(const Entry& a, const Entry& b) {
  if (a.launch == nullptr || b.launch == nullptr) {
    return a.launch == b.launch;
  }
  return a.is_step() == b.is_step() && (a.is_step() || a.launch->role == b.launch->role) &&
         a.launch->config.id == b.launch->config.id && a.launch->status == b.launch->status;
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

std::string status_text(const Launch& launch) {
  return launch.status == "ok" || launch.status.empty() ? "" : " " + std::string(launch.status);
}

std::string cell_text(const Entry& entry) {
  if (entry.launch == nullptr) {
    return "";
  }
  const Launch& launch = *entry.launch;
  if (launch.status == "not launched") {
    return "-";
  }
  const std::string config = "config-" + std::to_string(launch.config.id);
  switch (launch.role) {
    case Role::warmup:
    case Role::repeat: {
      std::string steps = " (iter-" + std::to_string(launch.step_iteration);
      if (entry.last_step != launch.step_iteration) {
        steps += ".." + std::to_string(entry.last_step);
      }
      return config + steps + ")" + status_text(launch);
    }
    case Role::candidate:
      return config + " (candidate)" + status_text(launch);
    case Role::best:
      return "best: " + config + status_text(launch);
    case Role::other:
      break;
  }
  return config + status_text(launch);
}

OpenRow row_of(const Iteration& iteration, const std::map<const ProblemName*, std::size_t>& columns) {
  OpenRow row;
  row.phase = iteration.phase;
  row.iterations = {iteration.number};
  row.entries.resize(columns.size());
  for (const Cell& cell : iteration.cells) {
    // A rank on which something happened says more than one on which all was well.
    const auto odd = std::find_if(cell.ranks.begin(), cell.ranks.end(), [](const RankLaunch& rank) {
      return rank.launch->status == "rejected" || rank.launch->status == "fallback";
    });
    const Launch& launch = odd != cell.ranks.end() ? *odd->launch : cell.first();
    if (const auto column = columns.find(cell.problem); column != columns.end()) {
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

}  // namespace

IterationTable table_of(const RunView& view, bool joined, std::size_t max_problems) {
  IterationTable table;
  table.problems = view.problems;
  table.problems.resize(std::min(view.problems.size(), max_problems));
  table.problems_left_out = view.problems.size() - table.problems.size();
  std::map<const ProblemName*, std::size_t> columns;
  for (std::size_t i = 0; i < table.problems.size(); ++i) {
    columns[table.problems[i]] = i;
  }
  std::vector<OpenRow> rows;
  std::map<std::vector<std::string>, std::size_t> finals;  // rows by their cells
  for (const Iteration& iteration : view.iterations) {
    OpenRow next = row_of(iteration, columns);
    if (joined && !rows.empty() && continues(rows.back(), next)) {
      append(rows.back(), next);
      continue;
    }
    if (joined && iteration.phase == "finals") {
      const auto [found, is_new] = finals.try_emplace(closed(next).cells, rows.size());
      if (!is_new) {
        append(rows[found->second], next);
        continue;
      }
    }
    rows.push_back(std::move(next));
  }
  for (const OpenRow& row : rows) {
    table.rows.push_back(closed(row));
  }
  return table;
}

}  // namespace contextual::log_report
