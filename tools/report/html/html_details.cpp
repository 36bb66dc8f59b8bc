#include "report/format/ranges.hpp"
#include "report/html/html_blocks.hpp"
#include "report/html/html_sections.hpp"
#include "report/html/html_table.hpp"
#include "report/html/html_text.hpp"
#include "report/html/plots.hpp"
#include "report/judging/absence.hpp"
#include "report/wording/limit_wording.hpp"
#include "report/wording/run_wording.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t problems_on_page = 100;

/// "ok" and the like, in a frame.
std::string status_badges(const RunAnalysis& analysis) {
  const std::string name = status_name(analysis.ending.status);
  const std::string badge = element("span", name, "class=\"badge " + name + "\"");
  return analysis.comparison.disagreements.empty()
             ? badge
             : badge + " " + element("span", "ranks disagree", "class=\"badge failed\"");
}

std::string head(const RunAnalysis& analysis, std::size_t number) {
  const TuningRun& run = *analysis.run;
  const RankRun& first = *run.ranks.front();
  std::string markup = element("h2", std::to_string(number) + ". " + escaped(region_text(run)) + " " +
                                         status_badges(analysis)) +
                       "\n";
  markup += paragraph("Tuning " + run.id + ", " + head_text(run));
  if (first.start && !first.start->options.empty()) {
    markup += paragraph("Options: " + std::string(first.start->options), "class=\"soft\"");
  }
  if (const std::string text = never_met_text(run); !text.empty()) {
    markup += paragraph(text);
  }
  if (const std::string result = result_text(analysis); !result.empty()) {
    markup += element("p", element("strong", "Result: " + escaped(result))) + "\n";
  }
  return markup;
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
  for (const Absence& absence : absences_of(*analysis.run, logs)) {
    table.add({ranges_text(absence.ranks), "absent", "", absence.why});
  }
  return markup + table.markup();
}

std::string warnings(const RunAnalysis& analysis) {
  std::string markup;
  for (const std::string& text : analysis.warnings) {
    markup += paragraph(text);
  }
  return markup.empty() ? "" : element("h3", "Warnings") + markup;
}

std::string limit(const RunAnalysis& analysis) {
  if (analysis.limit == nullptr) {
    return "";
  }
  std::string markup = element("h3", "Limit: how short the region could be") + "\n";
  for (const std::string& text : limit_texts(*analysis.limit)) {
    markup += paragraph(text);
  }
  return markup;
}

std::string plots(const RunAnalysis& analysis) {
  const std::string markup = region_plot(analysis.view) + choice_plot(analysis);
  return markup.empty() ? "" : element("div", markup, "class=\"plots\"") + "\n";
}

std::string problems(const RunAnalysis& analysis, const ReportOptions& options) {
  const std::size_t shown = std::min(options.limit(problems_on_page), analysis.problems.size());
  std::string markup;
  for (std::size_t i = 0; i < shown; ++i) {
    const ProblemResult& problem = analysis.problems[i];
    markup += problem_markup(problem, problem_label(analysis, problem.name), options);
  }
  markup = markup.empty() ? "" : element("div", markup, "class=\"plots\"") + "\n";
  if (shown < analysis.problems.size()) {
    markup += left_out_note(analysis.problems.size() - shown, "kernel or key");
  }
  return markup;
}

}  // namespace

std::string html_details(const RunAnalysis& analysis, const Logs& logs, std::size_t number,
                         const ReportOptions& options) {
  const std::string markup =
      head(analysis, number) + ending(analysis, logs) + rank_differences_markup(analysis) +
      warnings(analysis) + limit(analysis) + plots(analysis) + problems(analysis, options) +
      search_markup(analysis, options) + slowness_markup(analysis) + iterations_markup(analysis, options);
  return element("section", "\n" + markup, "id=\"run-" + std::to_string(number) + "\"") + "\n";
}

}  // namespace contextual::log_report
