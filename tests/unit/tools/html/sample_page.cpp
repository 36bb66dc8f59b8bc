/// \file
/// Prints the page of some sample logs, for tests/tools/check_html.py: a good run of three ranks, one that
/// ended badly, and names that must be escaped.

#include "report/html/html_report.hpp"
#include "unit/tools/sample_logs.hpp"

#include <exception>
#include <iostream>

namespace {

std::vector<std::string> sample_files() {
  using namespace report_test;
  const SampleRun good{.ranks = 3, .id = "good"};
  const SampleRun bad{
      .ranks = 3, .region = "bad \"<b>&'\x1b[2J", .id = "bad", .time = "2026-01-31T13:00:00Z"};
  std::vector<std::string> files;
  for (int rank = 0; rank < 3; ++rank) {
    Events events = until(events_of(bad, rank), 5);
    if (rank != 1) {
      events.emplace_back(failed(bad, rank, "CommunicationError", "missing: <rank 1>", {1}, 5));
    }
    files.push_back(lines_of(events_of(good, rank)) + "damaged & <line>\n" + lines_of(events));
  }
  return files;
}

}  // namespace

int main() {
  using namespace contextual::log_report;
  try {
    const ReportOptions options{.all = true};
    std::cout << html_report(make_report("logs of <two> runs", report_test::read(sample_files()), options),
                             options);
  } catch (const std::exception& error) {
    std::cerr << "sample_page: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
