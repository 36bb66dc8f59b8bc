#include "report/text/text_report.hpp"

#include "report/format/columns.hpp"
#include "support/catch.hpp"
#include "unit/tools/sample_logs.hpp"

#include <algorithm>
#include <sstream>

using namespace contextual::log_report;
using namespace report_test;

namespace {

std::string text_of(const std::vector<std::string>& files, const ReportOptions& options = {}) {
  return text_report(make_report("logs", read(files), options), options);
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, columns_of(line));
  }
  return longest;
}

/// A run of four ranks in which the third one is gone.
std::vector<std::string> lost_rank() {
  const SampleRun four{.ranks = 4};
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank) {
    Events events = until(events_of(four, rank), 5);
    if (rank != 2) {
      events.emplace_back(
          failed(four, rank, "CommunicationError", "deadline expired (missing: rank 2)", {2}, 5));
    }
    files.push_back(lines_of(events));
  }
  return files;
}

}  // namespace

TEST_CASE("text_report: a good run has choices and why, contests, slowest rank and table", "[unit]") {
  const std::string text = text_of(files_of({}));
  for (const char* part :
       {"logs: 2 logs,", "status: ok", "[1] gemm (4096, bf16)",
        "chosen: config-1 {BLOCK_N: 128, IMPL: mma}, 80.00 us",
        "why: fastest by own time, 20.0 % shorter than the default", "values: BLOCK_N, IMPL",
        "gemm (4096, bf16), the others fixed", "incumbent, chosen", "Slowest rank", "100.0 %",
        "result: the region takes 205.0 us with the chosen configs and 230.0 us with all defaults, -11.3 %",
        "config-0 (iter-0..2)", "best: config-1"}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
  CHECK(text.find("culprit") == std::string::npos);
}

TEST_CASE("text_report: a run that ended badly names the culprit in the overview and in its details",
          "[unit]") {
  const std::string text = text_of(lost_rank());
  CHECK_THAT(text, ContainsSubstring("1 ag_gemm: culprit: rank 2: its log ends"));
  CHECK_THAT(text, ContainsSubstring("ranks 0, 1, 3 (failed): walk, iteration 5"));
  CHECK_THAT(text, ContainsSubstring("rank 2 (no end): last logged: walk, iteration 4"));
}

TEST_CASE("text_report: a choice that is provisional says what that means", "[unit]") {
  Events events = events_of({.ranks = 1}, 0);
  for (contextual::record::Event& event : events) {
    if (auto* choice = std::get_if<contextual::record::Choice>(&event.body)) {
      choice->status = contextual::record::ChoiceStatus::provisional;
    }
  }
  const std::string text = text_of({lines_of(events)});
  CHECK_THAT(text, ContainsSubstring("chosen: config-1 {BLOCK_N: 128, IMPL: mma}, 80.00 us, provisional"));
  CHECK_THAT(text,
             ContainsSubstring("provisional: used in this region only, and a later run tunes it again"));
  CHECK(text_of(files_of({})).find("provisional") == std::string::npos);
}

TEST_CASE("text_report: no line is wider than asked for, whatever the names", "[unit]") {
  const SampleRun wide{.region = std::string(300, 'r') + "\xe6\x97\xa5\xe6\x9c\xac"};
  for (const std::size_t width : {60, 100, 160}) {
    ReportOptions options;
    options.width = width;
    options.all = true;
    CHECK(longest_line(text_of(files_of({}), options)) <= width);
    CHECK(longest_line(text_of(files_of(wide), options)) <= width);
    CHECK(longest_line(text_of(lost_rank(), options)) <= width);
    options.whole_table = true;
    CHECK(longest_line(text_of(files_of({}), options)) <= width);
  }
}

TEST_CASE("text_report: details are those of the newest run of a region, or of what was asked for",
          "[unit]") {
  const SampleRun old{.ranks = 1, .id = "old1", .time = "2026-01-31T12:00:00Z"};
  const SampleRun other{.ranks = 1, .region = "other", .id = "other1", .time = "2026-01-31T13:00:00Z"};
  const SampleRun fresh{.ranks = 1, .id = "new1", .time = "2026-01-31T14:00:00Z"};
  const std::vector<std::string> files{lines_of(events_of(old, 0)) + lines_of(events_of(other, 0)) +
                                       lines_of(events_of(fresh, 0))};
  const auto details = [&](const ReportOptions& options) {
    const std::string text = text_of(files, options);
    std::string found;
    for (const char* id : {"old1", "other1", "new1"}) {
      found += text.find(": tuning " + std::string(id)) != std::string::npos ? std::string(id) + " " : "";
    }
    return found;
  };
  CHECK(details({}) == "other1 new1 ");
  CHECK(details({.all = true}) == "old1 other1 new1 ");
  CHECK(details({.region = "ag_gemm"}) == "new1 ");
  CHECK(details({.tuning = "1"}) == "old1 ");
  CHECK(details({.tuning = "old1"}) == "old1 ");
  CHECK(details({.region = "no such region"}).empty());
}

TEST_CASE("text_report: escapes for colours only where asked for", "[unit]") {
  CHECK(text_of(lost_rank()).find('\x1b') == std::string::npos);
  ReportOptions options;
  options.colour = true;
  CHECK(text_of(lost_rank(), options).find("\x1b[31m") != std::string::npos);
}

TEST_CASE("text_report: damaged lines are named, at most some of them", "[unit]") {
  std::string file = lines_of(events_of({.ranks = 1}, 0));
  for (int i = 0; i < 1'000; ++i) {
    file += "damaged\n";
  }
  const std::string text = text_of({file});
  CHECK_THAT(text, ContainsSubstring("damaged lines, skipped: 1000"));
  CHECK_THAT(text, ContainsSubstring("rank-0.jsonl:"));
  CHECK_THAT(text, ContainsSubstring("995 more"));
}
