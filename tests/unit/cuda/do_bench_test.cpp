/// \file
/// do_bench on a scripted GPU.

#include "contextual/cuda/timing/mixed_timer.hpp"
#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/cuda/do_bench.hpp>

namespace contextual::test::cuda_test::do_bench_test {

namespace {

/// An event pair also has the host's calls between its events: the scripted clock ticks 1 us a call.
constexpr double most_calls_ns = 6'000;

constexpr std::int64_t kernel_ns = 90'000;

BenchOptions few_runs(TimerFactory timer = {}) {
  return {.warmup = 2, .repeat = 12, .timer = std::move(timer)};
}

/// What cuda_or_host_timer is then. That one says once a process that there is no CUPTI.
std::unique_ptr<Timer> cuda_or_host_timer_without_cupti() {
  return std::make_unique<cuda::MixedTimer>(cuda_event_timer());
}

std::size_t fills(ScriptedGpu& gpu) {
  return gpu.driver.log().count("cuMemsetD8Async");
}

}  // namespace

TEST_CASE("do_bench on a stream: CUPTI's time of the kernel, without the clearing of the cache") {
  ScriptedGpu gpu;
  std::size_t runs = 0;
  const BenchResult result = do_bench(
      gpu.stream,
      [&](CUstream on) {
        ++runs;
        gpu.driver.launch_kernel(on, kernel_ns);
      },
      few_runs());
  CHECK(result.timer == "CUPTI");
  CHECK(result.l2_cleared);
  CHECK(result.samples == std::vector<BenchTime>(12, BenchTime(kernel_ns)));
  CHECK(fills(gpu) == runs - 2);
  CHECK(gpu.driver.living_allocations() == 0);
  CHECK_FALSE(gpu.cupti.subscribed());
}

TEST_CASE("do_bench on a stream: without clear_l2 nothing is filled or allocated") {
  ScriptedGpu gpu;
  BenchOptions options = few_runs(cuda_event_timer);
  options.clear_l2 = false;
  const BenchResult result = do_bench(
      gpu.stream, [&] { gpu.driver.launch_kernel(gpu.stream, kernel_ns); }, options);
  CHECK(result.timer == "CUDA events");
  CHECK_FALSE(result.l2_cleared);
  CHECK(fills(gpu) == 0);
}

TEST_CASE("do_bench on a stream: events time the stream that is named") {
  ScriptedGpu gpu;
  const BenchResult result = do_bench(
      gpu.stream, [&] { gpu.driver.launch_kernel(gpu.stream, kernel_ns); }, few_runs(cuda_event_timer));
  REQUIRE(result.samples.size() == 12);
  CHECK(result.l2_cleared);
  CHECK(result.min >= BenchTime(kernel_ns));
  CHECK(result.max <= BenchTime(kernel_ns + most_calls_ns));
  CHECK(gpu.driver.living_events() == 0);
  CHECK(gpu.driver.living_allocations() == 0);
}

TEST_CASE("do_bench: a function of several kernels is timed from the first start to the last end") {
  ScriptedGpu gpu;
  CUstream first = gpu.driver.make_stream();
  CUstream second = gpu.driver.make_stream();
  const BenchResult result = do_bench(
      [&] {
        gpu.driver.launch_kernel(first, kernel_ns);
        gpu.driver.launch_kernel(second, 2 * kernel_ns);
      },
      few_runs(cuda_cupti_timer));
  CHECK(result.timer == "CUPTI");
  CHECK(result.min >= BenchTime(2 * kernel_ns));
  CHECK(result.max <= BenchTime(2 * kernel_ns + most_calls_ns));
}

TEST_CASE("do_bench: with a timer of devices, a function of the host is timed by the host's clock") {
  ScriptedGpu gpu;
  int runs = 0;
  const BenchResult result = do_bench([&] { ++runs; }, few_runs(cuda_or_host_timer));
  CHECK(result.timer == "host clock");
  CHECK(result.samples.size() == 12);
  CHECK(fills(gpu) == 0);
}

TEST_CASE("do_bench: without CUPTI and without a stream, a time still holds the work of other streams") {
  ScriptedGpu gpu(2);
  CUstream stream = gpu.driver.make_stream(GENERATE(0, 1));  // which does not wait for a default stream
  const BenchResult result = do_bench([&] { gpu.driver.launch_kernel(stream, kernel_ns); },
                                      few_runs(cuda_or_host_timer_without_cupti));
  CHECK(result.timer == "CUDA events");
  CHECK(result.min >= BenchTime(kernel_ns));
  CHECK(result.max <= BenchTime(kernel_ns + 2 * most_calls_ns));
  CHECK_FALSE(result.l2_cleared);
  CHECK(fills(gpu) == 0);
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings.front(), ContainsSubstring("Name the stream"));
  CHECK(gpu.driver.living_events() == 0);
}

TEST_CASE("do_bench: without CUPTI and without a stream, a function of the host has all of its time") {
  ScriptedGpu gpu;
  constexpr int calls = 200;  // 1 us each
  const BenchResult result = do_bench(
      [&] {
        for (int i = 0; i < calls; ++i) {
          gpu.driver.write_word();
        }
      },
      few_runs(cuda_or_host_timer_without_cupti));
  CHECK(result.min >= BenchTime(calls * 1'000));
  CHECK(result.max <= BenchTime(calls * 1'000 + 2 * most_calls_ns));
  CHECK_FALSE(result.l2_cleared);
  CHECK(result.warnings.size() == 1);
}

TEST_CASE("do_bench: without CUPTI, an old driver cannot see all streams, which is said") {
  ScriptedGpu gpu;
  gpu.driver.lose_context_events();
  const BenchResult result =
      do_bench([&] { gpu.driver.launch_kernel(gpu.stream, kernel_ns); }, few_runs(cuda_event_timer));
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings.front(), ContainsSubstring("older than CUDA 12.5"));
}

TEST_CASE("do_bench: without a stream, the cache of the device is cleared on which the function works") {
  ScriptedGpu gpu(2);
  CUstream stream = gpu.driver.make_stream(1);
  std::set<CUcontext> filled;
  gpu.driver.fails = [&](const std::string& function) {
    CUcontext context = nullptr;
    if (function == "cuMemsetD8Async") {
      cuda::driver().cuCtxGetCurrent(&context);
      filled.insert(context);
    }
    return CUDA_SUCCESS;
  };
  const BenchResult result =
      do_bench([&] { gpu.driver.launch_kernel(stream, kernel_ns); }, few_runs(cuda_or_host_timer));
  CHECK(result.timer == "CUPTI");
  CHECK(result.samples == std::vector<BenchTime>(12, BenchTime(kernel_ns)));
  CHECK(result.l2_cleared);
  CHECK(filled == std::set<CUcontext>{gpu.driver.context(1)});
  CHECK(gpu.driver.living_allocations() == 0);
}

TEST_CASE("do_bench on a stream: a capture is refused, and goes on") {
  ScriptedGpu gpu;
  const bool of_another = GENERATE(false, true);
  if (of_another) {
    gpu.driver.default_stream_blocked = true;
  } else {
    gpu.driver.begin_capture(gpu.stream);
  }
  int runs = 0;
  CHECK_THROWS_AS(do_bench(
                      gpu.stream, [&] { ++runs; }, few_runs()),
                  InvalidArgument);
  CHECK(runs == 0);
  CHECK(gpu.driver.capturing.contains(gpu.stream) != of_another);
  for (const char* call : {"cuMemAlloc", "cuLaunchKernelEx", "cuStreamCreate"}) {
    CHECK(gpu.driver.log().count(call) == 0);
  }
}

TEST_CASE("do_bench on a stream: a timer of the host alone is refused") {
  ScriptedGpu gpu;
  const BenchOptions options = few_runs(host_timer);
  int runs = 0;
  CHECK_THROWS_AS(do_bench(
                      gpu.stream, [&] { ++runs; }, options),
                  InvalidArgument);
  CHECK_THROWS_AS(do_bench(gpu.stream, std::function<void(CUstream)>{}), InvalidArgument);
  CHECK(runs == 0);
}

TEST_CASE("do_bench on a stream of another device: that device's cache is cleared, the context stays") {
  ScriptedGpu gpu(2);
  CUstream stream = gpu.driver.make_stream(1);
  BenchOptions options = few_runs();
  const BenchResult result = do_bench(
      stream, [&](CUstream on) { gpu.driver.launch_kernel(on, kernel_ns); }, options);
  CHECK(result.samples == std::vector<BenchTime>(12, BenchTime(kernel_ns)));
  CHECK(result.l2_cleared);
  CHECK(gpu.driver.living_allocations() == 0);
  CUcontext current = nullptr;
  REQUIRE(cuda::driver().cuCtxGetCurrent(&current) == CUDA_SUCCESS);
  CHECK(current == gpu.driver.context(0));
}

TEST_CASE("do_bench: a clearing that fails is an error that names the call, and leaves nothing behind") {
  ScriptedGpu gpu;
  gpu.driver.fails = [&](const std::string& function) {
    return function == "cuMemsetD8Async" ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  };
  CHECK_THROWS_WITH(
      do_bench(
          gpu.stream, [&](CUstream on) { gpu.driver.launch_kernel(on, kernel_ns); }, few_runs()),
      ContainsSubstring("cuMemsetD8Async"));
  CHECK(gpu.driver.living_allocations() == 0);
  CHECK_FALSE(gpu.cupti.subscribed());
}

}  // namespace contextual::test::cuda_test::do_bench_test
