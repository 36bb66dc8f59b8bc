#include "report/judging/iteration_table.hpp"

#include "report/format/ranges.hpp"
#include "report/judging/statistics.hpp"

#include <algorithm>
#include <map>

namespace contextual::log_report {
namespace {

/// A cell before it is text.
struct Entry {
  const Launch* launch = nullptr;  ///< null: no launch and none due
  std::int64_t last_step = 0;      ///< of a row of several iterations

  bool is_step() const { return launch->role == LaunchRole::warmup || launch->role == LaunchRole::repeat; }
};

/// 0 where the config was fixed, and in a line that does not say.
std::int64_t step_of(const Launch& launch) {
  return launch.step_iteration.value_or(0);
}

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
    return same_but_step(a, b) && (!steps || follows(a.last_step, step_of(*b.launch)));
  };
  return row.phase == next.phase && follows(row.iterations.back(), next.iterations.front()) &&
         std::equal(row.entries.begin(), row.entries.end(), next.entries.begin(), joins);
}

std::string status_text(const Launch& launch) {
  return launch.status == LaunchStatus::ok ? "" : " " + std::string(enum_text(launch.status));
}

std::string cell_text(const Entry& entry) {
  if (entry.launch == nullptr) {
    return "";
  }
  const Launch& launch = *entry.launch;
  if (launch.status == LaunchStatus::not_launched) {
    return "-";
  }
  const std::string config = "config-" + std::to_string(launch.config.id);
  switch (launch.role) {
    case LaunchRole::warmup:
    case LaunchRole::repeat: {
      std::string steps = " (iter-" + std::to_string(step_of(launch));
      if (entry.last_step != step_of(launch)) {
        steps += ".." + std::to_string(entry.last_step);
      }
      return config + steps + ")" + status_text(launch);
    }
    case LaunchRole::lead_in:
      return config + " (lead-in)" + status_text(launch);
    case LaunchRole::candidate:
      return config + " (candidate)" + status_text(launch);
    case LaunchRole::best:
      break;
  }
  return "best: " + config + status_text(launch);
}

OpenRow row_of(const Iteration& iteration, const std::map<const ProblemName*, std::size_t>& columns) {
  OpenRow row;
  row.phase = iteration.phase;
  row.iterations = {iteration.number};
  row.entries.resize(columns.size());
  for (const Cell& cell : iteration.cells) {
    // A rank on which something happened says more than one on which all was well.
    const auto odd = std::find_if(cell.ranks.begin(), cell.ranks.end(), [](const RankLaunch& rank) {
      return rank.launch->status == LaunchStatus::rejected || rank.launch->status == LaunchStatus::fallback;
    });
    const Launch& launch = odd != cell.ranks.end() ? *odd->launch : cell.first();
    if (const auto column = columns.find(cell.problem); column != columns.end()) {
      row.entries[column->second] = {&launch, step_of(launch)};
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

/// Rows in their order, alike ones joined.
class RowCollector {
 public:
  explicit RowCollector(Rows rows) : joins_(rows == Rows::joined) {}

  void add(OpenRow next) {
    if (joins_ && !rows_.empty() && continues(rows_.back(), next)) {
      append(rows_.back(), next);
    } else if (OpenRow* equal = joins_ ? equal_row_of_search(next) : nullptr) {
      append(*equal, next);
    } else {
      rows_.push_back(std::move(next));
    }
  }

  const std::vector<OpenRow>& rows() const { return rows_; }

 private:
  /// Null where there is none; `next` is then remembered as the row that is added after this.
  OpenRow* equal_row_of_search(const OpenRow& next) {
    if (next.phase != Phase::search) {
      return nullptr;
    }
    const auto [found, is_new] = search_.try_emplace(closed(next).cells, rows_.size());
    return is_new ? nullptr : &rows_[found->second];
  }

  bool joins_;
  std::vector<OpenRow> rows_;
  std::map<std::vector<std::string>, std::size_t> search_;  ///< rows of the search by their cells
};

}  // namespace

IterationTable table_of(const RunView& view, Rows rows, std::size_t max_problems) {
  IterationTable table;
  table.problems = view.problems;
  table.problems.resize(std::min(view.problems.size(), max_problems));
  table.problems_left_out = view.problems.size() - table.problems.size();
  std::map<const ProblemName*, std::size_t> columns;
  for (std::size_t i = 0; i < table.problems.size(); ++i) {
    columns[table.problems[i]] = i;
  }
  RowCollector collector(rows);
  for (const Iteration& iteration : view.iterations) {
    collector.add(row_of(iteration, columns));
  }
  for (const OpenRow& row : collector.rows()) {
    table.rows.push_back(closed(row));
  }
  return table;
}

}  // namespace contextual::log_report
