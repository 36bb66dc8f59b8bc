#include "contextual/record/progress.hpp"
#include "contextual/record/text_format.hpp"

#include <contextual/report.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

namespace contextual {
namespace {

/// The kernels' names; with the key where the region has several keys of one.
std::vector<std::string> column_names(const std::vector<ProblemReport>& problems) {
  std::map<std::string_view, std::size_t> namesakes;
  for (const ProblemReport& problem : problems) {
    ++namesakes[problem.kernel];
  }
  std::vector<std::string> names;
  names.reserve(problems.size());
  for (const ProblemReport& problem : problems) {
    names.push_back(namesakes[problem.kernel] > 1 ? problem.kernel + " " + problem.key : problem.kernel);
  }
  return names;
}

/// What stands in a cell of the table where nothing was tried.
std::string_view untried_text(const ProblemReport& problem, std::size_t row) {
  return row < problem.first_row ? "" : "best-config";
}

/// Adds one cell of a Markdown table, which has neither bars nor line breaks.
void add_markdown_cell(std::string& text, std::string_view cell) {
  for (const char c : cell) {
    text.append(c == '|' ? "\\" : "").push_back(c == '\n' || c == '\r' ? ' ' : c);
  }
  text += " |";
}

void add_markdown_row(std::string& text, std::string_view first, const std::vector<std::string_view>& cells) {
  text += "| ";
  add_markdown_cell(text, first);
  for (const std::string_view cell : cells) {
    text += " ";
    add_markdown_cell(text, cell);
  }
  text += "\n";
}

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * fraction);
  return text;
}

std::string counts_text(const SearchReport& search) {
  return std::to_string(search.measured.size()) + " of " + std::to_string(search.existing) +
         " assignments measured, " + std::to_string(search.failed) + " infeasible, in " +
         std::to_string(search.runs) + " runs, " + std::to_string(search.lead_ins) + " of them lead-ins; " +
         (search.cut.empty() ? "complete" : "cut: " + search.cut);
}

std::string_view text_of(SearchReference reference) {
  switch (reference) {
    case SearchReference::alternative_defaults:
      return "the defaults of this alternative";
    case SearchReference::default_alternative:
      return "the default alternative at its best";
    case SearchReference::first_feasible:
      return "the first assignment that ran";
    default:
      return "all defaults";
  }
}

/// What the closing comparison says.
std::string comparison_text(const SearchReport& search) {
  const std::string reference(text_of(search.reference));
  const bool is_choice = search.choice == search.compared_with;
  if (search.reference == SearchReference::first_feasible) {
    return "all defaults together are infeasible; " +
           (is_choice ? "the choice is " + reference : "compared with " + reference);
  }
  if (search.reference == SearchReference::none) {
    return "not compared with all defaults";
  }
  if (is_choice) {
    return !search.gain                                               ? "the choice is " + reference
           : search.reference == SearchReference::default_alternative ? "the default alternative was kept"
                                                                      : "the defaults were kept";
  }
  if (!search.gain) {
    return "compared with " + reference + ", without enough valid times";
  }
  return "makespan " + percent(-search.gain->centre) + " to " + reference + " (95 % interval " +
         percent(-search.gain->high) + " to " + percent(-search.gain->low) + ")";
}

}  // namespace

std::string RegionReport::cell_text(std::size_t row, std::size_t problem) const {
  const std::vector<TableCell>& cells = table[row].cells;
  const auto cell = std::lower_bound(cells.begin(), cells.end(), problem,
                                     [](const TableCell& c, std::size_t index) { return c.problem < index; });
  const bool tried = cell != cells.end() && cell->problem == problem;
  return tried ? cell->text : std::string(untried_text(problems[problem], row));
}

std::string RegionReport::table_text(std::optional<Phase> only) const {
  const std::vector<std::string> names = column_names(problems);
  std::string text;
  add_markdown_row(text, "Tuning-Iter", {names.begin(), names.end()});
  add_markdown_row(text, "---", std::vector<std::string_view>(names.size(), "---"));
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!only || table[row].phase == *only) {
      std::vector<std::string_view> cells;
      cells.reserve(problems.size());
      for (const ProblemReport& problem : problems) {
        cells.push_back(untried_text(problem, row));
      }
      for (const TableCell& cell : table[row].cells) {
        cells[cell.problem] = cell.text;
      }
      add_markdown_row(text, table[row].iteration, cells);
    }
  }
  return text;
}

std::string RegionReport::choices_text() const {
  std::string text;
  for (const ProblemReport& problem : problems) {
    const std::string name = record::one_line(problem.kernel + " " + problem.key);
    if (problem.outcome == ProblemOutcome::open && problem.reason.empty()) {
      text += name + ": no choice\n    the run ended before it was tuned\n";
      continue;
    }
    text += name + ": config-" + std::to_string(problem.choice) + " " +
            record::one_line(problem.choice_config.to_string());
    if (problem.choice < problem.configs.size() && problem.configs[problem.choice].time.count > 0) {
      const TimeSummary& time = problem.configs[problem.choice].time;
      text += ", " + record::format_latency(time.centre_ns) + " +- " + record::format_latency(time.spread_ns);
    }
    text += problem.outcome == ProblemOutcome::provisional ? " (provisional)" : "";
    text += !problem.pinned_by.empty() ? " (pinned)" : problem.reused ? " (from an earlier run)" : "";
    text += "\n    " + record::one_line(problem.reason) + "\n";
  }
  return text;
}

std::string RegionReport::assignment_text(const SearchReport& search, const Assignment& assignment) const {
  const std::vector<std::string> names = column_names(problems);
  std::string text;
  for (std::size_t i = 0; i < std::min(search.problems.size(), assignment.size()); ++i) {
    text += (text.empty() ? "" : ", ") + names.at(search.problems[i].index) + " config-" +
            std::to_string(assignment[i]);
  }
  return text;
}

std::string RegionReport::searches_text() const {
  std::string text;
  for (const SearchReport& search : searches) {
    text += counts_text(search) + "\n";
    if (search.choice.empty()) {
      text += "    no choice: " + search.reason + "\n";
      continue;
    }
    text += "    chosen: " + assignment_text(search, search.choice) + ": " + search.reason + "\n    " +
            comparison_text(search) + "\n";
    if (!search.within_noise.empty()) {
      text += "    within the noise of the choice: " + std::to_string(search.within_noise.size()) +
              " other assignments, such as " + assignment_text(search, search.within_noise.front()) + "\n";
    }
    if (search.by_own_time != search.choice) {
      text += "    best by own times: " + assignment_text(search, search.by_own_time) +
              (search.cost_of_own_time ? ", " + percent(*search.cost_of_own_time) + " to the choice"
                                       : ", not measured") +
              "\n";
    }
  }
  return text;
}

std::string RegionReport::limit_text() const {
  if (!limit) {
    return "";
  }
  const auto time_text = [](const TimeSummary& time) {
    return time.count == 0 ? std::string("no time") : record::format_latency(time.centre_ns);
  };
  std::string text;
  for (const PartReport& part : limit->parts) {
    text += "part " + record::one_line(part.name) + ": " + time_text(part.makespan) + "\n";
  }
  text += "the region: " + time_text(limit->result) + "\n";
  if (limit->limit_ns) {
    text += "limit, which is the longest part: " + record::format_latency(*limit->limit_ns) + "\n";
  }
  if (limit->hidden) {
    text += "hidden: " + percent(*limit->hidden).substr(*limit->hidden < 0 ? 0 : 1) +
            " of what the other parts take is hidden behind the longest one\n";
  }
  return text;
}

const RegionReport* Report::find(std::string_view region) const& {
  const auto run =
      std::find_if(runs.rbegin(), runs.rend(), [&](const RegionReport& r) { return r.region == region; });
  return run == runs.rend() ? nullptr : &*run;
}

}  // namespace contextual
