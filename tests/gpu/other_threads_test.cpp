/// \file
/// Tuning by CUPTI beside other threads of the process that use CUDA as they like.

#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>

#include <atomic>

namespace contextual::test::gpu_test::other_threads_test {

namespace {

struct Short {
  int us = 10;
};
struct Long {
  int us = 5'000'000;
};

/// One thread that is busy for as long, and never longer than 5 s.
template <typename Config>
class Busy : public CudaKernel<Config> {
 public:
  Busy(const std::string& name, std::vector<int> lengths_us)
      : CudaKernel<Config>(name, {{"US", &Config::us, std::move(lengths_us)}}, single_problem, definition()) {
  }

 private:
  static typename CudaKernel<Config>::Definition definition() {
    typename CudaKernel<Config>::Definition definition;
    definition.source = CudaSource::text("busy.cu", R"(
extern "C" __global__ void busy() {
  unsigned long long begin, now;
  const unsigned long long length = min(US * 1000ull, 5000000000ull);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < length);
})");
    definition.variant = [](const Config& config) {
      return CudaVariant{.function = "busy", .defines = {{"US", std::to_string(config.us)}}};
    };
    definition.layout = [](const Config&) { return CudaLayout{}; };
    return definition;
  }
};

Options tuning(TimerFactory timer = cuda_timer) {
  Options options{
      .always_tune = true, .log_directory = "", .print = Print::nothing, .timer = std::move(timer)};
  return options;
}

/// Made before other threads capture: an array synchronizes the device, which must not be done then.
struct Buffers {
  static constexpr std::size_t count = 1024;
  DeviceArray<int> out{count};
  DeviceArray<int> state{std::vector<int>(count, 7)};
};

/// Each to the end, with an output and a buffer that is restored.
void tune(const std::string& region, const Buffers& buffers, int times, Options options,
          const std::string& timer = "CUPTI") {
  Busy<Short> kernel(region, {40, 10, 80});
  const Stream stream;
  const DeviceArray<int>& out = buffers.out;
  const DeviceArray<int>& state = buffers.state;
  constexpr std::size_t count = Buffers::count;
  options.outputs = std::vector{output("out", out.get(), count)};
  options.restore = std::vector{restored("state", state.get(), count)};
  ContextualAutotuner tuner(options);
  for (int i = 0; i < times; ++i) {
    tuner.run(region, [&] {
      kernel(stream);
      cuda_check(cudaMemcpyAsync(out.get(), state.get(), count * sizeof(int), cudaMemcpyDefault, stream));
      cuda_check(cudaMemsetAsync(state.get(), 0, count * sizeof(int), stream));
    });
    const RegionReport report = tuner.report(region);
    REQUIRE(report.problems.size() == 1);
    const ProblemReport& problem = report.problems.front();
    CHECK(problem.configs.at(problem.choice).config.get<int>("US") == 10);
    CHECK(report.timer == timer);
  }
}

/// Captures, launches and destroys graphs without pause, in thread-local mode.
class CapturingThread {
 public:
  CapturingThread() : thread_([this] { work(); }) {
    while (captures_ == 0) {
      std::this_thread::yield();
    }
  }
  CapturingThread(const CapturingThread&) = delete;
  CapturingThread& operator=(const CapturingThread&) = delete;
  ~CapturingThread() {
    stop_ = true;
    thread_.join();
  }
  int captures() const { return captures_; }
  int invalid() const { return invalid_; }

 private:
  void work() {
    const Stream stream;
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, 1024));
    while (!stop_) {
      cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
      for (int i = 0; i < 20; ++i) {
        static_cast<void>(cudaMemsetAsync(memory, i, 1024, stream));
      }
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t executable = nullptr;
      ++captures_;
      if (cudaStreamEndCapture(stream, &graph) != cudaSuccess ||
          cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess) {
        ++invalid_;
        cudaGetLastError();
        continue;
      }
      cuda_check(cudaGraphLaunch(executable, stream));
      stream.wait();
      cuda_check(cudaGraphExecDestroy(executable));
      cuda_check(cudaGraphDestroy(graph));
    }
    cudaFree(memory);
  }

  std::atomic<bool> stop_{false};
  std::atomic<int> captures_{0};
  std::atomic<int> invalid_{0};
  std::thread thread_;
};

}  // namespace

TEST_CASE("other threads: ten tunings beside one that captures and destroys graphs without pause") {
  ONLY_IF(has_gpu());
  const Buffers buffers;
  tune("before_captures", buffers, 1, tuning([] { return cuda_timer_with({.detach = false}); }));
  const CapturingThread other;
  tune("beside_captures", buffers, 10, tuning());
  INFO(other.captures() << " captures");
  CHECK(other.invalid() == 0);
  tune("by_events_beside_captures", buffers, 2, tuning(cuda_event_timer), "CUDA events");
  CHECK(other.invalid() == 0);  // CUPTI has told of them before
}

TEST_CASE("other threads: ten tunings beside a kernel that ends after five seconds") {
  ONLY_IF(has_gpu());
  const Buffers buffers;
  const Stream stream;
  Busy<Long> persistent("persistent", {5'000'000});
  persistent(stream);
  tune("beside_a_kernel", buffers, 10, tuning());
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
}

}  // namespace contextual::test::gpu_test::other_threads_test
