#include "contextual/store/progress.hpp"

#include <contextual/report.hpp>

#include <algorithm>

namespace contextual {
namespace {

/// The kernel's name; with the key where the region has several keys of it.
std::string column_name(const std::vector<ProblemReport>& problems, const ProblemReport& problem) {
  const auto namesakes = std::count_if(problems.begin(), problems.end(), [&](const ProblemReport& other) {
    return other.kernel == problem.kernel;
  });
  return namesakes > 1 ? problem.kernel + " " + problem.key : problem.kernel;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += " " + cell + " |";
  }
  return row + "\n";
}

}  // namespace

std::string RegionReport::cell_text(std::size_t row, std::size_t problem) const {
  if (row < problems[problem].first_row) {
    return {};
  }
  const std::vector<TableCell>& cells = table[row].cells;
  const auto cell =
      std::find_if(cells.begin(), cells.end(), [&](const TableCell& c) { return c.problem == problem; });
  return cell == cells.end() ? "best-config" : cell->text;
}

std::string RegionReport::table_text(std::string_view only_phase) const {
  std::vector<std::string> header{"Tuning-Iter"};
  for (const ProblemReport& problem : problems) {
    header.push_back(column_name(problems, problem));
  }
  std::string text = markdown_row(header) + markdown_row(std::vector<std::string>(header.size(), "---"));
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (only_phase.empty() || table[row].phase == only_phase) {
      std::vector<std::string> cells{table[row].iteration};
      for (std::size_t problem = 0; problem < problems.size(); ++problem) {
        cells.push_back(cell_text(row, problem));
      }
      text += markdown_row(cells);
    }
  }
  return text;
}

std::string RegionReport::choices_text() const {
  std::string text;
  for (const ProblemReport& problem : problems) {
    text += problem.kernel + " " + problem.key + ": config-" + std::to_string(problem.choice) + " " +
            problem.choice_config.to_string();
    if (problem.choice < problem.configs.size() && problem.configs[problem.choice].time.count > 0) {
      const TimeSummary& time = problem.configs[problem.choice].time;
      text += ", " + store::format_latency(time.centre_ns) + " +- " + store::format_latency(time.spread_ns);
    }
    text += problem.outcome == ProblemOutcome::incomplete ? " (incomplete)" : "";
    text += problem.reused ? " (from an earlier run)" : "";
    text += "\n    " + problem.reason + "\n";
  }
  return text;
}

const RegionReport* Report::find(std::string_view region) const {
  const auto run =
      std::find_if(runs.rbegin(), runs.rend(), [&](const RegionReport& r) { return r.region == region; });
  return run == runs.rend() ? nullptr : &*run;
}

}  // namespace contextual
