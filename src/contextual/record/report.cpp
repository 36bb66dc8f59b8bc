#include "contextual/record/choice_lines.hpp"
#include "contextual/record/log_lines.hpp"
#include "contextual/record/quantities.hpp"

#include <contextual/report.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace contextual {

using record::counted;
using record::one_line;
using record::percent;
using record::short_time;

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

/// A row of a Markdown table, whose cells have neither bars nor line breaks.
std::string markdown_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    text += " ";
    for (const char c : cell) {
      text.append(c == '|' ? "\\" : "").push_back(c == '\n' || c == '\r' ? ' ' : c);
    }
    text += " |";
  }
  return text + "\n";
}

std::string counts_text(const SearchReport& search) {
  return std::to_string(search.measured.size()) + " of " + std::to_string(search.existing) +
         " assignments measured, " + std::to_string(search.failed) + " infeasible, in " +
         std::to_string(search.runs) + " runs, " + std::to_string(search.lead_ins) + " of them lead-ins; " +
         (search.cut.empty() ? "complete" : "cut: " + search.cut);
}

std::string text_of(SearchReference reference) {
  constexpr std::array texts{"all defaults", "all defaults", "the defaults of this alternative",
                             "the default alternative at its best", "the first assignment that ran"};
  return texts.at(static_cast<std::size_t>(reference));
}

/// Of what RegionReport::searches says in `unsure`.
constexpr const char* unsure_text = ", which is not sure enough to keep it for other processes";

std::string interval_text(const SearchGain& gain) {
  return " (95 % interval " + percent(-gain.high) + " to " + percent(-gain.low) + ")";
}

/// The gain over the reference of the closing comparison; empty if it has measured none.
std::string gain_text(const SearchReport& search) {
  const bool other = search.reference != SearchReference::first_feasible &&
                     search.reference != SearchReference::none && search.choice != search.compared_with;
  if (!other || !search.gain) {
    return "";
  }
  const bool by_makespan = std::find(search.chosen_by.begin(), search.chosen_by.end(), ChosenBy::makespan) !=
                           search.chosen_by.end();
  return percent(-search.gain->centre) + " to " + text_of(search.reference) + interval_text(*search.gain) +
         (search.gain->centre < 0 && !by_makespan ? "; own times decided" : "") +
         (search.unsure ? unsure_text : "");
}

/// What the closing comparison says where it has measured no gain.
std::string no_gain_text(const SearchReport& search) {
  const std::string reference = text_of(search.reference);
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
  return short_time(time.centre_ns) + " +- " + short_time(time.spread_ns) + " (" +
         counted(time.count, "sample") + ")";
}

bool has_choice(const ProblemReport& problem) {
  return problem.outcome != ProblemOutcome::failed &&
         (problem.outcome != ProblemOutcome::open || !problem.reason.empty());
}

/// Returns true for a choice between alternatives that launch others of these.
bool is_choice(const std::vector<ProblemReport>& problems, std::size_t index) {
  return std::any_of(problems.begin(), problems.end(), [&](const ProblemReport& other) {
    return other.under && other.under->problem == index;
  });
}

/// Returns false for a kernel in an alternative that was not chosen.
bool in_use(const std::vector<ProblemReport>& problems, const ProblemReport& problem) {
  if (!problem.under) {
    return true;
  }
  const ProblemReport& choice = problems[problem.under->problem];
  return problem.under->config_id == choice.choice && in_use(problems, choice);
}

std::string note_on(const ProblemReport& problem, bool used) {
  return problem.outcome == ProblemOutcome::failed        ? "no choice: every config was rejected"
         : !has_choice(problem)                           ? "no choice: the run ended before"
         : !used                                          ? "(not in use)"
         : problem.outcome == ProblemOutcome::provisional ? "(provisional)"
         : !problem.pinned_by.empty()                     ? "(pinned)"
         : problem.reused                                 ? "(from an earlier run)"
                                                          : "";
}

/// By how much the chosen alternative is shorter than the default one, each at its best, as a fraction.
std::optional<double> gain_of_alternative(const RegionReport& report, std::size_t choice) {
  const auto has_decided = [&](const SearchReport& search) {
    return search.reference == SearchReference::default_alternative && search.gain &&
           choice < std::min(search.choice.size(), search.compared_with.size()) &&
           search.choice[choice] == report.problems[choice].choice &&
           search.choice[choice] != search.compared_with[choice];
  };
  const auto latest = std::find_if(report.searches.rbegin(), report.searches.rend(), has_decided);
  return latest == report.searches.rend() ? std::nullopt : std::optional(latest->gain->centre);
}

/// Own time of a config in the walk; count 0 if it was not measured.
TimeSummary walk_time(const ProblemReport& problem, std::size_t config_id) {
  return config_id < problem.configs.size() ? problem.configs[config_id].time : TimeSummary{};
}

record::ChoiceLine choice_line(const RegionReport& report, std::size_t index) {
  const ProblemReport& problem = report.problems[index];
  record::ChoiceLine line;
  line.kernel = one_line(problem.kernel);
  line.key = one_line(problem.key);
  line.note = note_on(problem, in_use(report.problems, problem));
  if (!has_choice(problem)) {
    return line;
  }
  line.config = one_line(problem.choice_config.to_string());
  line.gain = problem.choice == 0 ? "default" : "";
  if (const auto gain = gain_of_alternative(report, index); gain && is_choice(report.problems, index)) {
    line.gain = record::short_percent(-*gain);
  }
  const bool together = problem.time_in_choice.count > 0;
  const TimeSummary time = together ? problem.time_in_choice : walk_time(problem, problem.choice);
  const TimeSummary standard = together ? problem.time_in_defaults : walk_time(problem, 0);
  if (time.count > 0) {
    line.time = short_time(time.centre_ns);
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

/// What came closest to a gain, where the defaults were kept after it was compared with them.
std::string kept_instead_of(const RegionReport& report, const SearchReport& search) {
  if (search.lost.empty() || search.choice != search.compared_with) {
    return "";
  }
  const auto best = std::max_element(
      search.lost.begin(), search.lost.end(),
      [](const LostAssignment& a, const LostAssignment& b) { return a.gain.centre < b.gain.centre; });
  return " instead of " + report.assignment_text(search, best->assignment) + ": " +
         percent(-best->gain.centre) + interval_text(best->gain) + (search.unsure ? unsure_text : "");
}

/// The region's makespan, how often it ran, and how long that took.
std::string region_text(const RegionReport& report) {
  std::string text = one_line(report.region) + ": ";
  if (report.mode == Mode::off) {
    return text + "mode off: nothing is tuned, and what is not pinned launches its default\n";
  }
  if (report.table.empty()) {
    return text + "nothing was tuned\n";
  }
  if (!report.searches.empty() && !report.searches.back().choice.empty()) {
    const SearchReport& search = report.searches.back();
    const std::string gain = search.replaced ? "" : gain_text(search);
    text += report.tuned_makespan ? "makespan " + short_time(report.tuned_makespan->centre_ns) + ", "
            : gain.empty()        ? ""
                                  : "makespan ";
    text += (search.replaced ? "the final run rejected what the search chose"
             : gain.empty()  ? no_gain_text(search) + kept_instead_of(report, search)
                             : gain) +
            "; ";
  }
  const auto final_runs = std::count_if(report.table.begin(), report.table.end(),
                                        [](const TableRow& row) { return row.phase == Phase::final_run; });
  const std::int64_t runs = report.walk_iterations + report.search_iterations + final_runs;
  text += counted(static_cast<std::size_t>(runs), "run") + " in " + record::format_duration(report.tuning_ns);
  const std::size_t rejected = rejected_count(report.problems);
  return text + (rejected > 0 ? ", " + counted(rejected, "config") + " rejected\n" : "\n");
}

/// What was rejected for one reason is said once, and no more than a few reasons.
std::string rejections_text(const ProblemReport& problem) {
  constexpr std::size_t most_reasons = 3;
  std::set<std::string_view> reasons;
  std::string text;
  for (const ConfigReport& config : problem.configs) {
    if (config.rejection && reasons.insert(*config.rejection).second && reasons.size() <= most_reasons) {
      const auto count =
          std::count_if(problem.configs.begin(), problem.configs.end(),
                        [&](const ConfigReport& other) { return other.rejection == config.rejection; });
      text += "    rejected: " + one_line(config.config.to_string()) +
              (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") + ": " +
              one_line(*config.rejection) + "\n";
    }
  }
  return reasons.size() > most_reasons
             ? text + "    and for " + std::to_string(reasons.size() - most_reasons) + " more reasons\n"
             : text;
}

/// What was measured of each config.
std::string configs_text(const ProblemReport& problem, std::size_t width) {
  std::vector<record::ChoiceLine> lines;
  lines.reserve(problem.configs.size());
  for (const ConfigReport& config : problem.configs) {
    record::ChoiceLine& line = lines.emplace_back();
    line.kernel = "    " + one_line(config.config.to_string());
    line.time = config.time.count > 0 ? spread_text(config.time) : "";
    line.note = config.rejection         ? "rejected: " + one_line(*config.rejection)
                : config.left_out        ? "left out"
                : config.time.count == 0 ? "not measured"
                                         : "";
  }
  return record::choice_lines(lines, width);
}

/// Why a problem has its choice, before what is to say of its configs. Of one that is not in use, only that.
std::string why_text(const ProblemReport& problem, bool used, const std::string& configs) {
  const std::string name = one_line(problem.kernel + (problem.key.empty() ? "" : " " + problem.key));
  if (!used) {
    return configs.empty() ? "" : name + ": not in use\n" + configs;
  }
  if (!has_choice(problem)) {
    return name + ": " + note_on(problem, used) + "\n" + configs;
  }
  std::string text =
      name + ": " + one_line(problem.choice_config.to_string()) + ": " + one_line(problem.reason) + "\n";
  if (problem.walk_ns > 0) {
    text += "    its walk took " + record::format_duration(problem.walk_ns);
    if (const TimeSummary time = walk_time(problem, problem.choice); time.count > 0) {
      text += "; own time in it " + spread_text(time);
      const std::string rates = record::rates_text(problem.configs[problem.choice].metrics);
      text += rates.empty() ? "" : ", " + rates;
    }
    text += "\n";
  }
  return text + configs;
}

/// The choice, with defaults where it does not differ from the reference.
Assignment what_differs(const SearchReport& search) {
  Assignment differing = search.choice;
  for (std::size_t i = 0; i < std::min(differing.size(), search.compared_with.size()); ++i) {
    differing[i] = differing[i] == search.compared_with[i] ? 0 : differing[i];
  }
  return differing;
}

/// A search is left out where all that it has searched is in alternatives that are not in use.
bool concerns_what_is_used(const RegionReport& report, const SearchReport& search) {
  bool concerns_any = false;
  for (std::size_t problem = 0; problem < search.chosen_by.size(); ++problem) {
    if (search.chosen_by[problem] == ChosenBy::makespan) {
      concerns_any = true;
      if (in_use(report.problems, report.problems.at(problem))) {
        return true;
      }
    }
  }
  return !concerns_any;
}

}  // namespace

std::string RegionReport::cell_text(std::size_t row, std::size_t problem) const {
  const std::vector<TableCell>& cells = table[row].cells;
  const auto cell = std::lower_bound(cells.begin(), cells.end(), problem,
                                     [](const TableCell& c, std::size_t index) { return c.problem < index; });
  return cell != cells.end() && cell->problem == problem ? cell->text
         : row < problems[problem].first_row             ? ""
                                                         : "best-config";
}

std::string RegionReport::table_text(std::optional<Phase> only) const {
  std::vector<std::string> cells = column_names(problems);
  cells.insert(cells.begin(), "Tuning-Iter");
  std::string text = markdown_row(cells) + markdown_row(std::vector<std::string>(cells.size(), "---"));
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!only || table[row].phase == *only) {
      cells.front() = table[row].iteration;
      for (std::size_t problem = 0; problem < problems.size(); ++problem) {
        cells[problem + 1] = cell_text(row, problem);
      }
      text += markdown_row(cells);
    }
  }
  return text;
}

std::string RegionReport::choices_text(std::size_t width) const {
  std::vector<record::ChoiceLine> lines;
  lines.reserve(problems.size());
  for (std::size_t index = 0; index < problems.size(); ++index) {
    lines.push_back(choice_line(*this, index));
  }
  return record::choice_lines(lines, width);
}

std::string RegionReport::to_string(Detail detail, std::size_t width) const {
  std::string text = choices_text(width) + record::wrapped(region_text(*this), width);
  if (detail == Detail::choices) {
    return text;
  }
  std::string why = "Why:\n";
  for (const ProblemReport& problem : problems) {
    why += why_text(problem, in_use(problems, problem),
                    detail == Detail::configs ? configs_text(problem, width) : rejections_text(problem));
  }
  if (default_makespan && tuned_makespan) {
    why += "makespan in the closing comparison: " + spread_text(*tuned_makespan) + ", all defaults " +
           spread_text(*default_makespan) + "\n";
  }
  why += searches.empty() ? "" : "Search:\n" + searches_text();
  why += limit ? "Limit:\n" + limit_text() : "";
  for (const std::string& warning : warnings) {
    why += "warning: " + one_line(warning) + "\n";
  }
  return text + record::wrapped(why, width);
}

std::string RegionReport::assignment_text(const SearchReport& search, const Assignment& assignment) const {
  const std::vector<std::string> names = column_names(problems);
  const std::size_t count = std::min(search.chosen_by.size(), assignment.size());
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (assignment[i] == 0) {
      continue;
    }
    const std::vector<ConfigReport>& configs = problems.at(i).configs;
    text += (text.empty() ? "" : ", ") + one_line(names.at(i)) + " " +
            (assignment[i] < configs.size() ? one_line(configs[assignment[i]].config.to_string())
                                            : "config-" + std::to_string(assignment[i]));
  }
  if (count == 0) {
    return "";
  }
  return text.empty() ? "all defaults" : text;
}

std::string RegionReport::searches_text() const {
  constexpr std::size_t most_lost = 3;
  std::string text;
  for (const SearchReport& search : searches) {
    if (!concerns_what_is_used(*this, search)) {
      continue;
    }
    const bool of_alternative = search.reference == SearchReference::alternative_defaults ||
                                search.reference == SearchReference::default_alternative;
    if (of_alternative && !search.choice.empty() && search.choice != search.compared_with) {
      text += assignment_text(search, what_differs(search)) + ": " + comparison_text(search) + "; " +
              std::to_string(search.runs) + " runs" + (search.cut.empty() ? "" : ", cut: " + search.cut) +
              "\n";
      continue;
    }
    text += counts_text(search) + "\n";
    if (search.choice.empty()) {
      text += "    no choice: " + search.reason + "\n";
      continue;
    }
    text += std::string(search.replaced ? "    rejected by the final run: " : "    chosen: ") +
            assignment_text(search, search.choice) + ": " + search.reason + "\n    " +
            comparison_text(search) + "\n";
    for (std::size_t i = 0; i < std::min(search.lost.size(), most_lost); ++i) {
      const LostAssignment& lost = search.lost[i];
      text += "    lost the comparison: " + assignment_text(search, lost.assignment) + ": " +
              percent(-lost.gain.centre) + interval_text(lost.gain) + "\n";
    }
    text += search.lost.size() > most_lost
                ? "    and " + std::to_string(search.lost.size() - most_lost) + " others lost it\n"
                : "";
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
    text += "part " + one_line(part.name) + ": " + time_text(part.makespan) + "\n";
  }
  text += "the region: " + time_text(limit->result) + "\n";
  if (limit->limit_ns) {
    text += "limit, which is the longest part: " + record::format_latency(*limit->limit_ns) + "\n";
  }
  if (limit->hidden) {
    text += "hidden: " + record::share(*limit->hidden) +
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
