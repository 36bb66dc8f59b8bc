#include "html_details.hpp"

#include "html_table.hpp"
#include "html_text.hpp"
#include "iteration_table.hpp"
#include "svg_plot.hpp"
#include "wording.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t configs_on_page = 500;
constexpr std::size_t contests_on_page = 200;
constexpr std::size_t rows_on_page = 1'000;
constexpr std::size_t columns_on_page = 32;
constexpr std::size_t ranks_on_page = 16;
constexpr std::size_t problems_on_page = 100;
constexpr std::size_t no_limit = 1'000'000'000;

std::string paragraph(const std::string& text, const std::string& attributes = {}) {
  return element("p", escaped(text), attributes) + "\n";
}

std::string folded(const std::string& title, const std::string& content, bool open = false) {
  return element("details", element("summary", escaped(title)) + "\n" + content, open ? "open" : "") + "\n";
}

std::string left_out(std::size_t count, const std::string& what) {
  return paragraph(count_text(count, what) + " left out; --whole-table shows them", "class=\"soft\"");
}

std::string head(const RunAnalysis& analysis, std::size_t number) {
  const TuningRun& run = *analysis.run;
  const RankRun& first = *run.ranks.front();
  std::string markup =
      element("h2", std::to_string(number) + ". " + escaped(region_text(run)) + " " +
                        status_badge(analysis.ending.status, !analysis.disagreements.empty())) +
      "\n";
  std::string text = run.started.empty() ? "Start not known" : "Started " + std::string(run.started);
  text += ", " + rank_count_text(run) + ", tuning " + run.id;
  if (first.start && !first.start->group.empty()) {
    text += ", group " + std::string(first.start->group);
  }
  markup += paragraph(text);
  if (first.start && !first.start->options.empty()) {
    markup += paragraph("Options: " + std::string(first.start->options), "class=\"soft\"");
  }
  const std::string never_met = never_met_text(run);
  return markup + (never_met.empty() ? "" : paragraph(never_met));
}

std::string ending(const RunAnalysis& analysis, const Logs& logs) {
  if (analysis.ending.status == RunStatus::ok) {
    return "";
  }
  std::string markup;
  if (const std::string culprit = analysis.ending.culprit_line(); !culprit.empty()) {
    markup += element("div", paragraph(culprit), "class=\"alarm\"") + "\n";
  }
  markup += element("h3", "Where each rank stopped") + "\n";
  HtmlTable table({{"Ranks"}, {"State"}, {"Where", Cells::wide}, {"What", Cells::wide}});
  for (const Stop& stop : analysis.ending.stops) {
    table.add({ranges_text(ranges_of(stop.ranks)), state_name(stop.state), stop.where, stop.what});
  }
  for (const std::string& text : absence_texts(*analysis.run, logs)) {
    table.add({"", "absent", "", text});
  }
  return markup + table.markup();
}

std::string comparison(const RunAnalysis& analysis) {
  std::string markup;
  if (!analysis.disagreements.empty()) {
    std::string items;
    for (const Disagreement& difference : analysis.disagreements) {
      items += paragraph(difference.what + ": " + difference.text);
    }
    markup += element("h3", "Ranks disagree") + element("div", items, "class=\"alarm\"") + "\n";
  }
  if (!analysis.rank_differences.empty()) {
    markup += element("h3", "Each rank for itself (kernels that seem to be declared local)");
    for (const std::string& text : analysis.rank_differences) {
      markup += paragraph(text);
    }
  }
  if (!analysis.warnings.empty()) {
    markup += element("h3", "Warnings");
    for (const std::string& text : analysis.warnings) {
      markup += paragraph(text);
    }
  }
  return markup;
}

std::string config_table(const ProblemResult& problem, std::size_t limit) {
  const std::string names = parameter_names(problem);
  HtmlTable table({{"Config"},
                   {names.empty() ? "Values" : shorten(names, 60)},
                   {"Median", Cells::number},
                   {"Spread", Cells::number},
                   {"To default", Cells::number},
                   {"Status"},
                   {"Samples", Cells::number},
                   {"Centre", Cells::number},
                   {"Region", Cells::number}});
  for (const std::size_t i : configs_shown(problem, limit)) {
    const ConfigResult& config = problem.configs[i];
    const bool sampled = !config.samples_ns.empty();
    table.add(
        {"config-" + std::to_string(config.id), shorten(config_values(config.text, names), 300),
         sampled ? duration_text(config.median_ns) : "",
         sampled ? "\u00b1 " + duration_text(config.spread_ns) : "", relative_to_default(problem, config),
         shorten(config_status(config), 300), std::to_string(config.samples_ns.size()),
         config.summary_ns ? duration_text(*config.summary_ns) : "",
         config.makespan_ns > 0 ? duration_text(config.makespan_ns) : ""},
        config.chosen ? "chosen" : "");
  }
  std::string markup = table.empty() ? "" : table.markup();
  if (problem.configs.size() > limit) {
    markup += left_out(problem.configs.size() - limit, "slower config");
  }
  if (!problem.not_measured.empty()) {
    markup += paragraph(
        "Not measured (pruned, or the run ended before): config " + ranges_text(problem.not_measured),
        "class=\"soft\"");
  }
  return markup;
}

std::string problem_section(const ProblemResult& problem, const std::string& label,
                            const ReportOptions& options) {
  std::string markup = element("h3", escaped(label + name_of(*problem.name))) + "\n";
  if (problem.choices.empty()) {
    markup += paragraph("No choice was made.");
  } else {
    const Choice& last = *problem.choices.back();
    markup += element("p", element("strong", "Chosen: " + escaped(choice_line(last)))) + "\n" +
              paragraph("Why: " + std::string(last.reason));
    for (std::size_t i = problem.choices.size() - 1; i-- > 0 && problem.choices.size() - i < 6;) {
      markup += paragraph(
          "Before: " + choice_line(*problem.choices[i]) + ": " + std::string(problem.choices[i]->reason),
          "class=\"soft\"");
    }
  }
  if (problem.local) {
    markup +=
        paragraph("Each rank seems to tune this kernel for itself; these are the times of the lowest rank.",
                  "class=\"soft\"");
  }
  const std::string table = config_table(problem, options.whole_table ? no_limit : configs_on_page);
  return element("div", markup + config_plot(problem) + folded("Walk: all configs", table),
                 "class=\"problem\"") +
         "\n";
}

std::string contest_markup(const Contest& contest) {
  HtmlTable table({{"Candidate"},
                   {"Rounds", Cells::number},
                   {"Region", Cells::number},
                   {"Spread", Cells::number},
                   {"Gain", Cells::number},
                   {"", Cells::number},
                   {""}});
  const std::optional<double> incumbent = contest.entries.front().makespan_ns;
  for (const ContestEntry& entry : contest.entries) {
    const bool is_incumbent = &entry == &contest.entries.front();
    const bool relative = entry.gain_ns && incumbent && *incumbent > 0;
    table.add({std::string(entry.name), std::to_string(entry.round_count),
               duration_text(entry.makespan_ns.value_or(-1)),
               "\u00b1 " + duration_text(entry.spread_ns.value_or(0)),
               entry.gain_ns ? duration_text(*entry.gain_ns) : "",
               relative ? percent_text(*entry.gain_ns / *incumbent) : "",
               std::string(is_incumbent ? "incumbent" : "") +
                   (entry.chosen ? (is_incumbent ? ", chosen" : "chosen") : "")},
              entry.chosen ? "chosen" : "");
  }
  return element("h3", escaped(contest_title(contest))) + "\n" + table.markup() +
         paragraph("Why: " + std::string(contest.reason));
}

std::string contests(const RunAnalysis& analysis, const ReportOptions& options) {
  const std::size_t limit = options.whole_table ? no_limit : contests_on_page;
  std::string markup;
  std::size_t written = 0;
  for (const Contest* contest : analysis.contests) {
    if (!contest->entries.empty() && written++ < limit) {
      markup += contest_markup(*contest);
    }
  }
  if (written > limit) {
    markup += left_out(written - limit, "contest");
  }
  return markup.empty() ? ""
                        : folded("Finals: " + count_text(written, "contest") +
                                     ", paired rounds, compared by the region's time, ties by own times",
                                 markup);
}

std::string slowness(const RunAnalysis& analysis) {
  if (analysis.slowness.empty()) {
    return "";
  }
  HtmlTable table({{""},
                   {"Iterations", Cells::number},
                   {"Rank", Cells::number},
                   {"Slowest", Cells::number},
                   {"Own time to the agreed one", Cells::number}});
  for (const Slowness& slowness : analysis.slowness) {
    const std::string name = slowness.problem == nullptr ? "the region" : name_of(*slowness.problem);
    for (std::size_t i = 0; i < std::min(slowness.ranks.size(), ranks_on_page); ++i) {
      const RankShare& share = slowness.ranks[i];
      table.add({i == 0 ? name : "", i == 0 ? std::to_string(slowness.iterations) : "",
                 std::to_string(share.rank), percent_text(share.slowest_share).substr(1),
                 percent_text(share.median_ratio - 1)});
    }
    if (slowness.ranks.size() > ranks_on_page) {
      table.add({"", "", "...", "", count_text(slowness.ranks.size() - ranks_on_page, "rank") + " more"});
    }
  }
  return folded("Slowest rank: share of the iterations in which a rank's own time was the longest",
                table.markup(), true);
}

std::string iterations(const RunAnalysis& analysis, const ReportOptions& options) {
  const IterationTable table =
      table_of(analysis.view, !options.whole_table, options.whole_table ? no_limit : columns_on_page);
  if (table.rows.empty()) {
    return "";
  }
  std::vector<HtmlTable::Heading> headings{{"Phase"}, {"Iterations"}, {"Runs", Cells::number}};
  for (const ProblemName* problem : table.problems) {
    headings.push_back({name_of(*problem)});
  }
  headings.push_back({"Region", Cells::number});
  HtmlTable markup(std::move(headings));
  const std::size_t limit = options.whole_table ? no_limit : rows_on_page;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (table.rows.size() > limit && r >= limit / 2 && r + limit / 2 < table.rows.size()) {
      continue;
    }
    const TableRow& row = table.rows[r];
    std::vector<std::string> cells{std::string(row.phase),
                                   row.phase == "final" ? "final" : ranges_text(row.iterations, 8),
                                   std::to_string(row.count)};
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    cells.push_back(row.makespan_ns > 0 ? duration_text(row.makespan_ns) : "");
    markup.add(cells, row.phase == "final" ? "chosen" : "");
  }
  std::string notes;
  if (table.rows.size() > limit) {
    notes += left_out(table.rows.size() - limit, "row");
  }
  if (table.problems_left_out > 0) {
    notes += left_out(table.problems_left_out, "kernel or key");
  }
  return folded("Iteration table: " + count_text(analysis.view.iterations.size(), "iteration"),
                markup.markup() + notes);
}

}  // namespace

std::string status_badge(RunStatus status, bool ranks_disagree) {
  const std::string name = status_name(status);
  std::string badge = element("span", name, "class=\"badge " + name + "\"");
  return ranks_disagree ? badge + " " + element("span", "ranks disagree", "class=\"badge failed\"") : badge;
}

std::string html_details(const RunAnalysis& analysis, const Logs& logs, std::size_t number,
                         const ReportOptions& options) {
  std::string markup = head(analysis, number) + ending(analysis, logs) + comparison(analysis);
  const std::string plots = region_plot(analysis.view) + choice_plot(analysis);
  markup += plots.empty() ? "" : element("div", plots, "class=\"plots\"") + "\n";
  std::string problems;
  const std::size_t limit = options.whole_table ? no_limit : problems_on_page;
  for (std::size_t i = 0; i < std::min(limit, analysis.problems.size()); ++i) {
    const std::string label = analysis.problems.size() > 1 ? "[" + std::to_string(i + 1) + "] " : "";
    problems += problem_section(analysis.problems[i], label, options);
  }
  markup += problems.empty() ? "" : element("div", problems, "class=\"plots\"") + "\n";
  if (analysis.problems.size() > limit) {
    markup += left_out(analysis.problems.size() - limit, "kernel or key");
  }
  markup += contests(analysis, options) + slowness(analysis) + iterations(analysis, options);
  return element("section", "\n" + markup, "id=\"run-" + std::to_string(number) + "\"") + "\n";
}

}  // namespace contextual::log_report
