/// \file
/// The logs of tuning runs as files: append-only, whole lines, one process each.

#include "support/log_events.hpp"
#include "support/stderr_capture.hpp"
#include "unit/tuning/changed_options.hpp"

#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

namespace contextual::test::logs_test {

namespace {

Options logged(const TemporaryDirectory& directory) {
  return quick({.log_directory = directory.path()});
}

/// Every line of both logs of rank 0 is whole: it begins and ends as lines of that log do.
void check_whole(const TemporaryDirectory& directory) {
  std::ifstream text(directory.path() / "rank-0.log");
  std::ifstream json(directory.path() / "rank-0.jsonl");
  std::size_t lines = 0;
  for (std::string line; std::getline(text, line); ++lines) {
    CHECK(line.rfind("[rank-0] func: ", 0) == 0);
    CHECK(count_of(line, "[rank-") == 1);
  }
  for (std::string line; std::getline(json, line); ++lines) {
    CHECK(line.front() == '{');
    CHECK(line.back() == '}');
    CHECK(count_of(line, "\"run_id\"") == 1);
  }
  CHECK(lines > 0);
}

}  // namespace

TEST_CASE("holds 13: logs are append-only, never truncated by a second tuner") {
  const TemporaryDirectory directory;
  TunableKernel kernel{"holds_13", blocks(3), single_problem, [](const Block&) {}};
  std::string before_text;
  std::string before_json;
  for (const std::string region : {"holds_13_one", "holds_13_two", "holds_13_three"}) {
    const RegionReport report = tuned(logged(directory), region, [&] { kernel(); });
    CHECK(report.log_directory == std::filesystem::canonical(directory.path()).string());
    const std::string text = text_of_file(directory.path() / "rank-0.log");
    const std::string json = text_of_file(directory.path() / "rank-0.jsonl");
    CHECK(text.size() > before_text.size());
    CHECK(text.rfind(before_text, 0) == 0);
    CHECK(json.rfind(before_json, 0) == 0);
    CHECK_THAT(text, ContainsSubstring(region));
    before_text = text;
    before_json = json;
  }
  check_whole(directory);
}

TEST_CASE("holds 13: lines are on disk while the region still runs") {
  const TemporaryDirectory directory;
  OneKernel one("holds_13_flush", 3, {}, logged(directory));
  one.in_launch = [&](const Block&) {
    if (one.runs == 7) {
      CHECK_THAT(text_of_file(directory.path() / "rank-0.log"), ContainsSubstring("best-config-id: 2"));
    }
  };
  one.run();
  CHECK(one.runs == 7);
}

TEST_CASE("fork: a child forked inside a region exits, the parent's logs stay whole, the parent goes on") {
  const TemporaryDirectory directory;
  OneKernel one("fork_inside", 3, {}, logged(directory));
  std::vector<int> statuses;
  one.tuner.run("fork_inside", [&] {
    one.region();
    if (one.runs % 2 == 0) {
      statuses.push_back(exit_status_of_fork([&] {
        one.kernel();  // a child may launch and leave
        return 0;
      }));
    }
  });
  CHECK(one.runs == 7);
  CHECK(statuses == std::vector<int>{0, 0, 0});
  CHECK(one.problem().choice == 2);
  check_whole(directory);
  CHECK(count_of(text_of_file(directory.path() / "rank-0.jsonl"), "\"run_end\"") == 1);
}

#ifndef __SANITIZE_THREAD__  // which refuses threads that are started after such a fork
TEST_CASE("fork: a child forked after a run uses what is locked in and may tune on its own") {
  const TemporaryDirectory directory;
  const TemporaryDirectory of_child;
  TunableKernel kernel{"fork_after", blocks(3), [](int n) { return make_key(n); },
                       [](const Block& c, int) { return c.block; }};
  ContextualAutotuner tuner{logged(directory)};
  tuner.run("fork_after", [&] { kernel(1); });
  const std::string log = text_of_file(directory.path() / "rank-0.jsonl");
  CHECK(exit_status_of_fork([&] {
          if (kernel(1) != 2) {
            return 3;
          }
          tuner.run("fork_after_child", [&] { kernel(2); }, {.log_directory = of_child.path()});
          return kernel(2) == 2 ? 0 : 4;
        }) == 0);
  CHECK(text_of_file(directory.path() / "rank-0.jsonl") == log);
  check_whole(of_child);
  CHECK(kernel(2) == 0);  // the child's lock-in is its own
  tuner.run("fork_after", [&] { kernel(2); });
  CHECK(kernel(2) == 2);
  check_whole(directory);
}
#endif

TEST_CASE("logs: a default directory that cannot be written is said once, and tuning goes on") {
  const TemporaryDirectory directory;
  CHECK(exit_status_of_fork([&] {
          if (::chdir(directory.path().c_str()) != 0) {
            return 3;
          }
          std::ofstream(".autotune_logs") << "no directory";
          const StderrCapture capture;
          Options options = quick();
          options.log_directory.reset();
          OneKernel one("logs_unwritable", 3, {}, options);
          one.run();
          const bool tuned = one.tuner.run("logs_unwritable_too", [&] { return one.region(); }) == 2;
          return tuned && count_of(capture.text(), "warning: cannot write logs to the directory") == 1 ? 0
                                                                                                       : 1;
        }) == 0);
}

TEST_CASE(
    "logs: at the limit of a file's size tuning goes on, and the program's own writes are as they were") {
  static volatile std::sig_atomic_t signals = 0;
  for (const rlim_t most_bytes : {rlim_t{0}, rlim_t{1000}}) {
    const TemporaryDirectory directory;
    const TemporaryDirectory cache;
    CHECK(exit_status_of_fork([&] {
            const StderrCapture capture;
            const rlimit limit{most_bytes, RLIM_INFINITY};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            Options options = logged(directory);
            options.cache_directory = cache.path();
            options.print = Print::choices;
            if (tune_alone("logs_limited", 3, options).choice != 2) {
              return 3;
            }
            if (most_bytes > 0 && count_of(capture.text(), "cannot write to") != 1) {
              return 4;
            }
            std::signal(SIGXFSZ, [](int) { signals = signals + 1; });
            const int own = ::open((directory.path() / "own").c_str(), O_CREAT | O_WRONLY, 0600);
            const std::string text(2000, 'x');
            const bool refused =
                ::write(own, text.data(), text.size()) == static_cast<ssize_t>(most_bytes) || errno == EFBIG;
            if (most_bytes > 0) {
              static_cast<void>(!::write(own, text.data(), text.size()));
            }
            return refused && signals == 1 ? 0 : 1;
          }) == 0);
  }
}

}  // namespace contextual::test::logs_test
