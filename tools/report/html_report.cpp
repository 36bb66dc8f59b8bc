#include "html_details.hpp"
#include "html_table.hpp"
#include "html_text.hpp"
#include "page_style.hpp"
#include "report.hpp"
#include "wording.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t damaged_on_page = 20;  ///< lines of one file
constexpr std::size_t runs_on_page = 1'000;
constexpr std::size_t details_on_page = 50;

std::string files(const Report& report) {
  std::size_t lines = 0;
  HtmlTable table({{"Where"}, {"What", Cells::wide}});
  for (const LogFile& file : report.logs.files) {
    lines += file.line_count;
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

std::string overview(const Report& report) {
  HtmlTable table({{"Run"},
                   {"Started"},
                   {"Region"},
                   {"Ranks", Cells::number},
                   {"Status"},
                   {"Walk + finals", Cells::number},
                   {"Elapsed", Cells::number},
                   {"Choices, or who to look at", Cells::wide}});
  const std::size_t all = report.summaries.size();
  for (std::size_t i = all > runs_on_page ? all - runs_on_page : 0; i < all; ++i) {
    const RunSummary& summary = report.summaries[i];
    const TuningRun& run = *summary.run;
    const std::string number = std::to_string(summary.number);
    const std::string ranks = run.absent.empty()
                                  ? std::to_string(run.rank_count)
                                  : std::to_string(run.ranks.size()) + "/" + std::to_string(run.rank_count);
    table.add_linked(
        summary.selected ? element("a", number, "href=\"#run-" + number + "\"") : number,
        {std::string(run.started), region_text(run), ranks,
         std::string(status_name(summary.status)) + (summary.disagreements > 0 ? ", ranks disagree" : ""),
         summary.iterations, summary.elapsed_ns < 0 ? "" : duration_text(summary.elapsed_ns),
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

}  // namespace

std::string html_report(const Report& report, const ReportOptions& options) {
  const std::string title = "Tuning report: " + report.directory;
  std::string body = element("h1", escaped(title)) + "\n" + files(report);
  if (!report.runs.empty()) {
    body += overview(report);
  }
  std::size_t written = 0;
  for (auto it = report.summaries.rbegin(); it != report.summaries.rend(); ++it) {
    if (it->selected && written++ < details_on_page) {
      body += html_details(analyse(*it->run, report.logs), report.logs, it->number, options);
    }
  }
  if (written > details_on_page) {
    body += element("p",
                    escaped("Details of " + count_text(written - details_on_page, "older run") + " left out"),
                    "class=\"soft\"") +
            "\n";
  }
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n" +
         element("title", escaped(title)) + "\n" + element("style", page_style) + "\n</head>\n<body>\n" +
         element("main", "\n" + body) + "\n</body>\n</html>\n";
}

}  // namespace contextual::log_report
