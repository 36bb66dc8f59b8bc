#include "text_details.hpp"

#include "wording.hpp"

#include <algorithm>
#include <cmath>

namespace contextual::log_report {
namespace {

constexpr std::size_t configs_in_text = 40;
constexpr std::size_t contests_in_text = 40;
constexpr std::size_t ranks_in_text = 8;
constexpr std::size_t no_limit = 1'000'000;

std::size_t limit(std::size_t usual, const ReportOptions& options) {
  return options.whole_table ? no_limit : usual;
}

void write_head(TextWriter& out, const RunAnalysis& analysis) {
  const TuningRun& run = *analysis.run;
  out.title(region_text(run) + ": tuning " + run.id);
  const RankRun& first = *run.ranks.front();
  std::string head = run.started.empty() ? "start not known" : "started " + std::string(run.started);
  head += ", " + rank_count_text(run);
  if (first.start && !first.start->group.empty()) {
    head += ", group " + std::string(first.start->group);
  }
  out.paragraph("", head);
  if (first.start && !first.start->options.empty()) {
    out.paragraph("options: ", std::string(first.start->options), Colour::dim, 4);
  }
  if (const std::string text = never_met_text(run); !text.empty()) {
    out.paragraph("", text);
  }
}

void write_comparison(TextWriter& out, const RunAnalysis& analysis) {
  if (!analysis.disagreements.empty()) {
    out.heading("Ranks disagree");
    for (const Disagreement& difference : analysis.disagreements) {
      out.paragraph("  ", difference.what + ": " + difference.text, Colour::bad, 6);
    }
  }
  if (!analysis.rank_differences.empty()) {
    out.heading("Each rank for itself (kernels that seem to be declared local)");
    for (const std::string& text : analysis.rank_differences) {
      out.paragraph("  ", text, Colour::none, 6);
    }
  }
  if (!analysis.warnings.empty()) {
    out.heading("Warnings");
    for (const std::string& text : analysis.warnings) {
      out.paragraph("  ", text, Colour::none, 6);
    }
  }
}

Colour colour_of(const ConfigResult& config) {
  return config.chosen ? Colour::good : config.rejected ? Colour::dim : Colour::none;
}

std::string time_or_blank(double ns) {
  return ns > 0 ? duration_text(ns) : "";
}

void write_configs(TextWriter& out, const ProblemResult& problem, const ReportOptions& options) {
  const bool any_trimmed =
      std::any_of(problem.configs.begin(), problem.configs.end(), [](const ConfigResult& config) {
        return config.summary_ns &&
               std::abs(*config.summary_ns - config.median_ns) > 0.005 * config.median_ns;
      });
  const std::string names = parameter_names(problem);
  if (!names.empty()) {
    out.paragraph("  configs: ", names, Colour::dim, 3);
  }
  const bool wide = out.width() >= 100;
  std::vector<Column> columns{{"  walk:"}, {"median", true}, {"spread", true}};
  if (any_trimmed) {
    columns.push_back({"centre", true});
  }
  columns.push_back({"to default", true});
  if (wide) {
    columns.insert(columns.end(), {{"samples", true}, {"region", true}});
  }
  columns.insert(columns.end(), {{"config", false, 12}, {"status", false, 16}});
  TextTable table(columns, 2);
  for (const std::size_t i : configs_shown(problem, limit(configs_in_text, options))) {
    const ConfigResult& config = problem.configs[i];
    const bool sampled = !config.samples_ns.empty();
    std::vector<std::string> cells{"config-" + std::to_string(config.id),
                                   sampled ? duration_text(config.median_ns) : "",
                                   sampled ? "+- " + duration_text(config.spread_ns) : ""};
    if (any_trimmed) {
      cells.push_back(config.summary_ns ? duration_text(*config.summary_ns) : "");
    }
    cells.push_back(relative_to_default(problem, config));
    if (wide) {
      cells.push_back(std::to_string(config.samples_ns.size()));
      cells.push_back(time_or_blank(config.makespan_ns));
    }
    cells.push_back(config_values(config.text, names));
    cells.push_back(config_status(config));
    table.add(std::move(cells), colour_of(config));
  }
  if (!table.empty()) {
    out.table(table, 2);
  }
}

std::string contest_entry_values(const ContestEntry& entry) {
  return entry.gain_ns ? duration_text(*entry.gain_ns) : "";
}

std::string contest_entry_percent(const Contest& contest, const ContestEntry& entry) {
  const std::optional<double> incumbent = contest.entries.front().makespan_ns;
  return entry.gain_ns && incumbent && *incumbent > 0 ? percent_text(*entry.gain_ns / *incumbent) : "";
}

void write_contest(TextWriter& out, const Contest& contest) {
  out.paragraph("  ", contest_title(contest));
  TextTable table({{"", false, 8},
                   {"rounds", true},
                   {"region", true},
                   {"spread", true},
                   {"gain", true},
                   {"", true},
                   {""}});
  for (const ContestEntry& entry : contest.entries) {
    const bool incumbent = &entry == &contest.entries.front();
    table.add(
        {std::string(entry.name), std::to_string(entry.round_count),
         duration_text(entry.makespan_ns.value_or(-1)), "+- " + duration_text(entry.spread_ns.value_or(0)),
         contest_entry_values(entry), contest_entry_percent(contest, entry),
         std::string(incumbent ? "incumbent" : "") +
             (entry.chosen ? (incumbent ? ", chosen" : "chosen") : "")},
        entry.chosen ? Colour::good : Colour::none);
  }
  out.table(table, 4);
  out.paragraph("    why: ", std::string(contest.reason), Colour::none, 4);
}

}  // namespace

void write_ending(TextWriter& out, const RunAnalysis& analysis, const Logs& logs) {
  const Ending& ending = analysis.ending;
  const bool ok = ending.status == RunStatus::ok;
  out.line("status: " + std::string(status_name(ending.status)), ok ? Colour::good : Colour::bad);
  if (ok) {
    return;
  }
  if (const std::string culprit = ending.culprit_line(); !culprit.empty()) {
    out.paragraph("", culprit, Colour::bad);
  }
  out.heading("Where each rank stopped");
  for (const Stop& stop : ending.stops) {
    const Colour colour = stop.state == RankState::ok ? Colour::none : Colour::bold;
    out.paragraph("  ",
                  ranks_text(stop.ranks) + " (" + state_name(stop.state) + ")" +
                      (stop.where.empty() ? "" : ": " + stop.where),
                  colour, 4);
    out.paragraph("    ", stop.what, Colour::none, 8);
  }
  for (const std::string& text : absence_texts(*analysis.run, logs)) {
    out.paragraph("  ", text, Colour::bold, 4);
  }
}

void write_problem(TextWriter& out, const ProblemResult& problem, const std::string& label,
                   const ReportOptions& options) {
  out.heading(label + name_of(*problem.name));
  if (problem.choices.empty()) {
    out.line("  no choice was made", Colour::bad);
  } else {
    const Choice& last = *problem.choices.back();
    out.paragraph("  chosen: ", choice_line(last), Colour::good, 3);
    out.paragraph("     why: ", std::string(last.reason), Colour::none, 4);
    for (std::size_t i = problem.choices.size() - 1; i-- > 0 && problem.choices.size() - i < 6;) {
      out.paragraph(
          "  before: ", choice_line(*problem.choices[i]) + ": " + std::string(problem.choices[i]->reason),
          Colour::dim, 3);
    }
  }
  if (problem.local) {
    out.paragraph("  ",
                  "Each rank seems to tune this kernel for itself; these are the times of the lowest rank.");
  }
  write_configs(out, problem, options);
  if (const std::size_t all = problem.configs.size(); all > limit(configs_in_text, options)) {
    out.line("  " + count_text(all - configs_in_text, "slower config") +
             " left out; --whole-table shows them");
  }
  if (!problem.not_measured.empty()) {
    out.paragraph(
        "  ", "not measured (pruned, or the run ended before): config " + ranges_text(problem.not_measured));
  }
}

void write_contests(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options) {
  if (analysis.contests.empty()) {
    return;
  }
  out.heading("Finals: paired rounds, compared by the region's time, ties by own times");
  std::size_t written = 0;
  for (const Contest* contest : analysis.contests) {
    if (!contest->entries.empty() && written++ < limit(contests_in_text, options)) {
      write_contest(out, *contest);
    }
  }
  if (written > limit(contests_in_text, options)) {
    out.line("  " + count_text(written - contests_in_text, "contest") +
             " left out; --whole-table shows them");
  }
}

void write_slowness(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options) {
  if (analysis.slowness.empty()) {
    return;
  }
  out.heading("Slowest rank: share of the iterations in which a rank's own time was the longest");
  TextTable table({{"", false, 20},
                   {"iterations", true},
                   {"rank", true},
                   {"slowest", true},
                   {"own time to the agreed one", true}});
  for (const Slowness& slowness : analysis.slowness) {
    const std::string name = slowness.problem == nullptr
                                 ? "the region"
                                 : problem_label(analysis, slowness.problem) + name_of(*slowness.problem);
    std::size_t written = 0;
    for (const RankShare& share : slowness.ranks) {
      if (written++ == limit(ranks_in_text, options)) {
        table.add({"", "", "...", "", count_text(slowness.ranks.size() - ranks_in_text, "rank") + " more"});
        break;
      }
      std::string percent = percent_text(share.slowest_share).substr(1);
      table.add({written == 1 ? name : "", written == 1 ? std::to_string(slowness.iterations) : "",
                 std::to_string(share.rank), std::move(percent), percent_text(share.median_ratio - 1)});
    }
  }
  out.table(table, 2);
}

std::string problem_label(const RunAnalysis& analysis, const ProblemName* problem) {
  if (analysis.problems.size() < 2) {
    return "";
  }
  const auto found = std::find_if(analysis.problems.begin(), analysis.problems.end(),
                                  [&](const ProblemResult& result) { return result.name == problem; });
  return "[" + std::to_string(found - analysis.problems.begin() + 1) + "] ";
}

void write_details(TextWriter& out, const RunAnalysis& analysis, const Logs& logs,
                   const ReportOptions& options) {
  write_head(out, analysis);
  write_ending(out, analysis, logs);
  write_comparison(out, analysis);
  for (const ProblemResult& problem : analysis.problems) {
    write_problem(out, problem, problem_label(analysis, problem.name), options);
  }
  write_contests(out, analysis, options);
  write_slowness(out, analysis, options);
  write_table(out, analysis, options);
}

}  // namespace contextual::log_report
