/// \file
/// Launchers without a stream: a status of CUDA tells that they work on the legacy default stream.

#include "contextual/cuda/timing/mixed_timer.hpp"
#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

namespace contextual::test::cuda_test::default_stream_test {

namespace {

constexpr std::int64_t duration_of(std::size_t config_id) {
  return 200'000 - 50'000 * static_cast<std::int64_t>(config_id);
}

/// As `kernel<<<...>>>(); return cudaGetLastError();`. The host takes longer, the faster the device is.
auto launcher_on(ScriptedGpu& gpu) {
  return [&gpu](const test::Block& config) -> CUresult {
    std::this_thread::sleep_for(std::chrono::microseconds(300 * config.block));
    return gpu.driver.launch_kernel(nullptr, duration_of(static_cast<std::size_t>(config.block)));
  };
}

/// What cuda_or_host_timer is without CUPTI.
std::unique_ptr<Timer> without_cupti() {
  return std::make_unique<cuda::MixedTimer>(cuda_event_timer());
}

}  // namespace

TEST_CASE("default stream: a launcher that takes no stream has the times of the device") {
  const bool cupti = GENERATE(true, false);
  ScriptedGpu gpu;
  TunableKernel kernel{"default_stream_timed", blocks(3), single_problem, launcher_on(gpu)};
  const TimerFactory timer = cupti ? TimerFactory(cuda_or_host_timer) : TimerFactory(without_cupti);
  const RegionReport report = tuned(timer, "default_stream_timed", [&] { kernel(); });
  CHECK(report.timer == (cupti ? "CUPTI" : "CUDA events"));
  const ProblemReport problem = of_kernel(report, "default_stream_timed");
  CHECK(problem.choice == 2);
  for (const ConfigReport& config : problem.configs) {
    INFO("config-" << config.config_id);
    CHECK(config.time.count == 3);
    CHECK(config.time.centre_ns >= static_cast<double>(duration_of(config.config_id)));
    CHECK(config.time.centre_ns <= static_cast<double>(duration_of(config.config_id) + (cupti ? 0 : 6'000)));
  }
}

TEST_CASE("default stream: a function and a KernelTuner need no stream either") {
  ScriptedGpu gpu;
  FunctionOptions<CUresult(const test::Block&)> of_function;
  of_function.options = options_with(cuda_or_host_timer);
  auto function =
      autotune("default_stream_function", blocks(3), single_problem, launcher_on(gpu), of_function);
  CHECK(function() == CUDA_SUCCESS);
  CHECK(of_kernel(function.report().runs.back(), "default_stream_function").choice == 2);

  KernelTunerOptions of_tuner{.warmup_runs = 1, .benchmark_runs = 3};
  of_tuner.cache_directory = "";
  of_tuner.tuning = options_with(cuda_or_host_timer);
  KernelTuner tuner{"default_stream_tuner", blocks(3), launcher_on(gpu), of_tuner};
  CHECK(tuner.completed({}).device == "cuda");
  CHECK(tuner.tune({.problem_size = {1}}).best_config_id == 2);
}

TEST_CASE("default stream: a clock of the host is warned about") {
  ScriptedGpu gpu;
  TunableKernel kernel{"default_stream_clock", blocks(2), single_problem, launcher_on(gpu)};
  const RegionReport report = tuned(host_timer, "default_stream_clock", [&] { kernel(); });
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings[0], ContainsSubstring("\"default_stream_clock\" works on a GPU, but the timer"));
}

}  // namespace contextual::test::cuda_test::default_stream_test
