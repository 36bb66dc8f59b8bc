/// \file
/// What a KernelTuner says of the code of a CudaKernel's best config.

#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/cuda/device_facts.hpp>
#include <contextual/kernel_tuner.hpp>

namespace contextual::test::cuda_test::kernel_tuner_metrics_test {

namespace {

KernelTunerOptions options() {
  KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 3};
  options.cache_directory = "";
  options.tuning = options_with(cuda_cupti_timer);
  options.tuning.always_tune = false;
  options.work = [](const TuneRequest&) { return KernelWork{.flops = 1e6, .bytes = 2e6}; };
  return options;
}

}  // namespace

TEST_CASE("KernelTuner: the result of a CudaKernel has what the driver knows of its best config") {
  ScriptedGpu gpu;
  Block block("metrics_of_code");
  KernelTuner tuner{static_cast<BlockKernel&>(block), options()};
  const TuningResult tuned = tuner.tune({.problem_size = {1}}, gpu.stream, 1);
  REQUIRE(tuned.best_config_id == 2);  // blocks of 256 threads
  KernelMetrics of_code;
  add_code_metrics(of_code, block.load(2), {.block = {256}});
  const DevicePeak peak = device_peak(ArithmeticUnit::cuda_cores_fp32);
  const TuningResult cached = tuner.tune({.problem_size = {1}}, gpu.stream, 1);
  CHECK(cached.from_cache);
  for (const TuningResult* const result : {&tuned, &cached}) {
    REQUIRE(result->metrics.occupancy.has_value());
    CHECK(result->metrics.occupancy == of_code.occupancy);
    CHECK(result->metrics.registers_per_thread == of_code.registers_per_thread);
    CHECK(result->metrics.local_memory_bytes_per_thread == of_code.local_memory_bytes_per_thread);
    REQUIRE(result->metrics.gigabytes_per_second.has_value());
    CHECK(result->metrics.peak_bandwidth_fraction.has_value() == peak.gigabytes_per_second.has_value());
    CHECK_FALSE(result->metrics.peak_compute_fraction.has_value());
    CHECK(result->warnings.empty());
  }
}

TEST_CASE("KernelTuner: a share of the peak that the options name is not replaced") {
  ScriptedGpu gpu;
  Block block("metrics_of_options");
  KernelTunerOptions with_peak = options();
  with_peak.peak = {.teraflops_per_second = 10.0, .gigabytes_per_second = 100.0};
  KernelTuner tuner{static_cast<BlockKernel&>(block), with_peak};
  const TuningResult result = tuner.tune({.problem_size = {1}}, gpu.stream, 1);
  CHECK(*result.metrics.peak_bandwidth_fraction == Approx(*result.metrics.gigabytes_per_second / 100));
  CHECK(*result.metrics.peak_compute_fraction == Approx(*result.metrics.teraflops_per_second / 10));
}

TEST_CASE("KernelTuner: what the driver cannot tell is a warning, and the config is chosen") {
  ScriptedGpu gpu;
  Block block("metrics_unknown");
  KernelTuner tuner{static_cast<BlockKernel&>(block), options()};
  CHECK(tuner.tune({.problem_size = {1}}, gpu.stream, 1).warnings.empty());
  gpu.driver.fails = [](const std::string& function) {
    return function == "cuOccupancyMaxActiveBlocksPerMultiprocessor" ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
  };
  const TuningResult result = tuner.tune({.problem_size = {1}}, gpu.stream, 1);
  CHECK(result.best_config_id == 2);
  CHECK_FALSE(result.metrics.occupancy.has_value());
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings[0], ContainsSubstring("registers, local memory and occupancy are not known: "));
}

}  // namespace contextual::test::cuda_test::kernel_tuner_metrics_test
