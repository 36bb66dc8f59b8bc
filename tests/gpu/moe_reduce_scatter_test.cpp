// The second half of a tensor parallel mixture of experts between processes, each with a GPU. Ranks share
// GPUs where there are too few, for correctness.

#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/reduced_experts.hpp"
#include "gpu/reduced_problem.hpp"
#include "gpu/region_workspace.hpp"
#include "kernels/cuda/expert_sum_scatter.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/error.hpp>
#include <contextual/kernels/cuda/grouped_gemm.hpp>
#include <contextual/kernels/cuda/moe_reduce_scatter.hpp>

namespace contextual::test::gpu_test::moe_reduce_scatter_test {

using namespace kernels::cuda;

namespace {

/// Its matrices hold NaN wherever nobody has written yet. Null as `region_workspace`. Collective.
std::shared_ptr<PeerWorkspace> poisoned_workspace(const Rank& rank, std::size_t bytes,
                                                  const PeerWorkspaceOptions& options = {}) {
  auto workspace = region_workspace(rank, bytes, options);
  if (workspace != nullptr) {
    poison(*workspace);
  }
  return workspace;
}
std::shared_ptr<PeerWorkspace> poisoned_workspace(const Rank& rank, const MoeReduceScatterShape& shape,
                                                  const PeerWorkspaceOptions& options = {}) {
  return poisoned_workspace(rank, MoeReduceScatter::workspace_bytes(shape, rank.count), options);
}

/// Routings of `m` rows, from the even one to the worst ones.
std::vector<ExpertIds> all_ids(int m, int top_k, int experts) {
  return {ExpertIds::random(m, top_k, experts, 1), ExpertIds::random(m, top_k, experts, 2, 3),
          ExpertIds::all_to(experts - 1, m, top_k, experts), ExpertIds::all_to(-1, m, top_k, experts),
          ExpertIds::random(m, top_k, experts, 3)};
}

/// Multiplies, and then sums with a config of the one kernel.
void launch(std::size_t id, cudaStream_t stream, const MoeScatterArgs& args) {
  REQUIRE(grouped_gemm().launch_config(0, stream,
                                       {.routing = args.call.routing,
                                        .a = args.call.a,
                                        .weights = args.call.weights,
                                        .c = products_of(args),
                                        .n = args.shape.n,
                                        .k = args.shape.k,
                                        .type = args.shape.type,
                                        .a_by_position = true}) == CUDA_SUCCESS);
  REQUIRE(expert_sum_scatter().launch_config(id, stream, args) == CUDA_SUCCESS);
}

}  // namespace

TEST_CASE("MoE reduce-scatter: right without tuning, for any rows and routing, with fresh ids each time",
          "[moe_scatter][shapes]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const auto workspace = poisoned_workspace(rank, {514, 136, 72, 60, 4});
  ONLY_IF(workspace != nullptr);
  for (const auto type : {GemmType::bf16, GemmType::fp16}) {
    for (const auto& [experts, top_k] : {std::pair{8, 2}, {1, 1}, {60, 4}}) {
      const MoeReduceScatterShape shape{514, 136, 72, experts, top_k, type};
      MoeReduceScatter layer(workspace, shape);
      for (const int m : {1, 7, 127, 514}) {
        CAPTURE(static_cast<int>(type), experts, top_k, m);
        MoeReduceScatterShape of_call = shape;
        of_call.m = m;
        ReducedExperts problem(rank, of_call);
        CHECK(layer.own_rows(m).count() == problem.rows().count());
        for (const ExpertIds& ids : all_ids(m, top_k, experts)) {
          problem.choose(ids);
          problem.prepare(stream);
          layer(stream, problem.call());
          CHECK(problem.wrong() == 0);
        }
      }
    }
  }
}

TEST_CASE("MoE reduce-scatter: right with more tiles than multiprocessors", "[moe_scatter][rows]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const MoeReduceScatterShape shape{8192, 136, 72, 60, 3, GemmType::fp16};
  const auto workspace = poisoned_workspace(rank, shape);
  ONLY_IF(workspace != nullptr);
  MoeReduceScatter layer(workspace, shape);
  ReducedExperts problem(rank, shape);
  problem.choose(ExpertIds::random(shape.m, shape.top_k, shape.experts, 5, 8));
  problem.prepare(stream);
  layer(stream, problem.call());
  CHECK(problem.wrong() == 0);
}

TEST_CASE("MoE reduce-scatter: every config of the one kernel is right and gives the same bits",
          "[moe_scatter][configs]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const auto workspace = poisoned_workspace(rank, {514, 1032, 72, 16, 3});
  ONLY_IF(workspace != nullptr);
  for (const auto type : {GemmType::bf16, GemmType::fp16}) {
    for (const int m : {3, 514}) {
      const MoeReduceScatterShape shape{m, 1032, 72, 16, 3, type};
      ReducedExperts problem(rank, shape);
      problem.choose(ExpertIds::random(m, 3, 16, 4, 5));
      problem.prepare(stream);
      const MoeScatterArgs args{&workspace->parts(), shape, problem.call()};
      launch(0, stream, args);
      const std::vector<std::uint16_t> bits = problem.bits();
      CHECK(problem.wrong() == 0);
      for (std::size_t id = 0; id < expert_sum_scatter().space().size(); ++id) {
        INFO(m << " rows: " << expert_sum_scatter().space().describe(id));
        launch(id, stream, args);
        CHECK(problem.bits() == bits);
        CHECK(problem.wrong() == 0);
      }
    }
  }
}

TEST_CASE(
    "MoE reduce-scatter: a replayed graph follows the ids that are there then, with other calls among them",
    "[moe_scatter][graph]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const MoeReduceScatterShape shape{127, 136, 72, 8, 2, GemmType::fp16};
  const GemmReduceScatterShape other{257, 136, 72, GemmType::fp16};
  const auto workspace =
      poisoned_workspace(rank, std::max(MoeReduceScatter::workspace_bytes(shape, rank.count),
                                        GemmReduceScatter::workspace_bytes(other, rank.count)));
  ONLY_IF(workspace != nullptr);
  MoeReduceScatter layer(workspace, shape);
  ReducedExperts problem(rank, shape);
  GemmReduceScatter other_layer(workspace, other);
  ReducedProblem other_problem(rank, other, 1);
  const auto call = [&] {
    problem.prepare(stream);
    layer(stream, problem.call());
  };
  problem.choose(ExpertIds::random(shape.m, shape.top_k, shape.experts, 1));
  call();  // code is loaded before a capture
  CHECK(problem.wrong() == 0);
  const Graph graph(stream, call);
  for (unsigned round = 0; round < 40; ++round) {
    problem.choose(round % 5 == 4
                       ? ExpertIds::all_to(static_cast<int>(round % 8), shape.m, shape.top_k, shape.experts)
                       : ExpertIds::random(shape.m, shape.top_k, shape.experts, round, 4));
    graph.launch(stream);
    CHECK(problem.wrong() == 0);
    if (round % 7 == 3) {
      other_layer(stream, {other_problem.a(0), other_problem.b(0), other_problem.c()});
      call();
      CHECK(other_problem.wrong(0, rank.count) == 0);
      CHECK(problem.wrong() == 0);
    }
  }
}

TEST_CASE("MoE reduce-scatter: every assignment is right when tuned, and so is \"separate\" alone",
          "[moe_scatter][tuned]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const bool separate = GENERATE(false, true);
  const MoeReduceScatterShape shape{514, 264, 136, 8, 2, GemmType::bf16};
  const auto workspace = poisoned_workspace(rank, shape);
  if (workspace == nullptr || (separate && !workspace->parts().nccl.problem().empty())) {
    return;
  }
  MoeReduceScatter layer(workspace, shape);
  ReducedExperts problem(rank, shape);
  problem.choose(ExpertIds::random(shape.m, shape.top_k, shape.experts, 6, 9));
  problem.prepare(stream);
  Options options = region_tuning(rank);
  if (separate) {
    options.feasible = only_way("separate");
  }
  ContextualAutotuner tuner(options);
  std::size_t wrong = 0;
  const std::string region = separate ? "separate_experts" : "reduced_experts";
  tuner.run(region, [&] {
    layer(stream, problem.call());
    wrong += problem.wrong(true);
  });
  CHECK(wrong == 0);
  const RegionReport report = tuner.report(region);
  for (const auto& tuned : report.problems) {
    CHECK(tuned.outcome != ProblemOutcome::failed);
    CHECK(same_on_all_ranks(tuned.choice));
    if (separate && tuned.kernel == "cuda_moe_reduce_scatter_ways") {
      CHECK(tuned.choice_config.get<std::string>("alternative") == "separate");
    }
  }
  layer(stream, problem.call());
  CHECK(problem.wrong(true) == 0);
}

TEST_CASE(
    "MoE reduce-scatter: a rank that does not come, or with units of other rows, gives NaN, and all can go "
    "on",
    "[moe_scatter][missing]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const MoeReduceScatterShape shape{512, 136, 72, 8, 2, GemmType::fp16};
  const auto workspace = poisoned_workspace(rank, shape, {.wait_budget = std::chrono::seconds(1)});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  MoeReduceScatter layer(workspace, shape);
  ReducedExperts problem(rank, shape);
  problem.choose(ExpertIds::random(shape.m, shape.top_k, shape.experts, 7));
  problem.prepare(stream);
  const MoeScatterArgs args{&workspace->parts(), shape, problem.call()};
  const auto& configs = expert_sum_scatter().space().configs();
  const auto other = std::find_if(configs.begin(), configs.end(), [&](const ExpertSumScatterConfig& config) {
    return config.threads == configs[0].threads && config.unit_rows != configs[0].unit_rows;
  });
  REQUIRE(other != configs.end());
  const bool is_last = rank.number == rank.count - 1;
  const std::size_t all = problem.bits().size();
  const auto other_id = static_cast<std::size_t>(other - configs.begin());
  grouped_gemm().load(0);  // nobody waits for a compiler
  expert_sum_scatter().load(0);
  expert_sum_scatter().load(other_id);
  on_all_ranks(true);
  layer(stream, problem.call());  // what is in the slots is finite from now on
  CHECK(problem.wrong() == 0);
  on_all_ranks(true);
  if (!is_last) {
    problem.zero();
    layer(stream, problem.call());
    CHECK(problem.nan_count() == all);
    CHECK_FALSE(workspace->failure().empty());
    CHECK_THROWS_AS(layer(stream, problem.call()), DeviceError);
  }
  on_all_ranks(true);
  workspace->rearm();
  problem.zero();
  launch(is_last ? other_id : 0, stream, args);
  CHECK(problem.nan_count() == all);
  CHECK_THAT(workspace->failure(), ContainsSubstring("rank "));
  on_all_ranks(true);
  workspace->rearm();
  layer(stream, problem.call());
  CHECK(problem.wrong() == 0);
}

TEST_CASE("MoE reduce-scatter: sizes and routings that do not fit are invalid arguments",
          "[moe_scatter][arguments]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const MoeReduceScatterShape shape{64, 136, 72, 8, 2};
  CHECK_THROWS_WITH(MoeReduceScatter::workspace_bytes({64, 136, 72, 0, 2}, rank.count),
                    ContainsSubstring("rows and top_k must be at least 1, experts from 1 to 512"));
  const auto workspace = poisoned_workspace(rank, shape);
  ONLY_IF(workspace != nullptr);
  MoeReduceScatter layer(workspace, shape);
  ReducedExperts problem(rank, shape);
  problem.choose(ExpertIds::random(shape.m, shape.top_k, shape.experts, 8));
  problem.prepare(stream);
  MoeReduceScatterCall call = problem.call();
  call.m = 32;
  CHECK_THROWS_WITH(layer(stream, call), ContainsSubstring("of the routing are 64,"));
  call = problem.call();
  call.topk_weights = nullptr;
  CHECK_THROWS_WITH(layer(stream, call), ContainsSubstring("topk_weights not null"));
  call = problem.call();
  call.a = workspace->parts().matrices_of(rank.number);
  CHECK_THROWS_WITH(layer(stream, call), ContainsSubstring("outside the workspace"));
  stream.wait();
}

}  // namespace contextual::test::gpu_test::moe_reduce_scatter_test
