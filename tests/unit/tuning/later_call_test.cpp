/// \file
/// A wrapped region's later calls that go wrong: one rank meets a new key, or a call is blocked. And runs
/// with nothing to tune that are blocked.

#include "support/child_process.hpp"
#include "support/log_events.hpp"
#include "support/ranks.hpp"

#include <contextual/tuned_region.hpp>

#include <array>
#include <chrono>
#include <future>
#include <thread>

namespace later_call_test {

using namespace contextual;
using engine_test::Block;
using engine_test::blocks;
using engine_test::error_text;
using engine_test::events_in;
using engine_test::is_child;
using engine_test::OneKernel;
using engine_test::quick;
using engine_test::run_child;
using engine_test::TemporaryDirectory;
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
  Options options = quick();
  options.deadline = milliseconds(200);
  options.grace = milliseconds(200);
  options.log_directory = logs;
  return options;
}

}  // namespace

TEST_CASE("holds 7: a rank that alone meets a new key in a later call says so, and its log blames itself",
          "[unit]") {
  const TemporaryDirectory directory;
  const auto kernels = test::kernel_per_rank(3, [](int) { return test::rank_kernel("lonely_key", 3); });
  std::array<std::string, 3> texts;
  testing::ScriptedWorld world(3);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto index = static_cast<std::size_t>(rank);
    Options options = test::rank_options(communicator);
    options.log_directory = directory.path();
    options.deadline = std::chrono::seconds(2);
    ContextualAutotuner tuner(options);
    auto step = make_tuned_region(tuner, "lonely", [&](int key) { (*kernels[index])(key); });
    step(1);
    texts[index] = error_text<CommunicationError>([&] { step(rank == 1 ? 512 : 1); });
  });
  CHECK(test::count_failed(thrown) == 0);
  CHECK(texts[0] == "[no error]");
  CHECK(texts[2] == "[no error]");
  CHECK_THAT(texts[1], ContainsSubstring("rank 1 launched kernel \"lonely_key\", key (512)"));
  CHECK_THAT(texts[1], ContainsSubstring("this rank alone met the key"));
  const std::vector<json> ends = events_in(directory.path(), 1, "run_end");
  REQUIRE_FALSE(ends.empty());
  CHECK(ends.back().at("blamed_ranks") == json::array({1}));
  CHECK_THAT(ends.back().at("error").get<std::string>(), ContainsSubstring("lonely_key"));
}

TEST_CASE("holds 7: a later call whose new key all ranks meet is tuned", "[unit]") {
  const auto kernels = test::kernel_per_rank(3, [](int) { return test::rank_kernel("common_key", 3); });
  const auto thrown = test::on_ranks(3, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    auto step =
        make_tuned_region(tuner, "common", [&](int key) { (*kernels[static_cast<std::size_t>(rank)])(key); });
    step(1);
    step(512);
  });
  CHECK(test::count_failed(thrown) == 0);
}

TEST_CASE("holds 8: a blocked later call is told in the log, left alone, and its end is told as well",
          "[unit]") {
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

TEST_CASE("holds 8: two threads in later calls of one region are both watched", "[unit]") {
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

TEST_CASE("holds 8: a hook's later call with a longer deadline does not extend that of its run", "[unit]") {
  const TemporaryDirectory directory;
  Options of_call = quick();
  of_call.deadline = std::chrono::hours(1);
  OneKernel inner("later_inner", 2, {}, of_call);
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

TEST_CASE("child process: a run with nothing to tune is blocked for ever", "[unit]") {
  if (!is_child()) {
    return;
  }
  OneKernel one("settled_for_ever", 2, {}, impatient(std::getenv("TEST_LOGS")));
  one.in_launch = [&](const Block&) {
    while (one.runs > 5) {
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
  };
  one.run();
  one.run();
}

TEST_CASE("holds 8: a process blocked in a run with nothing to tune leaves with the documented exit code",
          "[unit]") {
  const TemporaryDirectory directory;
  CHECK(run_child("a run with nothing to tune is blocked for ever",
                  {{"TEST_LOGS", directory.path().string()}}) == deadline_exit_code);
  const std::vector<json> blocked = events_in(directory.path(), 0, "blocked");
  REQUIRE(blocked.size() == 1);
  CHECK(blocked.front().at("activity") == "region");
  CHECK(blocked.front().at("action") == "exit 84");
}

TEST_CASE("run with nothing to tune: in a hook of another run it is not taken for blocked", "[unit]") {
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

TEST_CASE("later calls: at the 32nd tuning of a kernel for a new key, a warning names what changes",
          "[unit]") {
  TunableKernel growing{"growing",
                        blocks(2),
                        [](int m, int n) { return make_key("bf16", m, n); },
                        [](const Block&, int, int) {},
                        {.key_names = {"type", "M"}}};
  TunableKernel listed{"listed", blocks(2), [](int m) { return make_key(m % 16); }, [](const Block&, int) {}};
  ContextualAutotuner tuner(quick());
  int m = 0;
  auto step = make_tuned_region(tuner, "serving", [&] {
    growing(m, m % 3);
    listed(m);
  });
  std::vector<std::string> warnings;
  for (m = 4100; m < 4100 + 40; ++m) {
    step();
    const RegionReport report = engine_test::report_of(tuner, "serving");
    CHECK((report.warnings.empty() || m == 4131));
    warnings.insert(warnings.end(), report.warnings.begin(), report.warnings.end());
  }
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), ContainsSubstring("kernel \"growing\"") &&
                                   ContainsSubstring("{type: bf16, M: 4131, 0}") &&
                                   ContainsSubstring("what changes is M. ") &&
                                   ContainsSubstring("`contextual::bucket(M)` makes 8192 of 4131") &&
                                   ContainsSubstring("`contextual::bucket(M, 512)` 4608"));
}

}  // namespace later_call_test
