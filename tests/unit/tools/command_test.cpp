#include "report/command.hpp"

#include "support/engine.hpp"
#include "unit/tools/sample_logs.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace command_test {

using namespace contextual::log_report;
using namespace report_test;

namespace {

struct Directory : engine_test::TemporaryDirectory {
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path() / name, std::ios::binary) << text;
  }
};

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

Outcome run(const Command& command) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_command(command, out, err);
  return {code, out.str(), err.str()};
}

Command in(const Directory& directory) {
  Command command;
  command.directory = directory.path();
  return command;
}

}  // namespace

TEST_CASE("run_command: 0 for good logs, 1 when a run ended badly, 2 when there is nothing", "[unit]") {
  const Directory directory;
  CHECK(run(in(directory)).code == exit_no_input);
  directory.write("rank-0.jsonl", files_of({})[0]);
  directory.write("rank-1.jsonl", files_of({})[1]);
  directory.write("rank-1.log", "for people");
  CHECK(run(in(directory)).code == exit_fine);
  directory.write("rank-1.jsonl", lines_of(until(events_of({}, 1), 4)));
  CHECK(run(in(directory)).code == exit_bad_run);
  directory.write("rank-1.jsonl", "");
  const Outcome absent = run(in(directory));
  CHECK(absent.code == exit_bad_run);
  CHECK_THAT(absent.out, ContainsSubstring("culprit: rank 1: rank-1.jsonl has no run of this tuning"));
}

TEST_CASE("run_command: what is no directory or no file to write is said, with exit code 2", "[unit]") {
  const Directory directory;
  Command command = in(directory);
  command.directory /= "missing";
  CHECK(run(command).code == exit_no_input);
  CHECK_THAT(run(command).err, ContainsSubstring("missing"));
  directory.write("rank-0.jsonl", files_of({.ranks = 1})[0]);
  command = in(directory);
  command.html = directory.path() / "no" / "page.html";
  CHECK(run(command).code == exit_no_input);
  command.html = directory.path() / "page.html";
  CHECK(run(command).code == exit_fine);
  CHECK(std::filesystem::file_size(command.html) > 1'000);
  command.options.region = "unknown";
  CHECK(run(command).code == exit_no_input);
}

TEST_CASE("run_command: a trace is of the newest run that is selected; without timelines there is none",
          "[unit]") {
  const Directory directory;
  Command command = in(directory);
  command.trace = directory.path() / "trace.json";
  const SampleRun older{.ranks = 1, .id = "old", .time = "2026-01-31T11:00:00Z"};
  const Events newer = events_of({.ranks = 1}, 0);
  directory.write("rank-0.jsonl", lines_of(events_of(older, 0)) + lines_of(newer));
  const Outcome traced = run(command);
  CHECK(traced.code == exit_fine);
  CHECK_THAT(traced.out, ContainsSubstring("trace.json: run 2, ag_gemm\n"));
  CHECK_THAT(traced.out, ContainsSubstring("  defaults: iteration 12 (search), 230.0 us; 1 rank, so there is "
                                           "nothing to align\n"));
  CHECK(std::filesystem::file_size(command.trace) > 1'000);
  command.options.tuning = "1";
  CHECK_THAT(run(command).out, ContainsSubstring("trace.json: run 1, ag_gemm\n"));
  std::filesystem::remove(command.trace);
  command.options.tuning.clear();
  directory.write("rank-0.jsonl", lines_of(without_timelines(newer)));
  const Outcome old_logs = run(command);
  CHECK(old_logs.code == exit_no_input);
  CHECK_THAT(old_logs.err, ContainsSubstring("no timeline in these logs"));
  CHECK_THAT(old_logs.out, ContainsSubstring("status: ok"));
  CHECK_FALSE(std::filesystem::exists(command.trace));
}

TEST_CASE("run_command: pipes, directories and odd names in the place of logs are never opened", "[unit]") {
  const Directory directory;
  directory.write("rank-0.jsonl", files_of({.ranks = 1})[0]);
  REQUIRE(mkfifo((directory.path() / "rank-1.jsonl").c_str(), 0600) == 0);
  std::filesystem::create_directory(directory.path() / "rank-2.jsonl");
  for (const char* name :
       {"rank-.jsonl", "rank-01.jsonl", "rank--1.jsonl", "rank-99999999999999999999.jsonl", "rank-x.jsonl"}) {
    directory.write(name, "not a log");
  }
  const Outcome outcome = run(in(directory));
  CHECK(outcome.code == exit_fine);
  CHECK_THAT(outcome.out, ContainsSubstring("rank-1.jsonl: cannot be read: not a regular file"));
  CHECK_THAT(outcome.out, ContainsSubstring("rank-2.jsonl: cannot be read: not a regular file"));
  CHECK(outcome.out.find("rank-01.jsonl") == std::string::npos);
}

}  // namespace command_test
