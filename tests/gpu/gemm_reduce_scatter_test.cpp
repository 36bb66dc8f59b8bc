// The GEMM reduce-scatter between processes, each with a GPU. Ranks share GPUs where there are too few, for
// correctness.

#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/reduced_problem.hpp"
#include "gpu/region_workspace.hpp"
#include "gpu/spinning_kernel.hpp"
#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/gemm_split.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>

#include <deque>

namespace contextual::test::gpu_test::gemm_reduce_scatter_test {

using namespace kernels::cuda;

namespace {

/// By id. Of these arguments.
std::vector<std::size_t> split_configs(const GemmScatterArgs& args) {
  std::vector<std::size_t> kept;
  for (std::size_t id = 0; id < gemm_split().space().size(); ++id) {
    if (may_be_chosen(gemm_split().space().configs()[id], args)) {
      kept.push_back(id);
    }
  }
  return kept;
}

}  // namespace

TEST_CASE("GEMM reduce-scatter: right without tuning, for any number of rows, with fresh data each time",
          "[shapes]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const auto workspace =
      region_workspace(rank, GemmReduceScatter::workspace_bytes({513, 136, 72, GemmType::fp16}, rank.count));
  ONLY_IF(workspace != nullptr);
  for (const auto type : {GemmType::fp16, GemmType::bf16}) {
    for (const int m : {1, 127, 128, 513}) {
      const GemmReduceScatterShape shape{m, 136, 72, type};
      CAPTURE(m, static_cast<int>(type));
      GemmReduceScatter layer(workspace, shape);
      ReducedProblem problem(rank, shape, 3);
      for (int round = 0; round < 9; ++round) {
        const int set = round % problem.sets();
        layer(stream, {problem.a(set), problem.b(set), problem.c()});
        CHECK(problem.wrong(set, rank.count) == 0);
      }
    }
  }
}

TEST_CASE("GEMM reduce-scatter: right at the size of a model's layer", "[size]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const GemmReduceScatterShape shape{8182, 2048, 1280, GemmType::fp16};  // own tiles alternate with others'
  const auto workspace = region_workspace(rank, GemmReduceScatter::workspace_bytes(shape, rank.count));
  ONLY_IF(workspace != nullptr);
  GemmReduceScatter layer(workspace, shape);
  ReducedProblem problem(rank, shape, 2);
  for (int round = 0; round < 5; ++round) {
    const int set = round % problem.sets();
    layer(stream, {problem.a(set), problem.b(set), problem.c()});
    CHECK(problem.wrong(set, rank.count) == 0);
  }
}

TEST_CASE(
    "GEMM reduce-scatter: every assignment is right when tuned, and the same configs give the same bits",
    "[tuned]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const GemmReduceScatterShape shape{1022, 776, 328, GemmType::fp16};
  const auto workspace = region_workspace(rank, GemmReduceScatter::workspace_bytes(shape, rank.count));
  ONLY_IF(workspace != nullptr);
  GemmReduceScatter layer(workspace, shape);
  ReducedProblem problem(rank, shape, 2);
  ContextualAutotuner tuner(region_tuning(rank));
  int iteration = 0;
  std::size_t wrong = 0;
  tuner.run("gemm_reduce_scatter", [&] {
    const int set = iteration++ % problem.sets();
    layer(stream, {problem.a(set), problem.b(set), problem.c()});
    wrong += problem.wrong(set, rank.count);
  });
  CHECK(wrong == 0);
  const RegionReport report = tuner.report("gemm_reduce_scatter");
  CHECK(report.problems.size() >= 2);  // the way, the kernel, and where there is NCCL cuBLASLt
  for (const auto& tuned : report.problems) {
    CHECK(tuned.outcome == ProblemOutcome::locked_in);
    CHECK(same_on_all_ranks(tuned.choice));
  }
  layer(stream, {problem.a(0), problem.b(0), problem.c()});
  const std::vector<std::uint16_t> bits = problem.bits();
  for (int round = 0; round < 20; ++round) {
    CHECK(problem.wrong(0, rank.count) == 0);
    layer(stream, {problem.a(0), problem.b(0), problem.c()});
    CHECK(problem.bits() == bits);
  }
}

TEST_CASE("GEMM reduce-scatter: with equal bits, every assignment that is tried gives the same ones",
          "[tuned][bits]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const GemmReduceScatterShape shape{766, 520, 1032, GemmType::bf16};
  const auto workspace =
      region_workspace(rank, GemmReduceScatter::workspace_bytes(shape, rank.count), {.equal_bits = true});
  ONLY_IF(workspace != nullptr);
  GemmReduceScatter layer(workspace, shape);
  ReducedProblem problem(rank, shape, 1);
  DeviceArray<std::uint16_t> finished(problem.bits().size());
  const auto call = [&] {
    layer(stream, {problem.a(0), problem.b(0), problem.c()});
    layer(stream, {.a = problem.a(0),
                   .b = problem.b(0),
                   .c_rows = finished.get(),
                   .bias = problem.b(0),
                   .residual = problem.a(0),
                   .activation = Activation::gelu});
  };
  call();
  const std::vector<std::uint16_t> bits = problem.bits();
  const std::vector<std::uint16_t> finished_bits = finished.host();
  ContextualAutotuner tuner(region_tuning(rank));
  int different = 0;
  tuner.run("equal_bits_reduce_scatter", [&] {
    call();
    different += problem.bits() == bits && finished.host() == finished_bits ? 0 : 1;
  });
  CHECK(different == 0);
  const RegionReport report = tuner.report("equal_bits_reduce_scatter");
  for (const auto& tuned : report.problems) {
    CHECK(tuned.outcome == ProblemOutcome::locked_in);
  }
  CHECK(problem.wrong(0, rank.count) == 0);
}

TEST_CASE("GEMM reduce-scatter: replays of a graph, with eager calls among them", "[graph]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const GemmReduceScatterShape shape{257, 136, 72, GemmType::fp16};
  const auto workspace = region_workspace(rank, GemmReduceScatter::workspace_bytes(shape, rank.count));
  ONLY_IF(workspace != nullptr);
  GemmReduceScatter layer(workspace, shape);
  ReducedProblem problem(rank, shape, 2);
  layer(stream, {problem.a(0), problem.b(0), problem.c()});  // code is loaded before a capture
  CHECK(problem.wrong(0, rank.count) == 0);
  std::deque<Graph> graphs;
  for (int set = 0; set < problem.sets(); ++set) {
    graphs.emplace_back(stream, [&] { layer(stream, {problem.a(set), problem.b(set), problem.c()}); });
  }
  for (int replay = 0; replay < 300; ++replay) {
    const int set = replay % problem.sets();
    graphs[static_cast<std::size_t>(set)].launch(stream);
    CHECK(problem.wrong(set, rank.count) == 0);
    if (replay % 7 == 3) {
      layer(stream, {problem.a(set), problem.b(set), problem.c()});
      CHECK(problem.wrong(set, rank.count) == 0);
    }
  }
}

TEST_CASE("GEMM reduce-scatter: it goes on with two multiprocessors, whatever occupies the others", "[few]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const GemmReduceScatterShape shape{1030, 520, 136, GemmType::bf16};
  const auto workspace = region_workspace(rank, GemmReduceScatter::workspace_bytes(shape, rank.count));
  ONLY_IF(rank.count <= rank.devices && workspace != nullptr);
  ReducedProblem problem(rank, shape, 1);
  const GemmScatterArgs args{&workspace->parts(), shape, {problem.a(0), problem.b(0), problem.c()}};
  constexpr std::size_t some = 5;
  for (std::size_t id = 0; id < gemm_scatter().space().size(); id += some) {
    REQUIRE(gemm_scatter().launch_config(id, stream, args) == CUDA_SUCCESS);  // code is loaded
    CHECK(problem.wrong(0, rank.count) == 0);
  }
  const GemmReduceScatterShape few{33, 520, 584, GemmType::bf16};
  ReducedProblem few_rows(rank, few, 1);
  const GemmScatterArgs few_args{
      &workspace->parts(), few, {.a = few_rows.a(0), .b = few_rows.b(0), .c_rows = few_rows.c()}};
  const std::vector<std::size_t> split = split_configs(few_args);
  for (const std::size_t id : split) {
    gemm_split().load(id);
  }
  on_all_ranks(true);
  SpinningKernel others(multiprocessors() - 2);
  for (const std::size_t id : split) {
    INFO(gemm_split().space().describe(id));
    cuda_check(cudaMemsetAsync(few_rows.c(), 0xff, sizeof(std::uint16_t), stream));
    REQUIRE(gemm_split().launch_config(id, stream, few_args) == CUDA_SUCCESS);
    stream.wait();
  }
  for (std::size_t id = 0; id < gemm_scatter().space().size(); id += some) {
    INFO(gemm_scatter().space().describe(id));
    REQUIRE(gemm_scatter().launch_config(id, stream, args) == CUDA_SUCCESS);
    stream.wait();
  }
  CHECK(others.release());
  CHECK(problem.wrong(0, rank.count) == 0);
  CHECK(few_rows.wrong(0, 8 * rank.count) == 0);
}

TEST_CASE("GEMM reduce-scatter: with k split, right with every config, for own and for all rows", "[split]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const auto workspace = region_workspace(
      rank, std::max(GemmReduceScatter::workspace_bytes({300, 264, 584}, rank.count),
                     GemmReduceScatter::workspace_bytes({120, 264, 584, GemmType::bf16, true}, rank.count)));
  ONLY_IF(workspace != nullptr);
  const GemmReduceScatterShape shapes[] = {{1, 264, 584, GemmType::bf16, false},
                                           {70, 264, 584, GemmType::fp16, false},
                                           {300, 264, 584, GemmType::bf16, false},
                                           {1, 264, 584, GemmType::fp16, true},
                                           {120, 264, 584, GemmType::fp16, true}};
  for (const GemmReduceScatterShape& shape : shapes) {
    ReducedProblem problem(rank, shape, 2);
    int round = 0;
    const auto args_of = [&](int set) {
      return GemmScatterArgs{
          &workspace->parts(), shape, {.a = problem.a(set), .b = problem.b(set), .c_rows = problem.c()}};
    };
    const std::vector<std::size_t> configs = split_configs(args_of(0));
    CHECK(!configs.empty());
    for (const std::size_t id : configs) {
      INFO(shape.m << (shape.all_rows ? " rows for all: " : " rows: ") << gemm_split().space().describe(id));
      const int set = round++ % problem.sets();
      REQUIRE(gemm_split().launch_config(id, stream, args_of(set)) == CUDA_SUCCESS);
      CHECK(problem.wrong(set, rank.count * gemm_split().space().configs()[id].splits) == 0);
    }
  }
}

TEST_CASE("GEMM reduce-scatter: all rows on every rank, tuned, with few rows and with many",
          "[tuned][split]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  constexpr int most_rows = 1500;
  const bool equal_bits = GENERATE(false, true);
  const auto workspace = region_workspace(
      rank, GemmReduceScatter::workspace_bytes({most_rows, 136, 392, GemmType::bf16, true}, rank.count),
      {.equal_bits = equal_bits});
  ONLY_IF(workspace != nullptr);
  for (const int m : {33, most_rows}) {
    const GemmReduceScatterShape shape{m, 136, 392, GemmType::bf16, true};
    if (m == most_rows && !workspace->parts().nccl.problem().empty()) {
      CHECK_THROWS_AS(GemmReduceScatter(workspace, shape), InvalidArgument);
      continue;
    }
    GemmReduceScatter layer(workspace, shape);
    ReducedProblem problem(rank, shape, 2);
    ContextualAutotuner tuner(region_tuning(rank));
    int iteration = 0;
    std::size_t wrong = 0;
    tuner.run("all_reduce", [&] {
      const int set = iteration++ % problem.sets();
      layer(stream, {.a = problem.a(set), .b = problem.b(set), .c_rows = problem.c()});
      wrong += problem.wrong(set, 8 * rank.count);
    });
    CHECK(wrong == 0);
    bool has_split = false;
    const RegionReport report = tuner.report("all_reduce");
    for (const auto& tuned : report.problems) {
      CHECK(tuned.outcome != ProblemOutcome::failed);
      CHECK(same_on_all_ranks(tuned.choice));
      has_split = has_split || tuned.kernel == split_gemm_name;
    }
    CHECK(has_split == (m < most_rows));
  }
}

TEST_CASE("GEMM reduce-scatter: a call with k split in which a rank waits in vain is rejected on all ranks",
          "[verdict]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const GemmReduceScatterShape shape{33, 136, 392, GemmType::bf16, true};
  const auto workspace =
      region_workspace(rank, GemmReduceScatter::workspace_bytes(shape, rank.count),
                       {.wait_budget = std::chrono::milliseconds(100), .equal_bits = true});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  GemmReduceScatter layer(workspace, shape);
  ReducedProblem problem(rank, shape, 1);
  ContextualAutotuner tuner(region_tuning(rank));
  int iteration = 0;
  tuner.run("sometimes_late", [&] {
    if (rank.number == rank.count - 1 && iteration == 4) {
      delay(stream, std::chrono::milliseconds(600));
    }
    layer(stream, {.a = problem.a(0), .b = problem.b(0), .c_rows = problem.c()});
    ++iteration;
  });
  CHECK(workspace->failure().empty());
  layer(stream, {.a = problem.a(0), .b = problem.b(0), .c_rows = problem.c()});
  CHECK(problem.wrong(0, rank.count) == 0);
}

TEST_CASE("GEMM reduce-scatter: a rank that has fallen back to other tiles fails, and adds nothing wrong",
          "[tiles]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const GemmReduceScatterShape shape{1030, 520, 136, GemmType::fp16};
  const auto workspace = region_workspace(rank, GemmReduceScatter::workspace_bytes(shape, rank.count),
                                          {.wait_budget = std::chrono::milliseconds(200)});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  ReducedProblem problem(rank, shape, 1);
  const auto& configs = gemm_scatter().space().configs();
  const auto other = std::find_if(configs.begin(), configs.end(), [&](const GemmConfig& config) {
    return config.block_n != configs[0].block_n && config.block_m == configs[0].block_m;
  });
  REQUIRE(other != configs.end());
  const auto other_id = static_cast<std::size_t>(other - configs.begin());
  const GemmScatterArgs args{&workspace->parts(), shape, {problem.a(0), problem.b(0), problem.c()}};
  gemm_scatter().load(0);
  gemm_scatter().load(other_id);
  on_all_ranks(true);
  for (const std::size_t of_last : {other_id, std::size_t{0}}) {
    const bool is_last = rank.number == rank.count - 1;
    REQUIRE(gemm_scatter().launch_config(is_last ? of_last : 0, stream, args) == CUDA_SUCCESS);
    stream.wait();
    const std::size_t wrong = problem.wrong(0, rank.count);
    if (of_last == 0) {
      CHECK(workspace->failure().empty());
      CHECK(wrong == 0);
    } else {
      CHECK_THAT(workspace->failure(), ContainsSubstring("rank "));
      CHECK(wrong == static_cast<std::size_t>(problem.rows().count()) * static_cast<std::size_t>(shape.n));
    }
    on_all_ranks(true);
    workspace->rearm();
  }
}

TEST_CASE("GEMM reduce-scatter: a rank that does not come gives NaN, and all can go on", "[missing]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  const GemmReduceScatterShape shape{512, 136, 72, GemmType::fp16};
  const auto workspace = region_workspace(rank, GemmReduceScatter::workspace_bytes(shape, rank.count),
                                          {.wait_budget = std::chrono::seconds(1)});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  GemmReduceScatter layer(workspace, shape);
  ReducedProblem problem(rank, shape, 1);
  if (rank.number != rank.count - 1) {
    layer(stream, {problem.a(0), problem.b(0), problem.c()});
    stream.wait();
    CHECK(problem.wrong(0, rank.count) ==
          static_cast<std::size_t>(problem.rows().count()) * static_cast<std::size_t>(shape.n));
    CHECK_FALSE(workspace->failure().empty());
    CHECK_THROWS_AS(layer(stream, {problem.a(0), problem.b(0), problem.c()}), DeviceError);
  }
  on_all_ranks(true);
  workspace->rearm();
  layer(stream, {problem.a(0), problem.b(0), problem.c()});
  CHECK(problem.wrong(0, rank.count) == 0);
}

}  // namespace contextual::test::gpu_test::gemm_reduce_scatter_test
