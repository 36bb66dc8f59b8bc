/// \file
/// Ranks as processes, each with a GPU; they share one where there are too few.

#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/mpi.hpp>

namespace contextual::test::gpu_test::ranks_test {

namespace {

Options options_for_ranks() {
  Options options = walk_options(3, cuda_cupti_timer);
  options.communicator = mpi_communicator(MPI_COMM_WORLD);
  options.deadline = std::chrono::seconds(60);
  return options;
}

struct SpinConfig {
  int slow_on = 0;  ///< the rank on which this config takes long
};

/// The last config spins 250 us on all ranks; each other one 400 us on one rank and 20 on the others, which
/// is less on average.
CudaKernel<SpinConfig, int> spin_kernel(int ranks) {
  using Spin = CudaKernel<SpinConfig, int>;
  Spin::Definition definition;
  definition.source = CudaSource::text("spin.cu", R"(
extern "C" __global__ void spin(int rank) {
  const long long until = clock64() + (SLOW_ON == RANKS ? 500000 : rank == SLOW_ON ? 800000 : 40000);
  while (clock64() < until) {}
})");
  definition.variant = [ranks](const SpinConfig& config) {
    return CudaVariant{
        .function = "spin",
        .defines = {{"SLOW_ON", std::to_string(config.slow_on)}, {"RANKS", std::to_string(ranks)}}};
  };
  definition.layout = [](const SpinConfig&, const int&) { return CudaLayout{}; };
  std::vector<int> slow_on;
  for (int rank = 0; rank <= ranks; ++rank) {
    slow_on.push_back(rank);
  }
  return Spin(
      "gpu_ranks_spin", {{"SLOW_ON", &SpinConfig::slow_on, slow_on}},
      [](const int&) { return single_problem(); }, definition);
}

// A ring: each rank's `push` writes into the next rank's memory while that rank's `gather` waits for it.

constexpr int n = 1 << 16;
constexpr int slots = 8;  ///< a rank is at most as many rounds ahead of the next one as there are ranks

/// What a rank's neighbour writes into, and what becomes of it.
struct Mailbox {
  float data[slots][n];
  unsigned arrived;  ///< the last round whose data are there
  unsigned late;     ///< blocks that waited in vain
};

constexpr const char* ring_source = R"(
constexpr unsigned long long budget_ns = 2000000000ull;
__device__ unsigned blocks_done;

extern "C" __global__ void push(float* data, unsigned* arrived, unsigned round, float value, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { data[i] = value; }
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&blocks_done, 1) == gridDim.x - 1) {
    blocks_done = 0;
    __threadfence_system();
    *static_cast<volatile unsigned*>(arrived) = round;
  }
}

extern "C" __global__ void gather(float* sum, const float* data, volatile unsigned* arrived, unsigned* late,
                                  unsigned round, int n) {
  if (threadIdx.x == 0) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    while (static_cast<int>(*arrived - round) < 0) {
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
      if (now - begin > budget_ns) { atomicAdd(late, 1); break; }
    }
    __threadfence_system();
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum[i] += __ldcv(data + i);
  }
}
)";

struct GridConfig {
  int blocks = 4;
};

template <typename... Args>
CudaKernel<GridConfig, Args...> ring_kernel(const char* function) {
  using Kernel = CudaKernel<GridConfig, Args...>;
  typename Kernel::Definition definition;
  definition.source = CudaSource::text("ring.cu", ring_source);
  definition.variant = [function](const GridConfig&) { return CudaVariant{.function = function}; };
  definition.layout = [](const GridConfig& config, const Args&...) {
    return CudaLayout{.grid = {static_cast<unsigned>(config.blocks)}, .block = {256}};
  };
  return Kernel(
      std::string("gpu_ranks_") + function, {{"BLOCKS", &GridConfig::blocks, {4, 1, 16}}},
      [](const Args&...) { return single_problem(); }, definition);
}

/// What a rank pushes in a round: small integers, whose sums are exact.
float value_of(int rank, unsigned round) {
  return static_cast<float>(static_cast<unsigned>(rank + 1) * round);
}

/// The next rank's mailbox, mapped into this process.
class NextMailbox {
 public:
  NextMailbox(const Rank& rank, Mailbox* own) : mapped_(rank.count > 1), mailbox_(own) {
    if (!mapped_) {
      return;
    }
    cudaIpcMemHandle_t own_handle{};
    cudaIpcMemHandle_t next_handle{};
    cuda_check(cudaIpcGetMemHandle(&own_handle, own));
    MPI_Sendrecv(&own_handle, sizeof own_handle, MPI_BYTE, rank.before(), 0, &next_handle, sizeof next_handle,
                 MPI_BYTE, rank.next(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    cuda_check(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&mailbox_), next_handle,
                                    cudaIpcMemLazyEnablePeerAccess));
  }
  NextMailbox(const NextMailbox&) = delete;
  NextMailbox& operator=(const NextMailbox&) = delete;
  ~NextMailbox() {
    if (mapped_) {
      cudaIpcCloseMemHandle(mailbox_);
    }
    if (std::uncaught_exceptions() == 0) {
      MPI_Barrier(MPI_COMM_WORLD);  // before its owner frees it
    }
  }
  Mailbox* get() const noexcept { return mailbox_; }

 private:
  bool mapped_;
  Mailbox* mailbox_;
};

}  // namespace

TEST_CASE("ranks: the choice is the one whose slowest rank is fastest, on all ranks", "[gpu][mpi]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  auto spin = spin_kernel(rank.count);
  ContextualAutotuner tuner{options_for_ranks()};
  int runs = 0;
  tuner.run("ranks", [&] {
    ++runs;
    spin(stream, rank.number);
  });
  const Report all = tuner.report();
  const RegionReport& report = *all.find("ranks");
  CHECK(report.timer == "CUPTI");
  CHECK(report.problems.at(0).choice == static_cast<std::size_t>(rank.count));
  CHECK(runs >= 4 * (rank.count + 1) + 1);
  CHECK(same_on_all_ranks(report.problems.at(0).choice));
  CHECK(same_on_all_ranks(runs));
}

TEST_CASE("ranks: kernels that wait for other ranks' kernels are tuned in place",
          "[gpu][mpi][multi_gpu][concurrent]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  if (!rank.can_push_to_next()) {
    std::printf("skipped: %d ranks need as many GPUs that reach each other's memory\n", rank.count);
    return;
  }
  REQUIRE(rank.count <= slots);
  auto push = ring_kernel<float*, unsigned*, unsigned, float, int>("push");
  auto gather = ring_kernel<float*, const float*, unsigned*, unsigned*, unsigned, int>("gather");
  const Stream pushing;
  const Stream gathering;
  DeviceArray<char> own_bytes(std::vector<char>(sizeof(Mailbox), 0));
  auto* const own = reinterpret_cast<Mailbox*>(own_bytes.get());
  const DeviceArray<float> sum(std::vector<float>(n, 0.0F));
  const NextMailbox next(rank, own);
  cudaEvent_t gathered = nullptr;
  cuda_check(cudaEventCreateWithFlags(&gathered, cudaEventDisableTiming));
  MPI_Barrier(MPI_COMM_WORLD);

  unsigned round = 0;
  ContextualAutotuner tuner{options_for_ranks()};
  tuner.run("ring", [&] {
    const int slot = static_cast<int>(++round % slots);
    gather(gathering, sum.get(), own->data[slot], &own->arrived, &own->late, round, n);
    push(pushing, next.get()->data[slot], &next.get()->arrived, round, value_of(rank.number, round), n);
    cuda_check(cudaEventRecord(gathered, gathering));
    cuda_check(cudaStreamWaitEvent(pushing, gathered));  // the next push
  });
  pushing.wait();
  gathering.wait();

  const Report all = tuner.report();
  const RegionReport& report = *all.find("ring");
  CHECK(report.timer == "CUPTI");
  REQUIRE(report.problems.size() == 2);
  for (const ProblemReport& problem : report.problems) {
    INFO(problem.kernel);
    CHECK(problem.outcome == ProblemOutcome::locked_in);
    CHECK(same_on_all_ranks(problem.choice));
  }
  CHECK(same_on_all_ranks(round));
  CHECK(round >= 4 * 3 + 1);
  unsigned late = 1;
  cuda_check(cudaMemcpy(&late, &own->late, sizeof late, cudaMemcpyDeviceToHost));
  CHECK(late == 0);
  float expected = 0;
  for (unsigned r = 1; r <= round; ++r) {
    expected += value_of(rank.before(), r);
  }
  const std::vector<float> sums = sum.host();
  CHECK(std::count(sums.begin(), sums.end(), expected) == n);
  cudaEventDestroy(gathered);
}

}  // namespace contextual::test::gpu_test::ranks_test
