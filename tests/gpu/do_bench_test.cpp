#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/cuda/device_facts.hpp>
#include <contextual/cuda/do_bench.hpp>

namespace contextual::test::gpu_test::do_bench_test {

namespace {

struct WaitConfig {
  int threads = 32;
};
using Wait = CudaKernel<WaitConfig, unsigned long long>;

/// Runs for so many ns at least, by the device's own clock.
Wait& wait_for() {
  static auto* const kernel = [] {
    Wait::Definition definition;
    definition.source = CudaSource::text("wait.cu", R"(
extern "C" __global__ void wait_for(unsigned long long length_ns) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < length_ns);
})");
    definition.variant = [](const WaitConfig&) { return CudaVariant{.function = "wait_for"}; };
    definition.layout = [](const WaitConfig& config, const unsigned long long&) {
      return CudaLayout{.block = {static_cast<unsigned>(config.threads)}};
    };
    return new Wait("wait_for", {{"THREADS", &WaitConfig::threads, {32}}}, single_problem, definition);
  }();
  return *kernel;
}

constexpr unsigned long long length_ns = 50'000;

BenchOptions few_runs(TimerFactory timer = {}) {
  return {.warmup = 3, .repeat = 150, .timer = std::move(timer)};
}

std::size_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  cuda_check(cudaMemGetInfo(&free, &total));
  return free;
}

}  // namespace

TEST_CASE("do_bench: a sample holds the kernel, by CUPTI and by events") {
  ONLY_IF(has_gpu());
  const Stream stream;
  for (const TimerFactory& timer : {TimerFactory(), TimerFactory(cuda_event_timer)}) {
    const BenchResult result = do_bench(
        stream, [](cudaStream_t on) { wait_for()(on, length_ns); }, few_runs(timer));
    INFO(result.timer << ": " << result.median.count() << " ns");
    CHECK(result.samples.size() == 150);
    CHECK(result.l2_cleared);
    // The clock that the kernel reads may advance in steps of a us.
    CHECK(result.min >= BenchTime(length_ns - 2'000));
  }
}

TEST_CASE("do_bench: the memory that clears the cache is given back") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const auto measure = [&] {
    return do_bench(
        stream, [&] { wait_for()(stream, length_ns); }, few_runs(cuda_event_timer));
  };
  static_cast<void>(measure());  // what the driver keeps for itself is there from now on
  const std::size_t before = free_bytes();
  CHECK(measure().l2_cleared);
  CHECK(free_bytes() >= before);
}

TEST_CASE("do_bench: without a stream the devices' timer finds the kernel, and a function of the host") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const BenchResult kernel = do_bench([&] { wait_for()(stream, length_ns); }, few_runs(cuda_or_host_timer));
  INFO(kernel.timer << ": " << kernel.median.count() << " ns");
  CHECK(kernel.min >= BenchTime(length_ns - 2'000));
  CHECK(kernel.warnings.empty() == (kernel.timer == "CUPTI"));
  int runs = 0;
  const BenchResult host = do_bench([&] { ++runs; }, few_runs(cuda_or_host_timer));
  if (kernel.timer == "CUPTI") {
    CHECK(host.timer == "host clock");
  }
  CHECK(host.samples.size() == 150);
}

TEST_CASE("do_bench: events without a stream have all of a kernel's time, and of a function of the host") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const BenchResult kernel = do_bench([&] { wait_for()(stream, length_ns); }, few_runs(cuda_event_timer));
  INFO("kernel: " << kernel.median.count() << " ns");
  CHECK(kernel.min >= BenchTime(length_ns - 2'000));
  CHECK(kernel.warnings.size() >= 1);
  CHECK_FALSE(kernel.l2_cleared);
  constexpr auto host_time = std::chrono::microseconds(200);
  const BenchResult host = do_bench(
      [&] {
        const auto begin = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - begin < host_time) {
        }
      },
      few_runs(cuda_event_timer));
  INFO("host: " << host.median.count() << " ns");
  CHECK(host.median >= BenchTime(host_time) - BenchTime(10'000));
}

TEST_CASE("do_bench: a stream that is being captured is refused, and its capture goes on") {
  ONLY_IF(has_gpu());
  const Stream stream;
  cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK_THROWS_AS(do_bench(
                      stream, [&] { wait_for()(stream, length_ns); }, few_runs()),
                  InvalidArgument);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaGraphDestroy(graph);
}

TEST_CASE("device_peak: this device has a memory of some speed") {
  ONLY_IF(has_gpu());
  cuda_check(cudaFree(nullptr));  // makes the context
  const DevicePeak current = device_peak(ArithmeticUnit::tensor_cores_16_bit);
  REQUIRE(current.gigabytes_per_second);
  CHECK(*current.gigabytes_per_second > 10);
  CHECK(device_peak(ArithmeticUnit::tensor_cores_16_bit, 0).gigabytes_per_second.has_value());
}

}  // namespace contextual::test::gpu_test::do_bench_test
