// The all-gather GEMM between processes, each with a GPU. Ranks share GPUs where there are too few, for
// correctness.

#include "gpu/gathered_problem.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/region_workspace.hpp"
#include "gpu/spinning_kernel.hpp"
#include "kernels/cuda/gemm_gather.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/peer_control.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>

#include <deque>

namespace contextual::test::gpu_test::allgather_gemm_test {

using namespace kernels::cuda;

namespace {

constexpr int branches = 64;
constexpr std::size_t words_of_branch = 1024;

/// What is captured has more branches beside `call` than the device has queues.
void beside_branches(cudaStream_t stream, std::uint32_t* scratch, const std::function<void()>& call) {
  const std::deque<Stream> others(branches);
  cudaEvent_t event = nullptr;
  cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cuda_check(cudaEventRecord(event, stream));
  for (int i = 0; i < branches; ++i) {
    if (i == branches / 2) {
      call();
    }
    const Stream& other = others[static_cast<std::size_t>(i)];
    cuda_check(cudaStreamWaitEvent(other, event, 0));
    for (int again = 0; again < 3; ++again) {
      cuda_check(cudaMemsetAsync(scratch + static_cast<std::size_t>(i) * words_of_branch, again,
                                 words_of_branch * sizeof(std::uint32_t), other));
    }
  }
  for (const Stream& other : others) {
    cuda_check(cudaEventRecord(event, other));
    cuda_check(cudaStreamWaitEvent(stream, event, 0));
  }
  cuda_check(cudaEventDestroy(event));
}

void gather_and_check(AllGatherGemm& layer, GatheredProblem& problem, cudaStream_t stream, int set) {
  layer(stream, {problem.a_rows(set)}, {problem.b(), problem.c()});
  problem.check_later(stream, set);
}

}  // namespace

TEST_CASE("all-gather GEMM: right without tuning, for any number of rows, with fresh data each time",
          "[shapes]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const auto workspace =
      region_workspace(rank, AllGatherGemm::workspace_bytes({513, 136, 72, GemmType::fp16}));
  ONLY_IF(workspace != nullptr);
  for (const auto type : {GemmType::fp16, GemmType::bf16}) {
    for (const int m : {1, 127, 128, 513}) {
      const AllGatherGemmShape shape{m, 136, 72, type};
      CAPTURE(m, static_cast<int>(type));
      poison(*workspace);
      AllGatherGemm layer(workspace, shape);
      GatheredProblem problem(rank, shape, 3);
      for (int round = 0; round < 9; ++round) {
        gather_and_check(layer, problem, stream, round % problem.sets());
      }
      CHECK(problem.wrong() == 0);
      CHECK(workspace->failure().empty());
    }
  }
}

TEST_CASE("all-gather GEMM: five rounds of fresh data at the size of a model's layer", "[size]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherGemmShape shape{4091 * std::min(rank.count, rank.devices), 5120, 1024, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  poison(*workspace);
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 5);
  for (int set = 0; set < problem.sets(); ++set) {
    gather_and_check(layer, problem, stream, set);
    CHECK(problem.wrong() == 0);
  }
}

TEST_CASE("all-gather GEMM: every config is right when tuned, in each iteration", "[tuned]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherGemmShape shape{1022, 776, 328, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  poison(*workspace);
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 2);
  ContextualAutotuner tuner(region_tuning(rank));
  int iteration = 0;
  tuner.run("allgather_gemm",
            [&] { gather_and_check(layer, problem, stream, iteration++ % problem.sets()); });
  const RegionReport region = tuner.report("allgather_gemm");
  INFO(region.choices_text());
  CHECK(iteration > 50);
  CHECK(problem.wrong() == 0);
  CHECK(region.problems.size() >= 2);  // the way, the kernel, and where there is NCCL cuBLASLt
  for (const auto& tuned : region.problems) {
    CHECK(tuned.outcome == ProblemOutcome::locked_in);
    CHECK(same_on_all_ranks(tuned.choice));
  }
  // As it was chosen, outside of tuning.
  for (int round = 0; round < 10; ++round) {
    gather_and_check(layer, problem, stream, round % problem.sets());
  }
  CHECK(problem.wrong() == 0);
}

TEST_CASE("all-gather GEMM: with equal bits, every assignment that is tried gives the same ones",
          "[tuned][bits]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherGemmShape shape{766, 520, 1032, GemmType::bf16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape), {.equal_bits = true});
  ONLY_IF(workspace != nullptr);
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 1);
  layer(stream, {problem.a_rows(0)}, {problem.b(), problem.c()});
  const std::vector<std::uint16_t> bits = problem.bits();
  ContextualAutotuner tuner(region_tuning(rank));
  int iterations = 0;
  int different = 0;
  tuner.run("equal_bits_allgather", [&] {
    layer(stream, {problem.a_rows(0)}, {problem.b(), problem.c()});
    ++iterations;
    different += problem.bits() == bits ? 0 : 1;
  });
  CHECK(iterations > 50);
  CHECK(different == 0);
  problem.check_later(stream, 0);
  CHECK(problem.wrong() == 0);
}

TEST_CASE("all-gather GEMM: own rows that are written in place, and several products of one gather",
          "[in_place]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherGemmShape shape{700, 264, 136, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  AllGatherGemm layer(workspace, shape);
  GatheredProblem first(rank, shape, 2);
  GatheredProblem second(rank, shape, 2);
  const std::size_t bytes =
      static_cast<std::size_t>(first.rows().count()) * static_cast<std::size_t>(shape.k) * 2;
  for (int round = 0; round < 20; ++round) {
    const int set = round % 2;
    cuda_check(cudaMemcpyAsync(layer.input(), first.a_rows(set), bytes, cudaMemcpyDeviceToDevice, stream));
    const std::vector<GatheredProduct> products{{first.b(), first.c(), shape.n},
                                                {second.b(), second.c(), shape.n}};
    layer(stream, {layer.input()}, products);
    first.check_later(stream, set);
    second.check_later(stream, set);
  }
  CHECK(first.wrong() == 0);
  CHECK(second.wrong() == 0);
}

TEST_CASE(
    "all-gather GEMM: a thousand replays of a graph, with eager calls among them, and epochs beyond 32 bits",
    "[graph]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherGemmShape shape{257, 136, 72, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  PeerControl control{};
  control.epoch = (1ULL << 32U) - 50;
  for (unsigned long long& arrived : control.arrived) {
    arrived = control.epoch;
  }
  cuda_check(cudaMemcpy(workspace->parts().control_of(rank.number), &control, sizeof(control),
                        cudaMemcpyHostToDevice));
  cuda_check(cudaDeviceSynchronize());
  on_all_ranks(true);

  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 3);
  gather_and_check(layer, problem, stream, 0);  // code is loaded before a capture
  std::deque<Graph> graphs;
  for (int set = 0; set < problem.sets(); ++set) {
    graphs.emplace_back(stream, [&] { gather_and_check(layer, problem, stream, set); });
  }
  // Ranks that share a GPU take turns on it, each a few milliseconds long.
  const int replays = rank.count <= rank.devices ? 1000 : 100;
  for (int replay = 0; replay < replays; ++replay) {
    graphs[static_cast<std::size_t>(replay) % graphs.size()].launch(stream);
    if (replay % 7 == 3) {
      gather_and_check(layer, problem, stream, replay % problem.sets());
    }
  }
  CHECK(problem.wrong() == 0);
  CHECK(workspace->failure().empty());
}

TEST_CASE("all-gather GEMM: it is right when another rank comes long after this one", "[late]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherGemmShape shape{1030, 264, 136, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  poison(*workspace);
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 2);
  for (int round = 0; round < 6; ++round) {
    if (round % rank.count == rank.number) {
      delay(stream, std::chrono::milliseconds(20));
    }
    gather_and_check(layer, problem, stream, round % 2);
    CHECK(problem.wrong() == 0);
  }
}

TEST_CASE(
    "all-gather GEMM: rows that copies bring, in replays among eager calls, beside branches and a late rank",
    "[copied]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherGemmShape shape{1022, 264, 4120, GemmType::bf16};
  const auto workspace =
      region_workspace(rank, AllGatherGemm::workspace_bytes(shape), {.wait_budget = std::chrono::seconds(1)});
  ONLY_IF(rank.count >= 2 && rank.count <= rank.devices && workspace != nullptr);
  poison(*workspace);
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 3);
  ContextualAutotuner tuner(region_tuning(rank));
  const Options options{.feasible = only_way("copied")};
  int iteration = 0;
  tuner.run(
      "copied_rows", [&] { gather_and_check(layer, problem, stream, iteration++ % problem.sets()); },
      options);
  const Report report = tuner.report();
  const std::vector<ProblemReport>& problems = report.find("copied_rows")->problems;
  INFO(report.find("copied_rows")->choices_text());
  CHECK(std::any_of(problems.begin(), problems.end(), [](const ProblemReport& tuned) {
    return tuned.kernel == copied_gemm_name && tuned.outcome == ProblemOutcome::locked_in;
  }));
  std::deque<Graph> graphs;
  for (int set = 0; set < problem.sets(); ++set) {
    graphs.emplace_back(stream, [&] { gather_and_check(layer, problem, stream, set); });
  }
  const DeviceArray<std::uint32_t> scratch(std::size_t{branches} * words_of_branch);
  graphs.emplace_back(stream, [&] {
    beside_branches(stream, scratch.get(), [&] { gather_and_check(layer, problem, stream, 0); });
  });
  for (int replay = 0; replay < 300; ++replay) {
    if (replay % 60 == 30 && replay / 60 % rank.count == rank.number) {
      delay(stream, std::chrono::milliseconds(20));
    }
    graphs[static_cast<std::size_t>(replay) % graphs.size()].launch(stream);
    if (replay % 7 == 3) {
      gather_and_check(layer, problem, stream, replay % problem.sets());
    }
  }
  CHECK(problem.wrong() == 0);
  CHECK(workspace->failure().empty());
  if (rank.number == 0) {  // and the others do not come
    layer(stream, {problem.a_rows(0)}, {problem.b(), problem.c()});
    stream.wait();
    CHECK(problem.nan_count() == static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n));
    CHECK_THAT(workspace->failure(), ContainsSubstring("rank "));
  }
  on_all_ranks(true);
  workspace->rearm();
  graphs[1].launch(stream);
  CHECK(problem.wrong() == 0);
}

TEST_CASE("all-gather GEMM: it goes on with two multiprocessors, whatever occupies the others", "[few]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherGemmShape shape{1030, 520, 136, GemmType::bf16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
  ONLY_IF(rank.count <= rank.devices && workspace != nullptr);
  GatheredProblem problem(rank, shape, 1);
  const std::vector<GatheredProduct> products{{problem.b(), problem.c(), shape.n}};
  const GemmGatherArgs args{&workspace->parts(), products, shape};
  const AllGatherGemm layer(workspace, shape);
  cuda_check(
      cudaMemcpy(layer.input(), problem.a_rows(0),
                 static_cast<std::size_t>(problem.rows().count()) * static_cast<std::size_t>(shape.k) * 2,
                 cudaMemcpyDeviceToDevice));
  constexpr std::size_t some = 5;
  const auto launch_some = [&] {
    for (std::size_t id = 0; id < gemm_gather().space().size(); id += some) {
      INFO(gemm_gather().space().describe(id));
      REQUIRE(gemm_gather().launch_config(id, stream, args) == CUDA_SUCCESS);
      problem.check_later(stream, 0);
      stream.wait();
    }
  };
  launch_some();  // code is loaded
  CHECK(problem.wrong() == 0);
  on_all_ranks(true);
  SpinningKernel others(multiprocessors() - 2);
  launch_some();
  CHECK(others.release());
  CHECK(problem.wrong() == 0);
}

TEST_CASE(
    "all-gather GEMM: a rank that does not come gives NaN and an error that names it, and all can go on",
    "[missing]") {
  ONLY_IF(ready_here());
  const Rank rank;
  ONLY_IF(rank.count >= 2);
  const Stream stream;
  const AllGatherGemmShape shape{512, 136, 72, GemmType::fp16};
  const auto workspace =
      region_workspace(rank, AllGatherGemm::workspace_bytes(shape), {.wait_budget = std::chrono::seconds(1)});
  ONLY_IF(workspace != nullptr);
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 1);
  const int missing = rank.count - 1;
  for (int round = 0; round < 3; ++round) {
    gather_and_check(layer, problem, stream, 0);
    CHECK(problem.wrong() == 0);
    if (rank.number != missing) {
      layer(stream, {problem.a_rows(0)}, {problem.b(), problem.c()});
      stream.wait();
      const std::size_t all = static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n);
      CHECK(problem.nan_count() == all);
      CHECK_THAT(workspace->failure(), ContainsSubstring("rank "));
      CHECK_THROWS_AS(layer(stream, {problem.a_rows(0)}, {problem.b(), problem.c()}), DeviceError);
    }
    on_all_ranks(true);
    workspace->rearm();
    CHECK(workspace->failure().empty());
  }
  gather_and_check(layer, problem, stream, 0);
  CHECK(problem.wrong() == 0);
}

TEST_CASE("all-gather GEMM: the host can end a wait", "[abort]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const AllGatherGemmShape shape{512, 136, 72, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape),
                                          {.wait_budget = std::chrono::seconds(15)});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  const Stream stream;
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 1);
  gather_and_check(layer, problem, stream, 0);
  CHECK(problem.wrong() == 0);
  if (rank.number == 0) {
    const auto begin = std::chrono::steady_clock::now();
    layer(stream, {problem.a_rows(0)}, {problem.b(), problem.c()});
    workspace->abort();
    stream.wait();
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
    CHECK_THAT(workspace->failure(), ContainsSubstring("the host ended the wait"));
  }
  on_all_ranks(true);
  workspace->rearm();
}

TEST_CASE("all-gather GEMM: the host can end a collective of NCCL, and rearm makes it ready again",
          "[abort]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const AllGatherGemmShape shape{512, 136, 72, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape));
  ONLY_IF(rank.count >= 2 && workspace != nullptr && workspace->parts().nccl.problem().empty());
  const Stream stream;
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 1);
  const auto gather = [&] {
    workspace->parts().nccl.all_gather(stream, problem.a_rows(0), workspace->parts().matrices_of(rank.number),
                                       kernels::RowPartition(shape.m, rank.count),
                                       static_cast<std::size_t>(shape.k) * sizeof(std::uint16_t));
  };
  if (rank.number == 0) {
    const auto begin = std::chrono::steady_clock::now();
    gather();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    workspace->abort();
    stream.wait();
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
    CHECK_THAT(workspace->failure(), ContainsSubstring("the host ended the wait"));
    CHECK_THROWS_AS(gather_and_check(layer, problem, stream, 0), DeviceError);
  }
  on_all_ranks(true);
  workspace->rearm();
  gather();
  gather_and_check(layer, problem, stream, 0);
  CHECK(problem.wrong() == 0);
  CHECK(workspace->failure().empty());
}

TEST_CASE("all-gather GEMM: an assignment with which a rank waits in vain is rejected on all ranks",
          "[verdict]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const AllGatherGemmShape shape{600, 264, 136, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherGemm::workspace_bytes(shape),
                                          {.wait_budget = std::chrono::milliseconds(100)});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  const Stream stream;
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 2);
  Options options = region_tuning(rank);
  options.search_settings.runs = 60;
  ContextualAutotuner tuner(options);
  int iteration = 0;
  int held_up = 0;
  tuner.run("sometimes_late", [&] {
    // One rank is late, now and then while it tunes.
    if (rank.number == rank.count - 1 && iteration % 23 == 11 && held_up < 2) {
      ++held_up;
      delay(stream, std::chrono::milliseconds(600));
    }
    layer(stream, {problem.a_rows(iteration % 2)}, {problem.b(), problem.c()});
    ++iteration;
  });
  const RegionReport report = tuner.report("sometimes_late");
  for (const auto& tuned : report.problems) {
    CHECK(same_on_all_ranks(tuned.choice));
  }
  CHECK(workspace->failure().empty());
  gather_and_check(layer, problem, stream, 0);
  CHECK(problem.wrong() == 0);
}

}  // namespace contextual::test::gpu_test::allgather_gemm_test
