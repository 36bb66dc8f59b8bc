#include "gpu/kernel_support.hpp"
#include "gpu/runtime_kernel.hpp"
#include "support/catch.hpp"
#include "support/report_of.hpp"

#include <limits>

namespace contextual::test::gpu_test::runtime_launch_test {

namespace {

/// Tunes a region that calls `before` and then scales a vector of ones by 3.
RegionReport tune_scale(const std::function<void()>& before, int& wrong_runs) {
  constexpr int n = 100'003;
  const std::vector<float> ones(n, 1.0F);
  const DeviceArray<float> x(ones);
  const Stream stream;
  Options options{.search = SearchLevel::off, .always_tune = true, .log_directory = "", .timer = cuda_timer};
  options.before_iteration = [&](const IterationInfo&) {
    cuda_check(cudaMemcpy(x.get(), ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    cuda_check(
        cudaDeviceSynchronize());  // the copy may go on after its call, and the stream does not wait for it
  };
  options.after_iteration = [&](const IterationInfo&) {
    const std::vector<float> result = x.host();
    wrong_runs +=
        std::all_of(result.begin(), result.end(), [](float value) { return value == 3.0F; }) ? 0 : 1;
  };
  ContextualAutotuner tuner(options);
  tuner.run("scale", [&] {
    before();
    static_cast<void>(scale()(stream, x.get(), 3.0F, n));
  });
  return report_of(tuner, "scale");
}

void check_only_large_blocks_are_rejected(const RegionReport& region) {
  REQUIRE(region.problems.size() == 1);
  CHECK(region.problems[0].outcome == ProblemOutcome::locked_in);
  for (const ConfigReport& config : region.problems[0].configs) {
    INFO(config.config.to_string() << ": " << config.rejection.value_or("not rejected"));
    const bool too_large = config.config.to_string().find("2048") != std::string::npos;
    CHECK(config.rejection.has_value() == too_large);
    if (too_large) {  // InvalidConfiguration or InvalidValue, by the toolkit's version
      CHECK_THAT(*config.rejection, ContainsSubstring("cudaErrorInvalid"));
    } else {
      CHECK(config.time.count > 0);
    }
  }
}

}  // namespace

TEST_CASE("launches by <<<>>>: tuned and right, and rejected by the runtime's status") {
  ONLY_IF(has_gpu());
  const int loads_before = loads_of_scale();
  int wrong_runs = 0;
  check_only_large_blocks_are_rejected(tune_scale([] {}, wrong_runs));
  CHECK(wrong_runs == 0);
  CHECK(loads_of_scale() >= loads_before + 6);  // each config was prepared
}

TEST_CASE("launches by <<<>>>: an error that was there before is not blamed on any config") {
  ONLY_IF(has_gpu());
  int wrong_runs = 0;
  const auto leave_an_error = [] {
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, std::numeric_limits<std::size_t>::max() / 2) == cudaErrorMemoryAllocation);
  };
  const RegionReport region = tune_scale(leave_an_error, wrong_runs);
  check_only_large_blocks_are_rejected(region);
  CHECK(wrong_runs == 0);
  const bool told =
      std::any_of(region.warnings.begin(), region.warnings.end(), [](const std::string& warning) {
        return warning.find("cudaErrorMemoryAllocation") != std::string::npos;
      });
  CHECK(told);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("launches by <<<>>>: without a GPU one message says so, and no config is to blame", "[unit]") {
  if (cuda_problem().empty()) {
    return;
  }
  const Options options{.log_directory = "", .timer = cuda_or_host_timer};
  ContextualAutotuner tuner(options);
  const std::string text = error_text<DeviceError>(
      [&] { tuner.run("without a GPU", [] { static_cast<void>(scale()(nullptr, nullptr, 1.0F, 1)); }); });
  CHECK_THAT(text, ContainsSubstring("there is no GPU that this process can use: cudaError"));
  CHECK_THAT(text, !ContainsSubstring("Add a config"));
}

TEST_CASE("launch_status of cudaError_t: tells the device's failures from the launch's", "[unit]") {
  using Status = launch_status<cudaError_t>;
  CHECK(!Status::failure(cudaSuccess));
  CHECK_THAT(Status::failure(cudaErrorInvalidValue).value(), ContainsSubstring("cudaErrorInvalidValue: "));
  for (const cudaError_t code :
       {cudaErrorIllegalAddress, cudaErrorAssert, cudaErrorLaunchFailure, cudaErrorLaunchTimeout,
        cudaErrorHardwareStackError, cudaErrorIllegalInstruction, cudaErrorMisalignedAddress,
        cudaErrorInvalidAddressSpace, cudaErrorInvalidPc, cudaErrorECCUncorrectable,
        cudaErrorNvlinkUncorrectable}) {
    CHECK(Status::device_failure(code).has_value());
  }
  for (const cudaError_t code : {cudaSuccess, cudaErrorInvalidConfiguration, cudaErrorLaunchOutOfResources,
                                 cudaErrorMemoryAllocation, cudaErrorNoKernelImageForDevice}) {
    CHECK(!Status::device_failure(code));
  }
}

TEST_CASE("load_kernel: what is no kernel throws, and leaves no error behind") {
  ONLY_IF(has_gpu());
  static const int no_kernel = 0;
  CHECK_THROWS_AS(load_kernel(static_cast<const void*>(&no_kernel)), CudaError);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("add_code_metrics: a kernel that nvcc compiled has registers and fills a multiprocessor") {
  ONLY_IF(has_gpu());
  const CUfunction function = function_of_scale();
  REQUIRE(function != nullptr);
  KernelMetrics metrics;
  add_code_metrics(metrics, function, {.block = {256}});
  CHECK(metrics.registers_per_thread.value_or(0) > 0);
  CHECK(metrics.local_memory_bytes_per_thread.value_or(-1) >= 0);
  CHECK(metrics.occupancy.value_or(0) > 0.9);  // it needs few registers and no shared memory
  CHECK(metrics.occupancy.value_or(0) <= 1);
}

}  // namespace contextual::test::gpu_test::runtime_launch_test
