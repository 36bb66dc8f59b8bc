#include "contextual/cuda/timing/mixed_timer.hpp"

#include "support/catch.hpp"

#include <contextual/testing/scripted_timer.hpp>
#include <contextual/testing/timer_conformance.hpp>

namespace contextual::mixed_timer_test {

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

TEST_CASE("MixedTimer: launches with a stream are timed by the device timer, others by the host's clock") {
  const Iteration iteration = iteration_of({true, false, true});
  for (const std::size_t i : {0, 2}) {
    REQUIRE(iteration.launches[i].spans.size() == 1);
    CHECK(iteration.launches[i].spans[0].end_ns - iteration.launches[i].spans[0].begin_ns == 5'000);
  }
  REQUIRE(iteration.launches[1].spans.size() == 1);
  CHECK(iteration.launches[1].spans[0].device == -1);
  CHECK(iteration.launches[1].spans[0].end_ns - iteration.launches[1].spans[0].begin_ns >= 100'000);
}

TEST_CASE("MixedTimer: an iteration of the host alone has the host's time as its makespan") {
  CHECK(iteration_of({false, false}).timing.makespan_ns >= 200'000);
}

TEST_CASE("MixedTimer: an iteration of the device alone has the device's makespan") {
  CHECK(iteration_of({true, true}).timing.makespan_ns == 1'000'000);
}

TEST_CASE("MixedTimer: host work that takes longer than the device's makes the makespan") {
  const std::vector<bool> long_host_work(15, false);
  std::vector<bool> both = long_host_work;
  both.push_back(true);
  CHECK(iteration_of(both).timing.makespan_ns >= 1'600'000);
}

TEST_CASE("MixedTimer: a launch on the host that never ended has no time") {
  cuda::MixedTimer timer(device_timer());
  std::vector<IterationTiming> iterations(1);
  std::vector<LaunchTiming> launches(1);
  timer.begin_iteration(0, iterations[0].note);
  timer.begin_launch({.region = "r", .kernel = "k"}, launches[0].note);
  timer.settle(launches, {}, Deadline::after(std::chrono::seconds(1)));
  CHECK(launches[0].spans.empty());
}

TEST_CASE("MixedTimer: other work and the begin are the device timer's, the end is that of the longer work") {
  cuda::MixedTimer timer(testing::scripted_timer_with(
      {.launch_ns = [](const LaunchInfo&) { return std::int64_t{5'000}; },
       .makespan_ns = [](std::int64_t, const auto&) { return std::int64_t{1'000}; },
       .iteration_begin_ns = [](std::int64_t) { return std::int64_t{70}; },
       .other_spans =
           [](std::int64_t, const auto&) {
             return std::optional(std::vector<Span>{{3, 4, 0}});
           }})());
  std::vector<IterationTiming> iterations(1);
  std::vector<LaunchTiming> launches(2);
  timer.begin_iteration(0, iterations[0].note);
  for (const std::size_t i : {0, 1}) {
    const LaunchInfo info{.region = "r", .kernel = "k", .on_stream = i == 0};
    timer.begin_launch(info, launches[i].note);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    timer.end_launch(info, launches[i].note);
  }
  timer.end_iteration(0, iterations[0].note);
  timer.settle(launches, iterations, Deadline::after(std::chrono::seconds(1)));
  REQUIRE(iterations[0].other_spans);
  CHECK(iterations[0].other_spans->size() == 1);
  CHECK(iterations[0].begin_ns == 70);
  CHECK(iterations[0].makespan_ns >= 200'000);
  CHECK(iterations[0].end_ns - iterations[0].begin_ns == iterations[0].makespan_ns);
}

TEST_CASE("MixedTimer: a batch in which not every iteration works on the device has one clock") {
  cuda::MixedTimer timer(
      testing::scripted_timer_with({.launch_ns = [](const LaunchInfo&) { return std::int64_t{5'000}; },
                                    .iteration_begin_ns = [](std::int64_t) { return std::int64_t{70}; }})());
  std::vector<IterationTiming> iterations(2);
  std::vector<LaunchTiming> launches(2);
  for (const std::size_t i : {0, 1}) {
    iterations[i].tuning_iteration = launches[i].tuning_iteration = static_cast<std::int64_t>(i);
    const LaunchInfo info{
        .region = "r", .kernel = "k", .tuning_iteration = static_cast<std::int64_t>(i), .on_stream = i == 0};
    timer.begin_iteration(info.tuning_iteration, iterations[i].note);
    timer.begin_launch(info, launches[i].note);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    timer.end_launch(info, launches[i].note);
    timer.end_iteration(info.tuning_iteration, iterations[i].note);
  }
  timer.settle(launches, iterations, Deadline::after(std::chrono::seconds(1)));
  CHECK(iterations[0].begin_ns == 70);
  CHECK(iterations[1].makespan_ns >= 100'000);
  CHECK(iterations[1].begin_ns == 0);
  CHECK(iterations[1].end_ns == 0);
}

TEST_CASE("MixedTimer: conforms") {
  for (const std::string& violation :
       testing::check_timer([] { return std::make_unique<cuda::MixedTimer>(host_timer()); })) {
    FAIL_CHECK(violation);
  }
}

}  // namespace contextual::mixed_timer_test
