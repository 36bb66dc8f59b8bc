#include "report/format/columns.hpp"
#include "report/format/quantities.hpp"
#include "report/html/html_sections.hpp"
#include "report/html/html_table.hpp"
#include "report/html/html_text.hpp"
#include "report/wording/run_wording.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t damaged_on_page = 20;  ///< lines of one file
constexpr std::size_t runs_on_page = 1'000;

void add_file(HtmlTable& table, const LogFile& file) {
  if (!file.problem.empty()) {
    table.add({file.name, "cannot be read: " + file.problem});
  }
  const std::size_t shown = std::min(damaged_on_page, file.damaged.size());
  for (std::size_t i = 0; i < shown; ++i) {
    table.add({file.name + ":" + std::to_string(file.damaged[i].line), file.damaged[i].reason});
  }
  if (file.damaged_count > shown) {
    table.add({file.name, std::to_string(file.damaged_count - shown) + " more damaged lines"});
  }
  if (file.unknown_events + file.unknown_fields > 0) {
    table.add({file.name, "ignored: " + count_text(file.unknown_events, "unknown event") + ", " +
                              count_text(file.unknown_fields, "unknown field")});
  }
}

/// The first cell of a run's line.
std::string number_markup(const RunSummary& summary, const std::vector<const RunSummary*>& detailed) {
  const std::string number = std::to_string(summary.number);
  if (std::find(detailed.begin(), detailed.end(), &summary) != detailed.end()) {
    return element("a", number, "href=\"#run-" + number + "\"");
  }
  return summary.selected ? number + " (left out)" : number;
}

}  // namespace

std::string files_markup(const Report& report) {
  std::size_t lines = 0;
  HtmlTable table({{"Where"}, {"What", Cells::wide}});
  for (const LogFile& file : report.logs.files) {
    lines += file.line_count;
    add_file(table, file);
  }
  std::string markup =
      element("p",
              escaped(count_text(report.logs.files.size(), "log") + ", " + count_text(lines, "line") + ", " +
                      count_text(report.runs.size(), "tuning run")),
              "class=\"soft\"") +
      "\n";
  if (!table.empty()) {
    const std::string title = "Damaged lines, skipped: " + std::to_string(report.logs.damaged_count()) +
                              ". Not readable or not known";
    markup += element("details", element("summary", escaped(title)) + "\n" + table.markup()) + "\n";
  }
  return markup;
}

std::string overview_markup(const Report& report, const std::vector<const RunSummary*>& detailed) {
  HtmlTable table({{"Run"},
                   {"Started"},
                   {"Region"},
                   {"Ranks", Cells::number},
                   {"Status"},
                   {"Walk + search", Cells::number},
                   {"Elapsed", Cells::number},
                   {"To defaults", Cells::number},
                   {"Choices, or who to look at", Cells::wide}});
  const std::size_t all = report.summaries.size();
  for (std::size_t i = all > runs_on_page ? all - runs_on_page : 0; i < all; ++i) {
    const RunSummary& summary = report.summaries[i];
    table.add_linked(
        number_markup(summary, detailed),
        {std::string(summary.run->started), region_text(*summary.run), rank_fraction(*summary.run),
         std::string(status_name(summary.status)) + (summary.disagreements > 0 ? ", ranks disagree" : ""),
         summary.iterations, summary.elapsed_ns < 0 ? "" : duration_text(summary.elapsed_ns),
         summary.change ? percent_text(*summary.change) : "",
         summary.culprit.empty() ? summary.choices : shorten(summary.culprit, 300)},
        summary.bad() ? "failed" : "");
  }
  std::string markup = element("h2", "Tuning runs, the newest last") + "\n" + table.markup();
  if (all > runs_on_page) {
    markup +=
        element("p", escaped(count_text(all - runs_on_page, "older run") + " left out"), "class=\"soft\"");
  }
  return element("section", "\n" + markup) + "\n";
}

}  // namespace contextual::log_report
