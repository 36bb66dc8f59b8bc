#include "report/html/html_report.hpp"

#include "report/format/quantities.hpp"
#include "report/html/html_sections.hpp"
#include "report/html/html_text.hpp"
#include "report/html/page_style.hpp"

#include <algorithm>
#include <vector>

namespace contextual::log_report {
namespace {

constexpr std::size_t details_on_page = 50;

/// The selected runs, the newest first.
std::vector<const RunSummary*> selected_runs(const Report& report) {
  std::vector<const RunSummary*> runs;
  for (auto run = report.summaries.rbegin(); run != report.summaries.rend(); ++run) {
    if (run->selected) {
      runs.push_back(&*run);
    }
  }
  return runs;
}

std::string page(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n" +
         element("title", escaped(title)) + "\n" + element("style", page_style) + "\n</head>\n<body>\n" +
         element("main", "\n" + body) + "\n</body>\n</html>\n";
}

}  // namespace

std::string html_report(const Report& report, const ReportOptions& options) {
  std::vector<const RunSummary*> detailed = selected_runs(report);
  const std::size_t left_out = detailed.size() - std::min(detailed.size(), details_on_page);
  detailed.resize(detailed.size() - left_out);

  const std::string title = "Tuning report: " + report.directory;
  std::string body = element("h1", escaped(title)) + "\n" + files_markup(report);
  if (!report.runs.empty()) {
    body += overview_markup(report, detailed);
  }
  for (const RunSummary* summary : detailed) {
    body += html_details(analyse(*summary->run, report.logs), report.logs, summary->number, options);
  }
  if (left_out > 0) {
    body += element("p",
                    escaped("Details of " + count_text(left_out, "older run") +
                            " left out; --tuning N writes a page of run N"),
                    "class=\"soft\"") +
            "\n";
  }
  return page(title, body);
}

}  // namespace contextual::log_report
