/// \file
/// Successive tuning iterations on a scripted GPU: joined on the device, or not.

#include "contextual/cuda/timing/iteration_join.hpp"

#include "contextual/cuda/timing/mixed_timer.hpp"
#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

namespace contextual::cuda::iteration_join_test {

using namespace test::cuda_test;

namespace {

constexpr std::int64_t kernel_ns = 1'000'000;

struct GpuOfDriver : ScriptedGpu {
  explicit GpuOfDriver(bool old, int devices = 1) : ScriptedGpu(devices) {
    if (old) {
      driver.lose_context_events();
    }
  }
};

std::size_t joins(ScriptedGpu& gpu) {
  return gpu.driver.log().count("cuCtxWaitEvent") + gpu.driver.log().count("cuStreamWaitEvent");
}

/// Runs one batch in which each iteration launches on each stream in turn, and returns it settled.
struct Batch {
  std::vector<LaunchTiming> launches;
  std::vector<IterationTiming> iterations;
};

Batch run(ScriptedGpu& gpu, Timer& timer, const std::vector<std::vector<CUstream>>& iterations) {
  Batch batch;
  batch.iterations.resize(iterations.size());
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    batch.iterations[i].tuning_iteration = static_cast<std::int64_t>(i);
    timer.begin_iteration(static_cast<std::int64_t>(i), batch.iterations[i].note);
    for (CUstream stream : iterations[i]) {
      const LaunchInfo info{.region = "r",
                            .kernel = "k",
                            .tuning_iteration = static_cast<std::int64_t>(i),
                            .stream = stream,
                            .on_stream = true};
      if (timer.captures(info)) {
        gpu.driver.launch_kernel(stream, kernel_ns);
        continue;
      }
      LaunchTiming& launch = batch.launches.emplace_back();
      launch.tuning_iteration = static_cast<std::int64_t>(i);
      timer.begin_launch(info, launch.note);
      gpu.driver.launch_kernel(stream, kernel_ns);
      timer.end_launch(info, launch.note);
    }
    timer.end_iteration(static_cast<std::int64_t>(i), batch.iterations[i].note);
  }
  timer.settle(batch.launches, batch.iterations, Deadline::after(std::chrono::seconds(60)));
  return batch;
}

std::unique_ptr<Timer> mixed() {
  return std::make_unique<MixedTimer>(cuda_cupti_timer());
}

std::vector<TimerFactory> all_timers() {
  return {cuda_cupti_timer, cuda_event_timer, mixed};
}

/// Iterations whose work is on a stream that no other iteration uses: nothing but a join orders them.
bool iterations_overlap(const Batch& batch) {
  for (std::size_t i = 1; i < batch.iterations.size(); ++i) {
    if (batch.iterations[i].begin_ns < batch.iterations[i - 1].end_ns) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("holds 18: iterations on different streams do not overlap, unless they are pipelined") {
  for (const TimerFactory& factory : all_timers()) {
    for (const bool old_driver : {false, true}) {
      GpuOfDriver gpu(old_driver);
      CUstream first = gpu.driver.make_stream();
      CUstream second = gpu.driver.make_stream();
      std::unique_ptr<Timer> timer = factory();
      INFO(timer->name() << (old_driver ? ", old driver" : ""));
      // The legacy default stream is joined, too, though no launch names it.
      const Batch batch = run(gpu, *timer, {{first}, {second}, {first}});
      CHECK(batch.iterations[1].end_ns > 0);
      // By streams, one that the next iteration names for the first time is not known in time.
      CHECK(iterations_overlap(batch) == old_driver);
      const Batch both = run(gpu, *timer, {{first, second, second}, {second, first}, {first, second}});
      CHECK_FALSE(iterations_overlap(both));
      CHECK(both.iterations[1].makespan_ns < 2 * kernel_ns);
      CHECK(timer->conditions().warnings.empty());

      timer.reset();
      timer = factory();
      timer->set_iterations(Iterations::pipelined);
      const std::size_t before = joins(gpu);
      CHECK(iterations_overlap(run(gpu, *timer, {{first, second, second}, {first, second}})));
      CHECK(joins(gpu) == before);
    }
  }
}

TEST_CASE("iteration join: one context is recorded and waits once an iteration, by one event") {
  ScriptedGpu gpu;
  UsedContexts contexts;
  contexts.add(gpu.driver.context());
  {
    IterationJoin join;
    for (int iteration = 0; iteration < 3; ++iteration) {
      join.launched_on(gpu.driver.make_stream());
      join.join(contexts, false);
    }
    CHECK(gpu.driver.log().count("cuCtxRecordEvent") == 3);
    CHECK(gpu.driver.log().count("cuCtxWaitEvent") == 3);
    CHECK(gpu.driver.log().count("cuEventCreate") == 1);
    CHECK(gpu.driver.log().count("cuStreamWaitEvent") == 0);
  }
  CHECK(gpu.driver.living_events() == 0);
}

TEST_CASE("iteration join: every context waits for every context") {
  const bool old_driver = GENERATE(false, true);
  GpuOfDriver gpu(old_driver, 3);
  std::vector<CUstream> streams;
  UsedContexts contexts;
  for (int device = 0; device < 3; ++device) {
    contexts.add(gpu.driver.context(device));
    streams.push_back(gpu.driver.make_stream(device));
  }
  IterationJoin join;
  gpu.driver.launch_kernel(streams[1], kernel_ns);
  for (CUstream stream : streams) {
    join.launched_on(stream);
  }
  join.join(contexts, false);
  BatchConditions conditions;
  join.tell(conditions);
  CHECK(conditions.warnings.empty());
  for (CUstream stream : streams) {
    // Within the lock-step of the scripted clock: idle only when device 1's kernel has ended.
    CHECK(gpu.driver.idle_from_ns(stream) >= gpu.driver.idle_from_ns(streams[1]));
  }
  CHECK(gpu.driver.idle_from_ns(streams[1]) >= kernel_ns);
  if (!old_driver) {
    CHECK(gpu.driver.log().count("cuCtxWaitEvent") == 9);
  }
}

TEST_CASE("iteration join: nothing is joined while a stream captures, and the capture goes on") {
  for (const TimerFactory& factory : all_timers()) {
    for (const bool old_driver : {false, true}) {
      GpuOfDriver gpu(old_driver);
      const std::unique_ptr<Timer> timer = factory();
      gpu.driver.begin_capture(gpu.stream);
      IterationNote note;
      LaunchNote launch_note;
      const LaunchInfo info{.region = "r", .kernel = "k", .stream = gpu.stream, .on_stream = true};
      timer->begin_iteration(0, note);
      CHECK(timer->captures(info));
      const std::size_t before = joins(gpu);
      timer->end_iteration(0, note);
      CHECK(joins(gpu) == before);
      CHECK(gpu.driver.capturing.contains(gpu.stream));
      gpu.driver.end_capture(gpu.stream);

      timer->begin_iteration(1, note);
      CHECK_FALSE(timer->captures(info));
      timer->begin_launch(info, launch_note);
      gpu.driver.launch_kernel(gpu.stream, kernel_ns);
      timer->end_launch(info, launch_note);
      timer->end_iteration(1, note);
      CHECK(joins(gpu) > before);
    }
  }
}

TEST_CASE("iteration join: nothing is joined while a stream that blocks the default one captures") {
  const bool old_driver = GENERATE(false, true);
  GpuOfDriver gpu(old_driver);
  gpu.driver.default_stream_blocked = true;
  UsedContexts contexts;
  contexts.add(gpu.driver.context());
  IterationJoin join;
  join.launched_on(gpu.driver.make_stream());
  join.join(contexts, false);
  CHECK(joins(gpu) == 0);
  CHECK(gpu.driver.log().count("cuEventRecord") == 0);
}

TEST_CASE("iteration join: a failure is one warning, and then streams are joined") {
  const std::string failing = GENERATE("cuCtxRecordEvent", "cuCtxWaitEvent", "cuEventCreate");
  ScriptedGpu gpu;
  UsedContexts contexts;
  contexts.add(gpu.driver.context());
  IterationJoin join;
  gpu.driver.fails = [&](const std::string& function) {
    return function == failing ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  };
  BatchConditions conditions;
  for (int iteration = 0; iteration < 3; ++iteration) {
    join.launched_on(gpu.driver.make_stream());
    join.join(contexts, false);
    join.tell(conditions);
  }
  REQUIRE(conditions.warnings.size() == 1);
  CHECK_THAT(conditions.warnings[0],
             ContainsSubstring(failing) && ContainsSubstring("CUDA_ERROR_INVALID_VALUE"));
  CHECK(gpu.driver.log().count("cuCtxRecordEvent") <= 1);
  CHECK((gpu.driver.log().count("cuStreamWaitEvent") > 0) == (failing != "cuEventCreate"));
}

TEST_CASE("iteration join: a failure in a whole run is a warning, and the run ends well") {
  const TimerFactory timer = GENERATE(TimerFactory(cuda_cupti_timer), TimerFactory(cuda_event_timer));
  ScriptedGpu gpu;
  Block block("join_fails");
  gpu.driver.fails = [&](const std::string& function) {
    return function == "cuCtxRecordEvent" || function == "cuStreamWaitEvent" ? CUDA_ERROR_INVALID_VALUE
                                                                             : CUDA_SUCCESS;
  };
  const RegionReport report = tuned(timer, "join_fails", [&] { block(gpu.stream, 1); });
  CHECK(test::of_kernel(report, "join_fails").choice == 2);
  CHECK(gpu.driver.living_events() == 0);
}

}  // namespace contextual::cuda::iteration_join_test
