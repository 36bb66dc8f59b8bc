#include "report/text/text_report.hpp"

#include "report/format/table.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "unit/tools/sample_logs.hpp"

#include <algorithm>
#include <sstream>

namespace text_report_test {

using namespace contextual::log_report;
using namespace report_test;

using contextual::record::SearchResult;

namespace {

std::string text_of(const std::vector<std::string>& files, const ReportOptions& options = {}) {
  return text_report(make_report("logs", read(files), options), options);
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, contextual::record::column_count(line));
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

TEST_CASE("text_report: details are of the newest run that has measured something", "[unit]") {
  const SampleRun later{.ranks = 1, .id = "later", .time = "2026-02-01T12:00:00Z"};
  Events with_kept = start_only(later, 0);
  with_kept.push_back(events_of(later, 0).back());
  auto& end = std::get<contextual::record::RunEnd>(with_kept.back().body);
  end.walk_iterations = end.search_iterations = 0;
  const std::string text = text_of({files_of({.ranks = 1})[0] + lines_of(with_kept)});
  CHECK_THAT(text, ContainsSubstring("0 + 0"));
  const char* const choice = "chosen: config-1 {BLOCK_N: 128, IMPL: mma}, 80.10 us";
  CHECK_THAT(text, ContainsSubstring(choice));
  const SampleRun between{.ranks = 1, .id = "between", .time = "2026-02-01T11:00:00Z"};
  Events failing = start_only(between, 0);
  failing.push_back(failed(between, 0, "std::runtime_error", "boom", {0}, -1));
  const std::string measured = files_of({.ranks = 1})[0];
  CHECK_THAT(text_of({measured + lines_of(failing) + lines_of(with_kept)}), ContainsSubstring(choice));
  CHECK_THAT(text_of({measured + lines_of(failing)}), !ContainsSubstring(choice));
}

TEST_CASE("text_report: a good run has choices and why, the search, slowest rank and table", "[unit]") {
  const std::string text = text_of(files_of({}));
  for (const char* part :
       {"logs: 2 logs,",
        "status: ok",
        "search=normal restore=\"weights\"",
        "[1] gemm (4096, bf16)",
        "ranks  status  walk + search",
        "to default  samples  region's time  values",
        "values: BLOCK_N, IMPL",
        "chosen: config-1 {BLOCK_N: 128, IMPL: mma}, 80.10 us",
        "why: fastest by own time, 20.0 % shorter than the default",
        "time: its walk took 5.000 ms",
        "  gemm  (4096, bf16)  {BLOCK_N: 128, IMPL: mma}  80.10 us  -19.9 %\n",
        "  norm  (4096, bf16)  {BLOCK_N: 64, IMPL: mma}   30.10 us  default\n",
        "sets: 6 exist, 3 measured, 2 infeasible; 26 runs, 11 of them lead-ins",
        "ended: complete",
        "gemm 1, norm 0        5       205.0 us  +- 700 ns             chosen",
        "gemm 0, norm 0        4       230.0 us  +- 600 ns    +12.2 %  all defaults",
        "infeasible: gemm 2, norm 0: rank 1: no progress in 1000 ms",
        "config-1 (lead-in)",
        "Slowest rank",
        "100.0 %",
        "  to all defaults: -11.3 % (95 % interval -12.2 % to -10.4 %), 205.0 us +- 700 ns against",
        "config-0 (iter-0..2)",
        "best: config-1"}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
  CHECK(text.find("culprit") == std::string::npos);
}

TEST_CASE("text_report: rates are columns of the configs and part of the choice, where they are known",
          "[unit]") {
  const std::string without = text_of(files_of({}));
  CHECK(without.find("FLOP/s") == std::string::npos);
  CHECK(without.find("GB/s") == std::string::npos);
  const Events events = changed<contextual::record::ConfigSummary>(
      events_of({.ranks = 1}, 0),
      [](auto& summary) { summary.gigabytes_per_second = 1234.56 + static_cast<double>(summary.config.id); });
  const std::string text = text_of({lines_of(events)}, {.width = 160});
  CHECK_THAT(text, ContainsSubstring("80.10 us, 1234 GB/s"));
  CHECK_THAT(text, ContainsSubstring("to default  GB/s  samples"));
  CHECK_THAT(text, ContainsSubstring("1236"));
  CHECK(text.find("FLOP/s") == std::string::npos);  // of operations nothing is known
}

TEST_CASE("text_report: own times are those in the chosen set, and of the walk where that never ran",
          "[unit]") {
  // Beside what the walk ran with it, the choice took 37 times as long as the default.
  Events events = changed<contextual::record::LaunchRow>(events_of({.ranks = 1}, 0), [](auto& row) {
    if (row.phase == contextual::Phase::walk && row.config.id == 1) {
      row.agreed_ns = 3'700'000;
    }
  });
  CHECK_THAT(text_of({lines_of(events)}), ContainsSubstring("IMPL: mma}  80.10 us  -19.9 %\n"));
  std::erase_if(events, [](const auto& event) {
    const auto* const row = std::get_if<contextual::record::LaunchRow>(&event.body);
    return row != nullptr && row->phase == contextual::Phase::search;
  });
  CHECK_THAT(text_of({lines_of(events)}), ContainsSubstring("IMPL: mma}  80.00 us  36.94 x  in the walk\n") &&
                                              ContainsSubstring("IMPL: mma}, 80.00 us, in the walk\n"));
}

TEST_CASE("text_report: a long search shows its shortest sets, all where that is asked for", "[unit]") {
  const Events events = changed<SearchResult>(events_of({.ranks = 1}, 0), [](SearchResult& search) {
    for (std::int64_t id = 0; id < 40; ++id) {
      search.measured.push_back({{3 + id, 0}, 2, 300'000.0 + static_cast<double>(id), 1, {}});
      search.infeasible.push_back({{3 + id, 1}, "starved"});
    }
  });
  const std::string text = text_of({lines_of(events)});
  CHECK_THAT(text, ContainsSubstring("27 longer sets left out; --whole-table shows them"));
  CHECK_THAT(text, ContainsSubstring("37 infeasible sets left out"));
  CHECK(text.find("gemm 42, norm 0") == std::string::npos);
  CHECK_THAT(text_of({lines_of(events)}, {.whole_table = true}), ContainsSubstring("gemm 42, norm 0"));
}

TEST_CASE("text_report: a run that ended badly names the culprit in the overview and in its details",
          "[unit]") {
  const std::string text = text_of(lost_rank());
  CHECK_THAT(text, ContainsSubstring("1 ag_gemm: culprit: rank 2: its log ends"));
  CHECK_THAT(text, ContainsSubstring("ranks 0, 1, 3 (failed): walk, iteration 5"));
  CHECK_THAT(text, ContainsSubstring("rank 2 (no end): last logged: walk, iteration 4"));
}

TEST_CASE("text_report: a choice that is provisional says what that means", "[unit]") {
  const Events events = changed<contextual::record::Choice>(events_of({.ranks = 1}, 0), [](auto& choice) {
    choice.status = contextual::record::ChoiceStatus::provisional;
  });
  const std::string text = text_of({lines_of(events)});
  CHECK_THAT(text, ContainsSubstring("chosen: config-1 {BLOCK_N: 128, IMPL: mma}, 80.10 us, provisional"));
  CHECK_THAT(text,
             ContainsSubstring("provisional: used in this region only, and a later run tunes it again"));
  CHECK(text_of(files_of({})).find("provisional") == std::string::npos);
}

TEST_CASE("text_report: configs and keys are whole in every width, with lines of their own if they are long",
          "[unit]") {
  const std::string key = "{ROWS: 4096, COLUMNS: 65536, LAYOUT: column_major, ACCUMULATE: false, STAGE: 1}";
  const contextual::Config config{{"BLOCK_M", 128}, {"BLOCK_N", 256}, {"SCHEDULE", "persistent_by_columns"}};
  Events events = events_of({.ranks = 1}, 0);
  const auto lengthen = [&](auto& use) {
    use.problem.key = key;
    use.values = config;
  };
  events = changed<contextual::record::LaunchRow>(events, [&](auto& row) { lengthen(row.config); });
  events = changed<contextual::record::ConfigSummary>(events, [&](auto& row) { lengthen(row.config); });
  events = changed<contextual::record::Choice>(events, [&](auto& choice) { lengthen(choice.config); });
  events = changed<SearchResult>(events, [&](auto& search) {
    for (auto& problem : search.problems) {
      problem.problem.key = key;
    }
  });
  for (const std::size_t width : {60, 80, 100, 200}) {
    INFO(width);
    const std::string text = text_of({lines_of(events)}, {.width = width});
    CHECK(longest_line(text) <= width);
    std::string joined;  // as a reader joins the lines of a long text
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      joined += word + " ";
    }
    CHECK_THAT(joined, !ContainsSubstring("..."));
    CHECK_THAT(
        joined,
        ContainsSubstring(
            "Choices: kernel, key, config, own time in the chosen set, to that with all defaults gemm"));
    CHECK(engine_test::count_of(joined, config.to_string()) >= 4);  // both choices, twice
    CHECK(engine_test::count_of(joined, key) >= 4);
  }
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

TEST_CASE("text_report: damaged lines are counted, the first is named", "[unit]") {
  std::string file = lines_of(events_of({.ranks = 1}, 0));
  for (int i = 0; i < 1'000; ++i) {
    file += "damaged\n";
  }
  const std::string text = text_of({file});
  CHECK_THAT(text,
             ContainsSubstring("damaged lines, skipped: rank-0.jsonl: 1000, the first is line 44: no JSON"));
}

}  // namespace text_report_test
