#include "contextual/cuda/timing/mixed_timer.hpp"

#include "support/catch.hpp"

#include <contextual/testing/scripted_timer.hpp>
#include <contextual/testing/timer_conformance.hpp>

#include <thread>

using namespace contextual;

namespace {

/// Every device launch takes 5 us, an iteration with such launches 1 ms.
std::unique_ptr<Timer> device_timer() {
  return testing::scripted_timer([](const LaunchInfo&) { return std::int64_t{5'000}; },
                                 [](std::int64_t, const std::vector<testing::ScriptedLaunch>& launches) {
                                   return launches.empty() ? std::int64_t{0} : std::int64_t{1'000'000};
                                 })();
}

struct Iteration {
  std::vector<LaunchTiming> launches;
  IterationTiming timing;
};

/// One tuning iteration: a launch a flag, on a stream where it is true, each for 100 us of host time.
Iteration iteration_of(const std::vector<bool>& on_stream) {
  cuda::MixedTimer timer(device_timer());
  std::vector<IterationTiming> iterations(1);
  Iteration result;
  timer.begin_iteration(0, iterations[0].note);
  for (const bool stream : on_stream) {
    const LaunchInfo info{.region = "r", .kernel = "k", .on_stream = stream};
    LaunchTiming& launch = result.launches.emplace_back();
    timer.begin_launch(info, launch.note);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    timer.end_launch(info, launch.note);
  }
  timer.end_iteration(0, iterations[0].note);
  timer.settle(result.launches, iterations, Deadline::after(std::chrono::seconds(1)));
  result.timing = iterations[0];
  return result;
}

}  // namespace

TEST_CASE("MixedTimer: launches with a stream are timed by the device timer, others by the host's clock",
          "[unit]") {
  const Iteration iteration = iteration_of({true, false, true});
  for (const std::size_t i : {0, 2}) {
    REQUIRE(iteration.launches[i].spans.size() == 1);
    CHECK(iteration.launches[i].spans[0].end_ns - iteration.launches[i].spans[0].begin_ns == 5'000);
  }
  REQUIRE(iteration.launches[1].spans.size() == 1);
  CHECK(iteration.launches[1].spans[0].device == -1);
  CHECK(iteration.launches[1].spans[0].end_ns - iteration.launches[1].spans[0].begin_ns >= 100'000);
}

TEST_CASE("MixedTimer: an iteration of the host alone has the host's time as its makespan", "[unit]") {
  CHECK(iteration_of({false, false}).timing.makespan_ns >= 200'000);
}

TEST_CASE("MixedTimer: an iteration of the device alone has the device's makespan", "[unit]") {
  CHECK(iteration_of({true, true}).timing.makespan_ns == 1'000'000);
}

TEST_CASE("MixedTimer: host work that takes longer than the device's makes the makespan", "[unit]") {
  const std::vector<bool> long_host_work(15, false);
  std::vector<bool> both = long_host_work;
  both.push_back(true);
  CHECK(iteration_of(both).timing.makespan_ns >= 1'600'000);
}

TEST_CASE("MixedTimer: a launch on the host that never ended has no time", "[unit]") {
  cuda::MixedTimer timer(device_timer());
  std::vector<IterationTiming> iterations(1);
  std::vector<LaunchTiming> launches(1);
  timer.begin_iteration(0, iterations[0].note);
  timer.begin_launch({.region = "r", .kernel = "k"}, launches[0].note);
  timer.settle(launches, {}, Deadline::after(std::chrono::seconds(1)));
  CHECK(launches[0].spans.empty());
}

TEST_CASE("MixedTimer: conforms", "[unit]") {
  for (const std::string& violation :
       testing::check_timer([] { return std::make_unique<cuda::MixedTimer>(host_timer()); })) {
    FAIL_CHECK(violation);
  }
}
