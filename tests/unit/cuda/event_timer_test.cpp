/// \file
/// The event timer on a scripted GPU.

#include "support/catch.hpp"
#include "support/stderr_capture.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/testing/timer_conformance.hpp>

namespace contextual::test::cuda_test::event_timer_test {

namespace {

/// An event pair also has the host's calls between its events: the scripted clock ticks 1 us a call.
constexpr double most_calls_ns = 6'000;

void check_close(const ProblemReport& problem) {
  for (const ConfigReport& config : problem.configs) {
    const auto block = static_cast<unsigned>(config.config.get<int>("BLOCK"));
    INFO("BLOCK=" << block);
    CHECK(config.time.count == 3);
    CHECK(config.time.centre_ns >= static_cast<double>(ScriptedGpu::duration_of(block)));
    CHECK(config.time.centre_ns <= static_cast<double>(ScriptedGpu::duration_of(block)) + most_calls_ns);
  }
}

}  // namespace

TEST_CASE("event timer: conforms to the contract of timers") {
  ScriptedGpu gpu;
  testing::TimerCheck check{.work =
                                [&](const LaunchInfo& launch) {
                                  gpu.driver.launch_kernel(static_cast<CUstream>(launch.stream), 5'000);
                                },
                            .stream = gpu.driver.make_stream(),
                            .covers_host_work = false};
  check.other_work = [&] { gpu.driver.copy_async(static_cast<CUstream>(check.stream), 2'000); };
  CHECK(testing::check_timer(cuda_event_timer, check) == std::vector<std::string>{});
}

TEST_CASE("event timer: times launches, and destroys all events and streams") {
  ScriptedGpu gpu;
  Block block("event_good");
  const RegionReport report = tuned(cuda_event_timer, "event_good", [&] { block(gpu.stream, 1); });
  check_close(of_kernel(report, "event_good"));
  CHECK(of_kernel(report, "event_good").choice == 2);
  CHECK(report.timer == std::string_view("CUDA events"));
  CHECK(gpu.driver.living_events() == 0);
  CHECK(gpu.driver.living_streams() == 0);
  CHECK(gpu.driver.log().beginning_with("cupti").empty());
}

TEST_CASE("event timer: a launch on a stream of a device that is not current is timed") {
  ScriptedGpu gpu(2);
  CUstream stream = gpu.driver.make_stream(1);
  Block block("event_elsewhere");
  const RegionReport report = tuned(cuda_event_timer, "event_elsewhere", [&] { block(stream, 1); });
  check_close(of_kernel(report, "event_elsewhere"));
  CHECK(of_kernel(report, "event_elsewhere").choice == 2);
}

TEST_CASE(
    "event timer: more launches than pairs have no time and void the makespan, until there are enough") {
  ScriptedGpu gpu;
  const std::unique_ptr<Timer> timer = cuda_event_timer();
  constexpr std::size_t launches = 100;
  const auto batch = [&] {
    std::vector<LaunchTiming> timings(launches);
    std::vector<IterationTiming> iterations(1);
    LaunchInfo info;
    info.stream = gpu.stream;
    timer->begin_iteration(0, iterations[0].note);
    for (LaunchTiming& timing : timings) {
      timer->begin_launch(info, timing.note);
      gpu.driver.launch_kernel(gpu.stream, 10'000);
      timer->end_launch(info, timing.note);
    }
    timer->end_iteration(0, iterations[0].note);
    timer->settle(timings, iterations, Deadline::after(std::chrono::seconds(60)));
    const auto timed = std::count_if(timings.begin(), timings.end(),
                                     [](const LaunchTiming& timing) { return !timing.spans.empty(); });
    return std::pair(static_cast<std::size_t>(timed), iterations[0].makespan_ns);
  };
  const auto [first_timed, first_makespan_ns] = batch();
  CHECK(first_timed < launches);
  CHECK(first_makespan_ns == 0);  // it would be too short
  const std::size_t made = gpu.driver.log().count("cuEventCreate");
  const auto [timed, makespan_ns] = batch();
  CHECK(timed == launches);
  CHECK(makespan_ns >= 1'000'000);
  CHECK(gpu.driver.log().count("cuEventCreate") == made);  // as many as were needed are enough
}

TEST_CASE("event timer: an event that cannot be recorded makes no sample, and is taken again") {
  ScriptedGpu gpu;
  Block block("event_fails");
  int records = 0;
  bool in_region = false;
  gpu.driver.fails = [&](const std::string& function) {
    const bool fails = in_region && function == "cuEventRecord" && ++records % 7 == 0;
    return fails ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  };
  const RegionReport report = tuned(cuda_event_timer, "event_fails", [&] {
    in_region = true;
    block(gpu.stream, 1);
    in_region = false;
  });
  check_close(of_kernel(report, "event_fails"));
  CHECK(report.retakes > 0);
}

TEST_CASE(
    "event timer: a device that is used for the first time inside the region is timed from the next batch") {
  ScriptedGpu gpu(2);
  std::vector<CUstream> streams{gpu.driver.make_stream(0), gpu.driver.make_stream(1)};
  Block block("event_two_devices");
  ContextualAutotuner tuner(options_with(cuda_event_timer));
  tuner.run("event_two_devices", [&] {
    block(streams[0], 0);
    gpu.driver.set_current(gpu.driver.context(1));
    block(streams[1], 1);
    gpu.driver.set_current(gpu.driver.context(0));
  });
  const Report report = tuner.report();
  REQUIRE(report.find("event_two_devices")->problems.size() == 2);
  for (const ProblemReport& problem : report.find("event_two_devices")->problems) {
    check_close(problem);
  }
  CHECK(gpu.driver.living_events() == 0);
  CHECK(gpu.driver.living_streams() == 0);
}

TEST_CASE("event timer: when events cannot be made none is left behind") {
  ScriptedGpu gpu;
  int made = 0;
  gpu.driver.fails = [&](const std::string& function) {
    return function == "cuEventCreate" && ++made == 20 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  };
  CHECK_THAT(error_text<CudaError>([] { cuda_event_timer(); }),
             ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY"));
  CHECK(gpu.driver.living_events() == 0);
  CHECK(gpu.driver.living_streams() == 0);
}

namespace {

/// Two iterations of a region on two streams: a kernel of the first one that the timer is told of, and one of
/// the second that it is not.
struct TwoStreams {
  explicit TwoStreams(ScriptedGpu& scripted) : gpu(scripted) {}

  void run(Timer& timer, bool launches_timed) {
    timer.begin_batch({std::chrono::steady_clock::now(), std::chrono::nanoseconds(0), launches_timed});
    launches.assign(2, {});
    iterations.assign(2, {});
    records_in_region = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      launches[i].tuning_iteration = iterations[i].tuning_iteration = static_cast<std::int64_t>(i);
      const LaunchInfo info{.region = "r",
                            .kernel = "k",
                            .tuning_iteration = static_cast<std::int64_t>(i),
                            .stream = gpu.stream,
                            .on_stream = true};
      timer.begin_iteration(static_cast<std::int64_t>(i), iterations[i].note);
      const std::size_t before = gpu.driver.log().count("cuEventRecord");
      if (captured) {
        gpu.driver.begin_capture(other);
        CHECK(timer.captures({.region = "r", .kernel = "k", .stream = other, .on_stream = true}));
        gpu.driver.end_capture(other);
      }
      CHECK_FALSE(timer.captures(info));
      timer.begin_launch(info, launches[i].note);
      gpu.driver.launch_kernel(gpu.stream, 100'000);
      timer.end_launch(info, launches[i].note);
      gpu.driver.launch_kernel(other, 300'000);
      records_in_region += gpu.driver.log().count("cuEventRecord") - before;
      timer.end_iteration(static_cast<std::int64_t>(i), iterations[i].note);
    }
    timer.settle(launches, iterations, Deadline::after(std::chrono::seconds(60)));
  }
  void check_makespans(std::int64_t ns) const {
    for (const IterationTiming& iteration : iterations) {
      CHECK(iteration.makespan_ns >= ns);
      CHECK(iteration.makespan_ns < ns + 50'000);  // the scripted clock ticks 1 us a call
      CHECK(iteration.end_ns - iteration.begin_ns == iteration.makespan_ns);
    }
    CHECK(iterations[1].begin_ns >= iterations[0].end_ns);
  }

  ScriptedGpu& gpu;
  CUstream other = gpu.driver.make_stream();
  bool captured = false;  ///< each iteration captures a launch, too
  std::vector<LaunchTiming> launches;
  std::vector<IterationTiming> iterations;
  std::size_t records_in_region = 0;
};

}  // namespace

TEST_CASE("event timer: where launches are not timed no event is recorded beside them") {
  ScriptedGpu gpu;
  TwoStreams region(gpu);
  const std::unique_ptr<Timer> timer = cuda_event_timer();
  timer->set_iterations(Iterations::joined);
  region.run(*timer, true);
  CHECK(region.records_in_region == 4);
  CHECK(region.launches[0].spans.size() == 1);
  CHECK_FALSE(region.launches[0].untimed);
  region.check_makespans(300'000);  // of all work of the context
  region.run(*timer, false);
  CHECK(region.records_in_region == 0);
  for (const LaunchTiming& launch : region.launches) {
    CHECK(launch.spans.empty());
    CHECK(launch.untimed);
  }
  region.check_makespans(300'000);
  region.run(*timer, true);
  CHECK(region.records_in_region == 4);
}

TEST_CASE("event timer: a device that a launch names first is part of the makespan") {
  ScriptedGpu gpu(2);
  TwoStreams region(gpu);
  region.other = gpu.driver.make_stream(1);
  const std::unique_ptr<Timer> timer = cuda_event_timer();
  timer->set_iterations(Iterations::joined);
  IterationNote iteration;
  LaunchNote launch;
  const LaunchInfo elsewhere{.region = "r", .kernel = "k", .stream = region.other, .on_stream = true};
  timer->begin_iteration(0, iteration);
  timer->begin_launch(elsewhere, launch);
  gpu.driver.launch_kernel(region.other, 1'000);
  timer->end_launch(elsewhere, launch);
  timer->end_iteration(0, iteration);
  timer->settle({}, {}, Deadline::after(std::chrono::seconds(60)));
  region.run(*timer, false);
  region.check_makespans(300'000);
}

TEST_CASE("event timer: where iterations cannot be told apart launches are timed in the search, too") {
  const std::string why = GENERATE("old driver", "pipelined", "captures", "failure", "nothing said");
  CAPTURE(why);
  ScriptedGpu gpu;
  TwoStreams region(gpu);
  if (why == "old driver") {
    gpu.driver.lose_context_events();
  } else if (why == "failure") {
    gpu.driver.fails = [](const std::string& function) {
      return function == "cuCtxWaitEvent" ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    };
  }
  region.captured = why == "captures";
  const std::unique_ptr<Timer> timer = cuda_event_timer();
  if (why != "nothing said") {
    timer->set_iterations(why == "pipelined" ? Iterations::pipelined : Iterations::joined);
  }
  region.run(*timer, true);
  region.run(*timer, false);
  CHECK(region.records_in_region == 4);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(region.launches[i].spans.size() == 1);
    CHECK_FALSE(region.launches[i].untimed);
    // Of launches only; beside captures they may wait for what belongs to other iterations.
    const std::int64_t makespan_ns = why == "captures" ? 0 : 100'000;
    CHECK(region.iterations[i].makespan_ns >= makespan_ns);
    CHECK(region.iterations[i].makespan_ns <= makespan_ns * 11 / 10);
  }
}

TEST_CASE("event timer: a search measures the region as it runs without a timer") {
  ScriptedGpu gpu;
  Block block("event_search");
  std::size_t in_search = 0;
  std::size_t records = 0;
  Phase phase = Phase::walk;
  // An event between launches makes the default the fastest.
  gpu.driver.duration_ns = [&](const Launch& launch) {
    const bool events = gpu.driver.log().count("cuEventRecord") != records;
    return launch.block == 64 && events ? 50'000 : ScriptedGpu::duration_of(launch.block);
  };
  Options options = options_with(cuda_event_timer);
  options.search = SearchLevel::normal;
  options.before_iteration = [&](const IterationInfo& info) { phase = info.phase; };
  const RegionReport report = tuned(options, "event_search", [&] {
    records = gpu.driver.log().count("cuEventRecord");
    block(gpu.stream, 1);
    if (phase == Phase::search) {
      in_search += gpu.driver.log().count("cuEventRecord") - records;
    }
  });
  CHECK(report.search_iterations > 0);
  CHECK(in_search == 0);
  CHECK(of_kernel(report, "event_search").choice == 2);
  CHECK(of_kernel(report, "event_search").time_in_choice.count == 0);
  CHECK(gpu.driver.living_events() == 0);
}

TEST_CASE("event timer: beside a thread that captures it leaves contexts alone as soon as it can know") {
  const bool profiled = GENERATE(true, false);
  ScriptedGpu gpu;
  const StderrCapture capture;
  if (profiled) {  // as PyTorch does, whose threads capture
    gpu.cupti.subscribe_result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  Block block("event_beside_captures");
  CUstream captured = gpu.driver.make_stream();
  int captures = 0;
  const auto region = [&] {
    if (!gpu.driver.capturing.contains(captured)) {
      gpu.driver.begin_capture(captured);
      ++captures;
    }
    block(gpu.stream, 1);
  };
  ContextualAutotuner tuner(options_with([profiled] {
    if (profiled) {
      CHECK_THROWS_AS(cuda_cupti_timer(), CudaUnavailable);
    }
    return cuda_event_timer();
  }));
  for (int run = 0; run < 2; ++run) {
    tuner.run("event_beside_captures", region);
    check_close(problem_of(tuner, "event_beside_captures", "event_beside_captures"));
  }
  CHECK(captures == (profiled ? 1 : 2));  // the driver tells of a thread that captures by ending its capture
  CHECK(gpu.driver.capturing.contains(captured));
}

TEST_CASE("timers: what a stream captures is neither timed nor tuned") {
  const TimerFactory timer = GENERATE(TimerFactory(cuda_cupti_timer), TimerFactory(cuda_event_timer));
  ScriptedGpu gpu;
  Block block("event_captured");
  std::vector<unsigned> captured;
  gpu.driver.launch_result = [&](const Launch& launch) {
    if (gpu.driver.capturing.contains(launch.stream)) {
      captured.push_back(launch.block);
    }
    return CUDA_SUCCESS;
  };
  const RegionReport report = tuned(timer, "event_captured", [&] {
    gpu.driver.capturing = {gpu.stream};
    block(gpu.stream, 1);
    gpu.driver.capturing.clear();
  });
  CHECK(captured == std::vector<unsigned>{64});
  CHECK(report.problems.empty());
}

}  // namespace contextual::test::cuda_test::event_timer_test
