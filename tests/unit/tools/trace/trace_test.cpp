#include "report/trace/trace.hpp"

#include "report/judging/runs.hpp"
#include "support/catch.hpp"
#include "unit/tools/sample_logs.hpp"
#include "unit/tools/trace/trace_checks.hpp"

namespace trace_test {

using namespace contextual::log_report;
using namespace report_test;
using nlohmann::json;

namespace {

json trace_of(const std::vector<std::string>& files) {
  const Logs logs = read(files);
  const std::vector<RunOfAllRanks> runs = join_runs(logs);
  REQUIRE(runs.size() == 1);
  return json::parse(trace_text(runs[0], aligned_timelines(runs[0])));
}

}  // namespace

TEST_CASE("trace: has every rank and side as a process, and all spans inside their iteration", "[unit]") {
  const json trace = trace_of(files_of({.ranks = 3}));
  const std::vector<std::string> names = check_trace(trace);
  CHECK(names == std::vector<std::string>{"rank 0: defaults", "rank 1: defaults", "rank 2: defaults",
                                          "rank 0: chosen", "rank 1: chosen", "rank 2: chosen"});
  CHECK(slices(trace, "rank 1: chosen", "gemm config-1").size() == 1);
  CHECK(slices(trace, "rank 1: defaults", "gemm config-0").size() == 1);
  CHECK(slices(trace, "rank 1: chosen", "norm config-0").size() == 2);
  CHECK(slices(trace, "rank 1: chosen", "other work").size() == 2);
}

TEST_CASE("trace: a launch has its time in us, and kernel, key, config and device", "[unit]") {
  const json trace = trace_of(files_of({.ranks = 2}));
  const json gemm = slices(trace, "rank 1: chosen", "gemm config-1").at(0);
  CHECK(gemm.at("ts").get<double>() == Approx(3.1));  // of 2.1, after 1 us of shift
  CHECK(gemm.at("dur").get<double>() == Approx(170));
  CHECK(gemm.at("args").at("kernel").get<std::string>() == "gemm");
  CHECK(gemm.at("args").at("key").get<std::string>() == "(4096, bf16)");
  CHECK(gemm.at("args").at("config_id").get<int>() == 1);
  CHECK(gemm.at("args").at("config").get<std::string>() == "{BLOCK_N: 128, IMPL: mma}");
  CHECK(gemm.at("args").at("device").get<std::string>() == "GPU 0");
}

TEST_CASE("trace: the handshakes of all ranks end at the mark; the file states the error", "[unit]") {
  const json trace = trace_of(files_of({.ranks = 2}));
  for (const char* process : {"rank 0: chosen", "rank 1: chosen", "rank 0: defaults", "rank 1: defaults"}) {
    const auto handshakes = slices(trace, process, "handshake");
    REQUIRE(handshakes.size() == 1);
    CHECK(handshakes[0].at("ts").get<double>() + handshakes[0].at("dur").get<double>() == Approx(3));
  }
  int marks = 0;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph").get<std::string>() == "i") {
      ++marks;
      CHECK(event.at("ts").get<double>() == Approx(3));
    }
  }
  CHECK(marks == 4);
  const json& other = trace.at("otherData");
  CHECK(other.at("region").get<std::string>() == "ag_gemm");
  CHECK(other.at("tuning").get<std::string>() == "a1");
  CHECK_THAT(other.at("chosen").get<std::string>(),
             ContainsSubstring("iteration 10 (search), 205.0 us") && ContainsSubstring("to within 1.400 us"));
  CHECK_THAT(other.at("defaults").get<std::string>(), ContainsSubstring("iteration 12 (search)"));
}

TEST_CASE("trace: names from a log cannot break the JSON", "[unit]") {
  SampleRun run{.ranks = 1};
  run.region = "a\"b\\c\n\xff";
  Events events = events_of(run, 0);
  const json trace = trace_of({lines_of(events)});
  CHECK(check_trace(trace).size() == 2);
}

}  // namespace trace_test
