/// \file
/// A wrapped region's later calls that go wrong: one rank meets a new key, or a call is blocked. And runs
/// with nothing to tune that are blocked.

#include "support/child_process.hpp"
#include "support/log_events.hpp"
#include "unit/tuning/changed_options.hpp"

#include <future>

namespace contextual::test::later_call_test {

using nlohmann::json;
using std::chrono::milliseconds;

namespace {

/// Waits until the log of rank 0 has an event of that name; gives up after ten seconds.
bool comes_to_say(const std::filesystem::path& logs, const std::string& name, std::size_t count = 1) {
  for (int i = 0; i < 1000; ++i) {
    if (events_in(logs, 0, name).size() >= count) {
      return true;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

/// Options under which a blocked call is found soon.
Options impatient(const std::filesystem::path& logs) {
  return quick({.deadline = milliseconds(200), .grace = milliseconds(200), .log_directory = logs});
}

}  // namespace

TEST_CASE("holds 7: a rank that alone meets a new key in a later call says so, and its log blames itself") {
  const TemporaryDirectory directory;
  const auto kernels = kernel_per_rank(3, [](int) { return rank_kernel("lonely_key", 3); });
  std::array<std::string, 3> texts;
  testing::ScriptedWorld world(3);
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto index = static_cast<std::size_t>(rank);
    ContextualAutotuner tuner(
        rank_options(communicator, {.deadline = std::chrono::seconds(2), .log_directory = directory.path()}));
    auto step = make_tuned_region(tuner, "lonely", [&](int key) { kernels(rank, key); });
    step(1);
    texts[index] = error_text<CommunicationError>([&] { step(rank == 1 ? 512 : 1); });
  }));
  CHECK(texts[0] == "[no error]");
  CHECK(texts[2] == "[no error]");
  CHECK_THAT(texts[1],
             ContainsAll("rank 1 launched kernel \"lonely_key\", key (512)", "this rank alone met the key"));
  const std::vector<json> ends = events_in(directory.path(), 1, "run_end");
  REQUIRE_FALSE(ends.empty());
  CHECK(ends.back().at("blamed_ranks") == json::array({1}));
  CHECK_THAT(ends.back().at("error").get<std::string>(), ContainsSubstring("lonely_key"));
}

TEST_CASE("holds 7: a later call whose new key all ranks meet is tuned") {
  const auto kernels = kernel_per_rank(3, [](int) { return rank_kernel("common_key", 3); });
  check_well(on_ranks(3, [&](int rank, ContextualAutotuner& tuner) {
    auto step = make_tuned_region(tuner, "common", [&](int key) { kernels(rank, key); });
    step(1);
    step(512);
  }));
}

TEST_CASE("holds 8: a blocked later call is told in the log, left alone, and its end is told as well") {
  const TemporaryDirectory directory;
  Options options = impatient(directory.path());
  std::atomic<int> calls{0};
  options.on_deadline = [&](const BlockedInfo&) { ++calls; };
  OneKernel one("later_blocked", 2, {}, options);
  bool blocks_now = false;
  auto step = make_tuned_region(one.tuner, "later_blocked", [&] {
    one.region();
    if (blocks_now) {
      CHECK(comes_to_say(directory.path(), "blocked"));
      std::this_thread::sleep_for(milliseconds(600));  // longer than the grace
    }
  });
  step();
  step();
  CHECK(events_in(directory.path(), 0, "blocked").empty());
  blocks_now = true;
  step();
  CHECK(calls == 0);
  const json blocked = events_in(directory.path(), 0, "blocked").front();
  CHECK(blocked.at("activity") == "later_call");
  CHECK(blocked.at("action") == "none: a later call is only reported");
  CHECK(blocked.at("region") == "later_blocked");
  CHECK(blocked.at("run_id") == one.report().run_id);
  const std::vector<json> warnings = events_in(directory.path(), 0, "warning");
  REQUIRE_FALSE(warnings.empty());
  CHECK_THAT(warnings.back().at("text").get<std::string>(), ContainsSubstring("has ended after all"));
}

TEST_CASE("holds 8: two threads in later calls of one region are both watched") {
  const TemporaryDirectory directory;
  TunableKernel kernel{"later_two", blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{impatient(directory.path())};
  std::atomic<bool> blocks_now{false};
  std::atomic<bool> told{false};
  auto step = make_tuned_region(tuner, "later_two", [&] {
    kernel();
    if (blocks_now) {
      told = comes_to_say(directory.path(), "blocked", 2);
    }
  });
  step();
  blocks_now = true;
  std::thread other([&] { step(); });
  step();
  other.join();
  CHECK(told);
}

TEST_CASE("holds 8: a hook's later call with a longer deadline does not extend that of its run") {
  const TemporaryDirectory directory;
  OneKernel inner("later_inner", 2, {}, quick({.deadline = std::chrono::hours(1)}));
  bool slow = false;
  auto step = make_tuned_region(inner.tuner, "later_inner", [&] {
    inner.region();
    if (std::exchange(slow, false)) {
      CHECK(comes_to_say(directory.path(), "blocked"));
    }
  });
  step();
  slow = true;
  Options options = impatient(directory.path());
  options.on_deadline = [](const BlockedInfo&) {};
  options.before_iteration = [&](const IterationInfo&) { step(); };
  OneKernel("later_outer", 2, {}, options).run();
}

TEST_CASE("child process: a run with nothing to tune is blocked for ever") {
  ONLY_IF(is_child());
  OneKernel one("settled_for_ever", 2, {}, impatient(std::getenv("TEST_LOGS")));
  one.in_launch = [&](const Block&) {
    while (one.runs > 5) {
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
  };
  one.run();
  one.run();
}

TEST_CASE("holds 8: a process blocked in a run with nothing to tune leaves with the documented exit code") {
  const TemporaryDirectory directory;
  CHECK(run_child("a run with nothing to tune is blocked for ever",
                  {{"TEST_LOGS", directory.path().string()}}) == deadline_exit_code);
  const std::vector<json> blocked = events_in(directory.path(), 0, "blocked");
  CHECK(only(blocked).at("activity") == "region");
  CHECK(blocked.front().at("action") == "exit 84");
}

TEST_CASE("run with nothing to tune: in a hook of another run it is not taken for blocked") {
  const TemporaryDirectory directory;
  OneKernel inner("settled_inner", 2);
  inner.in_launch = [](const Block&) { std::this_thread::sleep_for(milliseconds(10)); };
  inner.run();
  Options options = impatient(directory.path());
  options.on_deadline = [](const BlockedInfo&) {};
  options.before_iteration = [&](const IterationInfo& info) {
    if (info.phase == Phase::final_run) {
      for (int i = 0; i < 50; ++i) {  // longer than the deadline
        inner.run();
      }
    }
  };
  OneKernel("settled_outer", 2, {}, options).run();
  CHECK(events_in(directory.path(), 0, "blocked").empty());
}

TEST_CASE("later calls: at the 32nd tuning of a kernel for a new key, a warning names what changes") {
  TunableKernel growing{"growing",
                        blocks(2),
                        [](int m, int n) { return make_key("bf16", m, n); },
                        [](const Block&, int, int) {},
                        {.key_names = {"type", "M"}}};
  TunableKernel listed{"listed", blocks(2), [](int m) { return make_key(m % 16); }, [](const Block&, int) {}};
  ContextualAutotuner tuner(quick());
  int m = 0;
  auto step = make_tuned_region(tuner, "serving", [&] { growing(m, m % 3), listed(m); });
  std::vector<std::string> warnings;
  for (m = 4100; m < 4100 + 40; ++m) {
    step();
    const RegionReport report = report_of(tuner, "serving");
    CHECK((report.warnings.empty() || m == 4131));
    warnings.insert(warnings.end(), report.warnings.begin(), report.warnings.end());
  }
  CHECK_THAT(only(warnings),
             ContainsAll("kernel \"growing\"", "{type: bf16, M: 4131, 0}", "what changes is M. ",
                         "`contextual::bucket(M)` makes 8192 of 4131", "`contextual::bucket(M, 512)` 4608"));
}

}  // namespace contextual::test::later_call_test
