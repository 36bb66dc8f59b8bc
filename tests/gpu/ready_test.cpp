/// \file
/// Kernels that are launched beside one that runs and waits: neither local memory nor shared memory keeps
/// them out.

#include "gpu/kernel_support.hpp"
#include "gpu/spinning_kernel.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>

namespace contextual::test::gpu_test::ready_test {

namespace {

struct Spilling {
  int local_bytes = 0;
};

/// Fastest where it uses `fastest` bytes of local memory.
auto spilling_kernel(const std::string& name, std::vector<int> sizes, int fastest) {
  using Kernel = CudaKernel<Spilling, int*, int>;
  Kernel::Definition definition;
  definition.source = CudaSource::text("spilling.cu", R"(
extern "C" __global__ void spilling(int* out, int index) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
#if LOCAL > 0
  int memory[LOCAL / 4];
  for (int i = 0; i < 10; ++i) memory[(i * 7 + index) % (LOCAL / 4)] = i;
  *out = memory[index * 3 % (LOCAL / 4)];
#endif
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < (LOCAL == FASTEST ? 10000 : 200000));
})");
  definition.variant = [fastest](const Spilling& config) {
    return CudaVariant{
        .function = "spilling",
        .defines = {{"LOCAL", std::to_string(config.local_bytes)}, {"FASTEST", std::to_string(fastest)}}};
  };
  definition.layout = [](const Spilling&, int* const&, const int&) { return CudaLayout{.block = {32}}; };
  return Kernel(
      name, {{"LOCAL", &Spilling::local_bytes, std::move(sizes)}},
      [](int* const&, const int&) { return single_problem(); }, definition);
}

double used_mib() {
  std::size_t free = 0;
  std::size_t total = 0;
  cuda_check(cudaMemGetInfo(&free, &total));
  return static_cast<double>(total - free) / (1 << 20);
}

struct Carveout {
  int percent = -1;
};

}  // namespace

TEST_CASE("ready: a config with much local memory does not wait for a kernel that runs") {
  ONLY_IF(has_gpu());
  const int fastest = GENERATE(0, 6 * 1024, 16 * 1024);
  const std::string name = "spilling_" + std::to_string(fastest);
  auto kernel = spilling_kernel(name, {0, 6 * 1024, 16 * 1024}, fastest);
  const Stream stream;
  DeviceArray<int> out(1);
  ContextualAutotuner tuner({.log_directory = "", .cache_directory = "", .timer = cuda_timer});
  { const SpinningKernel loads_the_waiting_one; }
  const double before = used_mib();
  int given_up = 0;
  const auto region = [&] {
    SpinningKernel waiting;
    kernel(stream, out.get(), 3);
    stream.wait();
    given_up += waiting.release() ? 0 : 1;
  };
  tuner.run(name, region);
  CHECK(given_up == 0);
  const ProblemReport problem = [&] {
    const RegionReport report = tuner.report(name);
    return *std::find_if(report.problems.begin(), report.problems.end(),
                         [&](const ProblemReport& each) { return each.kernel == name; });
  }();
  CHECK(problem.configs.at(problem.choice).config.get<int>("LOCAL") == fastest);
  const double taken = used_mib() - before;
  std::printf("fastest with %d bytes of local memory: %.0f MiB more are taken after the run\n", fastest,
              taken);
  CHECK(taken < (fastest == 0 ? 200 : 1.2 * fastest * 132 * 2048 / (1 << 20) + 200));
  tuner.run(name, region);
  CHECK(given_up == 0);
}

TEST_CASE("ready: a waiting kernel with a carve-out for shared memory lets others run that use some") {
  ONLY_IF(has_gpu());
  cuda_check(cudaSetDevice(0));
  using Kernel = CudaKernel<Carveout, volatile int*>;
  Kernel::Definition waits;
  waits.source = CudaSource::text("waits.cu", R"(
extern "C" __global__ void waits(volatile int* words) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  atomicAdd_system((int*)words + 1, 1);
  while (words[0] == 0) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - begin > 1000000000ull) { words[2] = 1; break; }
  }
})");
  waits.variant = [](const Carveout&) { return CudaVariant{.function = "waits"}; };
  int multiprocessors = 0;
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  waits.layout = [=](const Carveout& config, volatile int* const&) {
    return CudaLayout{.grid = {static_cast<unsigned>(multiprocessors)},
                      .block = {32},
                      .shared_memory_carveout = config.percent};
  };
  Kernel waiting(
      "waits", {{"CARVEOUT", &Carveout::percent, {-1, 100}}},
      [](volatile int* const&) { return single_problem(); }, waits);
  Kernel::Definition sets;
  sets.source = CudaSource::text("sets.cu", R"(
extern "C" __global__ void sets(volatile int* words) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
  __syncthreads();
  words[0] = shared[31];
})");
  sets.variant = [](const Carveout&) { return CudaVariant{.function = "sets"}; };
  sets.layout = [](const Carveout&, volatile int* const&) {
    return CudaLayout{.block = {32}, .dynamic_shared_bytes = 4096};
  };
  Kernel setting(
      "sets", {{"CARVEOUT", &Carveout::percent, {-1}}}, [](volatile int* const&) { return single_problem(); },
      sets);
  setting.load(0);
  void* host = nullptr;
  cuda_check(cudaHostAlloc(&host, 64, cudaHostAllocMapped));
  volatile int* const words = static_cast<int*>(host);
  const auto in_vain = [&](std::size_t config) {
    waiting.load(config);
    std::fill(words, words + 3, 0);
    const Stream one;
    const Stream other;
    REQUIRE(waiting.launch_config(config, one, words) == CUDA_SUCCESS);
    while (words[1] < multiprocessors) {
    }
    REQUIRE(setting.launch_config(0, other, words) == CUDA_SUCCESS);
    one.wait();
    other.wait();
    return words[2] == 1;
  };
  CHECK(in_vain(0));  // what the parameter is for: where this holds no more, it has lost its use
  CHECK_FALSE(in_vain(1));
  cuda_check(cudaFreeHost(host));
}

}  // namespace contextual::test::gpu_test::ready_test
