#include "contextual/record/choice_lines.hpp"
#include "contextual/record/progress.hpp"
#include "contextual/record/rates.hpp"
#include "contextual/record/text_format.hpp"

#include <contextual/report.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace contextual {
using record::percent;

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

std::string interval_text(const SearchGain& gain) {
  return " (95 % interval " + percent(-gain.high) + " to " + percent(-gain.low) + ")";
}

/// The gain over the reference of the closing comparison; empty if it has measured none.
std::string gain_text(const SearchReport& search) {
  const bool other = search.reference != SearchReference::first_feasible &&
                     search.reference != SearchReference::none && search.choice != search.compared_with;
  return other && search.gain ? percent(-search.gain->centre) + " to " +
                                    std::string(text_of(search.reference)) + interval_text(*search.gain)
                              : "";
}

/// What the closing comparison says where it has measured no gain.
std::string no_gain_text(const SearchReport& search) {
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
  return "compared with " + reference + ", without enough valid times";
}

std::string comparison_text(const SearchReport& search) {
  const std::string gain = gain_text(search);
  return gain.empty() ? no_gain_text(search) : "makespan " + gain;
}

std::string time_text(const TimeSummary& time) {
  return time.count == 0 ? "no time" : record::format_latency(time.centre_ns);
}

std::string spread_text(const TimeSummary& time) {
  return record::short_time(time.centre_ns) + " +- " + record::short_time(time.spread_ns) + " (" +
         std::to_string(time.count) + (time.count == 1 ? " sample)" : " samples)");
}

bool has_choice(const ProblemReport& problem) {
  return problem.outcome != ProblemOutcome::failed &&
         (problem.outcome != ProblemOutcome::open || !problem.reason.empty());
}

std::string note_on(const ProblemReport& problem) {
  return problem.outcome == ProblemOutcome::failed        ? "no choice: every config was rejected"
         : !has_choice(problem)                           ? "no choice: the run ended before"
         : problem.outcome == ProblemOutcome::provisional ? "(provisional)"
         : !problem.pinned_by.empty()                     ? "(pinned)"
         : problem.reused                                 ? "(from an earlier run)"
                                                          : "";
}

record::ChoiceLine choice_line(const ProblemReport& problem) {
  record::ChoiceLine line;
  line.kernel = record::one_line(problem.kernel);
  line.key = record::one_line(problem.key);
  line.note = note_on(problem);
  if (!has_choice(problem)) {
    return line;
  }
  line.config = record::one_line(problem.choice_config.to_string());
  line.gain = problem.choice == 0 ? "default" : "";
  const bool together = problem.time_in_choice.count > 0;
  const bool walked = problem.choice < problem.configs.size();
  const TimeSummary time = together ? problem.time_in_choice
                           : walked ? problem.configs[problem.choice].time
                                    : TimeSummary{};
  const TimeSummary standard = together ? problem.time_in_defaults
                               : walked ? problem.configs.front().time
                                        : TimeSummary{};
  if (time.count > 0) {
    line.time = record::short_time(time.centre_ns);
    if (problem.choice != 0 && standard.count > 0 && standard.centre_ns > 0) {
      line.gain = record::short_percent(time.centre_ns / standard.centre_ns - 1);
    }
  }
  return line;
}

std::size_t rejected_count(const std::vector<ProblemReport>& problems) {
  std::size_t count = 0;
  for (const ProblemReport& problem : problems) {
    count += static_cast<std::size_t>(
        std::count_if(problem.configs.begin(), problem.configs.end(),
                      [](const ConfigReport& config) { return config.rejection.has_value(); }));
  }
  return count;
}

/// The region's makespan, how often it ran, and how long that took.
std::string region_text(const RegionReport& report) {
  std::string text = record::one_line(report.region) + ": ";
  if (report.mode == Mode::off) {
    return text + "mode off: nothing is tuned, and what is not pinned launches its default\n";
  }
  if (report.table.empty()) {
    return text + "nothing was tuned\n";
  }
  if (!report.searches.empty() && !report.searches.back().choice.empty()) {
    const SearchReport& search = report.searches.back();
    const std::string gain = gain_text(search);
    text += report.tuned_makespan ? "makespan " + record::short_time(report.tuned_makespan->centre_ns) + ", "
            : gain.empty()        ? ""
                                  : "makespan ";
    text += (gain.empty() ? no_gain_text(search) : gain) + "; ";
  }
  const auto final_runs = std::count_if(report.table.begin(), report.table.end(),
                                        [](const TableRow& row) { return row.phase == Phase::final_run; });
  const std::int64_t runs =
      report.walk_iterations + report.search_iterations - report.resumed_iterations + final_runs;
  text += std::to_string(runs) + (runs == 1 ? " run in " : " runs in ") +
          record::format_duration(report.tuning_ns);
  if (report.resumed_iterations > 0) {
    text += ", after " + std::to_string(report.resumed_iterations) + " by an earlier process";
  }
  if (const std::size_t rejected = rejected_count(report.problems); rejected > 0) {
    text += ", " + std::to_string(rejected) + (rejected == 1 ? " config rejected" : " configs rejected");
  }
  return text + "\n";
}

/// Why a problem has its choice.
std::string why_text(const ProblemReport& problem) {
  std::string text = record::one_line(problem.kernel + (problem.key.empty() ? "" : " " + problem.key)) + ": ";
  text += has_choice(problem)
              ? "config-" + std::to_string(problem.choice) + ": " + record::one_line(problem.reason) + "\n"
              : note_on(problem) + "\n";
  if (problem.walk_ns > 0) {
    text += "    its walk took " + record::format_duration(problem.walk_ns);
    if (has_choice(problem) && problem.choice < problem.configs.size() &&
        problem.configs[problem.choice].time.count > 0) {
      text += "; own time in it " + spread_text(problem.configs[problem.choice].time);
      const std::string rates = record::rates_text(problem.configs[problem.choice].metrics);
      text += rates.empty() ? "" : ", " + rates;
    }
    text += "\n";
  }
  for (const ConfigReport& config : problem.configs) {
    if (config.rejection) {
      text += "    rejected: config-" + std::to_string(config.config_id) + " " +
              record::one_line(config.config.to_string()) + ": " + record::one_line(*config.rejection) + "\n";
    }
  }
  return text;
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

std::string RegionReport::choices_text(std::size_t width) const {
  std::vector<record::ChoiceLine> lines;
  lines.reserve(problems.size());
  for (const ProblemReport& problem : problems) {
    lines.push_back(choice_line(problem));
  }
  return record::choice_lines(std::move(lines), width);
}

std::string RegionReport::to_string(Detail detail, std::size_t width) const {
  std::string text = choices_text(width) + record::wrapped(region_text(*this), width);
  if (detail == Detail::choices) {
    return text;
  }
  std::string why = "Why:\n";
  for (const ProblemReport& problem : problems) {
    why += why_text(problem);
  }
  if (default_makespan && tuned_makespan) {
    why += "makespan in the closing comparison: " + spread_text(*tuned_makespan) + ", all defaults " +
           spread_text(*default_makespan) + "\n";
  }
  why += searches.empty() ? "" : "Search:\n" + searches_text();
  why += limit ? "Limit:\n" + limit_text() : "";
  for (const std::string& warning : warnings) {
    why += "warning: " + record::one_line(warning) + "\n";
  }
  return text + record::wrapped(why, width);
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
    for (const LostAssignment& lost : search.lost) {
      text += "    lost the comparison: " + assignment_text(search, lost.assignment) + ": " +
              percent(-lost.gain.centre) + interval_text(lost.gain) + "\n";
    }
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

std::optional<RegionReport> Report::find(std::string_view region) const&& {
  const RegionReport* const found = find(region);  // of an lvalue, as *this is one
  return found == nullptr ? std::nullopt : std::optional(*found);
}

}  // namespace contextual
