#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/key.hpp>
#include <contextual/testing/scripted_timer.hpp>
#include <contextual/testing/timer_conformance.hpp>

namespace contextual::testing::scripted_timer_test {

namespace {

/// One tuning iteration with these configs launched, settled.
struct Settled {
  std::vector<LaunchTiming> launches;
  std::vector<IterationTiming> iterations;
};

Settled settle_one(Timer& timer, std::int64_t tuning_iteration, const std::vector<std::size_t>& configs) {
  Settled settled{{}, std::vector<IterationTiming>(1)};
  settled.iterations[0].tuning_iteration = tuning_iteration;
  const Key key = make_key(64, 32);
  timer.begin_iteration(tuning_iteration, settled.iterations[0].note);
  for (const std::size_t config : configs) {
    LaunchInfo launch;
    launch.kernel = "gemm";
    launch.key = &key;
    launch.config_id = config;
    launch.tuning_iteration = tuning_iteration;
    LaunchTiming timing{{}, tuning_iteration, {}};
    timer.begin_launch(launch, timing.note);
    timer.end_launch(launch, timing.note);
    settled.launches.push_back(timing);
  }
  timer.end_iteration(tuning_iteration, settled.iterations[0].note);
  timer.settle(settled.launches, settled.iterations, Deadline::after(std::chrono::seconds(1)));
  return settled;
}

std::int64_t by_config(const LaunchInfo& launch) {
  return static_cast<std::int64_t>(launch.config_id) * 100;
}

}  // namespace

TEST_CASE("scripted_timer: a launch has the time that its function says") {
  const auto timer = scripted_timer(by_config)();
  const Settled settled = settle_one(*timer, 0, {1, 3});
  REQUIRE(settled.launches[0].spans.size() == 1);
  CHECK(settled.launches[0].spans[0].end_ns - settled.launches[0].spans[0].begin_ns == 100);
  CHECK(settled.launches[1].spans[0].end_ns - settled.launches[1].spans[0].begin_ns == 300);
  CHECK(settled.iterations[0].makespan_ns == 400);
}

TEST_CASE("scripted_timer: zero and negative times are missing") {
  const auto timer =
      scripted_timer([](const LaunchInfo& launch) { return launch.config_id == 0 ? 0 : -5; },
                     [](std::int64_t, const std::vector<ScriptedLaunch>&) { return std::int64_t{-1}; })();
  const Settled settled = settle_one(*timer, 0, {0, 1});
  CHECK(settled.launches[0].spans.empty());
  CHECK(settled.launches[1].spans.empty());
  CHECK(settled.iterations[0].makespan_ns == 0);
}

TEST_CASE("scripted_timer: the makespan sees the launches of its own iteration only") {
  std::vector<ScriptedLaunch> seen;
  std::int64_t seen_iteration = -1;
  const auto timer =
      scripted_timer(by_config, [&](std::int64_t iteration, const std::vector<ScriptedLaunch>& all) {
        seen = all;
        seen_iteration = iteration;
        return std::int64_t{42};
      })();
  settle_one(*timer, 4, {1, 2});
  CHECK(settle_one(*timer, 5, {7}).iterations[0].makespan_ns == 42);
  CHECK(seen_iteration == 5);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].kernel == "gemm");
  CHECK(seen[0].key == make_key(64, 32).to_string());
  CHECK(seen[0].config_id == 7);
  CHECK(seen[0].time_ns == 700);
}

TEST_CASE("scripted_timer: a function that throws gives no time") {
  const auto timer = scripted_timer([](const LaunchInfo&) -> std::int64_t { throw std::runtime_error("no"); },
                                    [](std::int64_t, const std::vector<ScriptedLaunch>&) -> std::int64_t {
                                      throw std::runtime_error("no");
                                    })();
  const Settled settled = settle_one(*timer, 0, {1});
  CHECK(settled.launches[0].spans.empty());
  CHECK(settled.iterations[0].makespan_ns == 0);
}

TEST_CASE("scripted_timer: begins and other work are as scripted, and unknown where they are not") {
  const auto launch_ns = [](const LaunchInfo&) { return std::int64_t{10}; };
  const auto all = scripted_timer_with(
      {.launch_ns = launch_ns,
       .launch_begin_ns = [](const LaunchInfo& launch) { return std::int64_t(100 * launch.config_id); },
       .iteration_begin_ns = [](std::int64_t iteration) { return 1'000 * iteration; },
       .other_spans =
           [](std::int64_t iteration, const std::vector<ScriptedLaunch>& launches) {
             return iteration == 5 ? std::optional(std::vector<Span>{{0, std::int64_t(launches.size()), 3}})
                                   : std::nullopt;
           }})();
  const Settled settled = settle_one(*all, 5, {1, 2});
  CHECK(settled.launches[1].spans.at(0).begin_ns == 200);
  CHECK(settled.launches[1].spans.at(0).end_ns == 210);
  CHECK(settled.iterations[0].begin_ns == 5'000);
  CHECK(settled.iterations[0].end_ns == 5'020);
  REQUIRE(settled.iterations[0].other_spans);
  CHECK(settled.iterations[0].other_spans->at(0).end_ns == 2);
  CHECK_FALSE(settle_one(*all, 6, {1}).iterations[0].other_spans);

  const Settled plain = settle_one(*scripted_timer(launch_ns)(), 5, {1});
  CHECK(plain.iterations[0].begin_ns == 0);
  CHECK(plain.iterations[0].end_ns == 0);
  CHECK_FALSE(plain.iterations[0].other_spans);
}

TEST_CASE("scripted_timer: without launch_ns it is an invalid argument") {
  CHECK_THROWS_AS(scripted_timer({}), InvalidArgument);
  CHECK_THROWS_AS(scripted_timer_with({}), InvalidArgument);
}

TEST_CASE("scripted_timer: conforms") {
  const auto factory = scripted_timer([](const LaunchInfo&) { return std::int64_t{10}; });
  CHECK(testing::check_timer(factory, {.work = [](const LaunchInfo&) {}, .covers_host_work = false}) ==
        std::vector<std::string>{});
}

}  // namespace contextual::testing::scripted_timer_test
