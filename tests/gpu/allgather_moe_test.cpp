// The all-gather of a mixture of experts between processes, each with a GPU. Ranks share GPUs where there are
// too few, for correctness.

#include "gpu/expert_reference.hpp"
#include "gpu/gathered_experts.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/region_workspace.hpp"
#include "gpu/spinning_kernel.hpp"
#include "kernels/cuda/expert_routing.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/moe_gather.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/error.hpp>
#include <contextual/kernels/cuda/allgather_moe.hpp>

namespace contextual::test::gpu_test::allgather_moe_test {

using namespace kernels::cuda;

using Problem = GatheredExperts;

TEST_CASE("all-gather MoE: right for any number of rows and any routing, plain and gated", "[moe][shapes]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const auto workspace =
      region_workspace(rank, AllGatherMoe::workspace_bytes({513, 136, 200, 60, 4, GemmType::fp16}));
  ONLY_IF(workspace != nullptr);
  for (const auto type : {GemmType::fp16, GemmType::bf16}) {
    for (const int m : {1, 7, 127, 513}) {
      for (const auto& [experts, top_k] : {std::pair{8, 2}, std::pair{60, 4}}) {
        const AllGatherMoeShape shape{m, 136, 200, experts, top_k, type};
        AllGatherMoe layer(workspace, shape);
        Problem problem(rank, shape, static_cast<unsigned>(m));
        int round = 0;
        for (const ExpertIds& ids :
             {ExpertIds::random(m, top_k, experts, 1, 5), ExpertIds::random(m, top_k, experts, 2),
              ExpertIds::all_to(experts - 1, m, top_k, experts), ExpertIds::all_to(-1, m, top_k, experts)}) {
          const bool gated = round++ % 2 == 1;
          CAPTURE(m, static_cast<int>(type), experts, round);
          poison(*workspace);
          problem.route(ids, stream);
          problem.prepare(stream);
          layer(stream, problem.own_rows(), problem.product(gated));
          CHECK(problem.wrong(gated) == 0);
          CHECK(problem.is_gathered(layer.gathered()));
          on_all_ranks(true);  // nobody poisons what another one fetches
        }
      }
    }
  }
  CHECK(workspace->failure().empty());
}

TEST_CASE("all-gather MoE: replays follow new routings, whoever is late", "[moe][late]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherMoeShape shape{400, 136, 136, 8, 2, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherMoe::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  AllGatherMoe layer(workspace, shape);
  Problem problem(rank, shape, 3);
  problem.route(ExpertIds::random(shape.m, shape.top_k, shape.experts, 1), stream);
  problem.prepare(stream);
  layer(stream, problem.own_rows(), problem.product(false));  // code is loaded before a capture
  const Graph graph(stream, [&] {
    problem.prepare(stream);
    layer(stream, problem.own_rows(), problem.product(false));
  });
  for (unsigned round = 0; round < 12; ++round) {
    problem.route(ExpertIds::random(shape.m, shape.top_k, shape.experts, 10 + round, round % 3), stream);
    if (static_cast<int>(round) % rank.count == rank.number) {
      delay(stream, std::chrono::milliseconds(5));
    }
    graph.launch(stream);
    CHECK(problem.wrong(false) == 0);
  }
  CHECK(workspace->failure().empty());
}

TEST_CASE("all-gather MoE: every config of both ways is right when tuned, in each iteration",
          "[moe][tuned]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  for (const bool gated : {false, true}) {
    const AllGatherMoeShape shape{510, 264, 264, 5, 3, GemmType::bf16};
    const auto workspace = region_workspace(rank, AllGatherMoe::workspace_bytes(shape));
    ONLY_IF(workspace != nullptr);
    AllGatherMoe layer(workspace, shape);
    Problem problem(rank, shape, 5);
    problem.route(ExpertIds::random(shape.m, shape.top_k, shape.experts, 7, 9), stream);
    problem.prepare(stream);
    ContextualAutotuner tuner(region_tuning(rank));
    std::size_t wrong = 0;
    int looked_at = 0;
    tuner.run("allgather_moe", [&] {
      layer(stream, problem.own_rows(), problem.product(gated));
      if (looked_at++ % 8 == 0) {  // the host computes what is expected
        wrong += problem.wrong(gated);
      }
    });
    CHECK(wrong == 0);
    const RegionReport region = tuner.report("allgather_moe");
    INFO(region.choices_text());
    CHECK(region.problems.size() >= 2);  // the way, the kernel, and where there is NCCL the plain product
    for (const auto& tuned : region.problems) {
      CHECK(tuned.outcome == ProblemOutcome::locked_in);
      CHECK(same_on_all_ranks(tuned.choice));
    }
  }
}

TEST_CASE("all-gather MoE: every config is right, in calls that follow each other", "[moe][configs]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherMoeShape shape{510, 264, 264, 5, 3, GemmType::bf16};
  const auto workspace = region_workspace(rank, AllGatherMoe::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  Problem problem(rank, shape, 5);
  problem.route(ExpertIds::random(shape.m, shape.top_k, shape.experts, 7, 9), stream);
  problem.prepare(stream);
  const AllGatherMoe layer(workspace, shape);
  const std::size_t bytes = element(layer.own_rows().count(), 0, shape.k) * 2;
  cuda_check(cudaMemcpy(layer.input(), problem.own_rows().a_rows, bytes, cudaMemcpyDeviceToDevice));
  cuda_check(cudaDeviceSynchronize());
  for (auto* const kernel : {&moe_gather(), &gated_moe_gather()}) {
    const bool gated = kernel == &gated_moe_gather();
    std::vector<std::uint16_t> of_first;
    // Many ranks share their GPUs, which then take turns.
    for (std::size_t id = 0; id<kernel->space().size(); id += rank.count> 4 ? 9 : 1) {
      INFO(kernel->space().describe(id));
      CAPTURE(gated);
      for (int call = 0; call < 4; ++call) {
        REQUIRE(kernel->launch_config(id, stream, problem.args(*workspace, gated)) == CUDA_SUCCESS);
      }
      stream.wait();
      const std::vector<std::uint16_t> bits = problem.bits();
      CHECK(problem.wrong(gated) == 0);
      of_first = id == 0 ? bits : of_first;
      CHECK(bits == of_first);
    }
  }
  CHECK(workspace->failure().empty());
}

TEST_CASE("all-gather MoE: one object serves fewer rows, and more tiles than multiprocessors",
          "[moe][rows]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherMoeShape shape{8192, 136, 136, 60, 3, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherMoe::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  AllGatherMoe layer(workspace, shape);
  Problem problem(rank, shape, 4);
  for (const int m : {8192, 7, 1000, 8192}) {
    CAPTURE(m);
    problem.route(ExpertIds::random(m, shape.top_k, shape.experts, static_cast<unsigned>(m), 8), stream);
    problem.prepare(stream);
    layer(stream, problem.own_rows(), problem.product(false));
    CHECK(problem.wrong(false) == 0);
    CHECK(problem.is_gathered(layer.gathered()));
    on_all_ranks(true);
  }
}

TEST_CASE("expert routing: tiles of own rows come first, and all rows are in one", "[moe][order]") {
  ONLY_IF(ready_here());
  const Stream stream;
  for (const RoutingRanks& ranks : {RoutingRanks{0, 1}, RoutingRanks{1, 3}, RoutingRanks{7, 8}}) {
    const ExpertIds ids = ExpertIds::random(20000, 8, 60, 9, 6);
    const DeviceArray<int> on_device(ids.ids);
    ExpertRouting routing(ids.rows, ids.top_k, ids.experts, ranks);
    routing.prepare(stream, on_device.get());
    stream.wait();
    const ExpertTables& tables = routing.tables().tables();
    const std::vector<int> offsets = ids.offsets();
    const int per_rank = kernels::RowPartition(ids.rows, ranks.ranks).rows_per_shard();
    std::vector<int> rows(static_cast<std::size_t>(offsets.back()));
    cuda_check(cudaMemcpy(rows.data(), tables.rows, rows.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int list = 0; list < ExpertTables::lists; ++list) {
      const int height = ExpertTables::least_height << list;
      CAPTURE(ranks.ranks, height);
      int count = 0;
      cuda_check(cudaMemcpy(&count, tables.tile_count + list, sizeof(int), cudaMemcpyDeviceToHost));
      std::vector<ExpertTile> tiles(static_cast<std::size_t>(count));
      cuda_check(cudaMemcpy(tiles.data(), tables.tiles[list], tiles.size() * sizeof(ExpertTile),
                            cudaMemcpyDeviceToHost));
      int covered = 0;
      int before = 0;  // how late the last rows of the tile before come
      std::size_t wrong = 0;
      for (const ExpertTile& tile : tiles) {
        const int end = std::min(tile.first + height, tile.end);
        int latest = 0;
        unsigned sources = 0;
        for (int position = tile.first; position < end; ++position) {
          const int source = rows[static_cast<std::size_t>(position)] / per_rank;
          sources |= 1U << static_cast<unsigned>(source);
          latest = std::max(latest, (source - ranks.rank + ranks.ranks) % ranks.ranks);
        }
        wrong += (tile.first - offsets[static_cast<std::size_t>(tile.expert)]) % height == 0 ? 0 : 1;
        wrong += tile.end == offsets[static_cast<std::size_t>(tile.expert) + 1] ? 0 : 1;
        wrong += ranks.ranks == 1 || (tile.sources & sources) == sources ? 0 : 1;
        wrong += ranks.ranks == 1 || latest >= before ? 0 : 1;
        before = latest;
        covered += end - tile.first;
      }
      CHECK(wrong == 0);
      CHECK(covered == offsets.back());
    }
  }
}

TEST_CASE("all-gather MoE: it goes on with two multiprocessors, whatever occupies the others", "[moe][few]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherMoeShape shape{300, 136, 136, 5, 2, GemmType::bf16};
  const auto workspace = region_workspace(rank, AllGatherMoe::workspace_bytes(shape));
  ONLY_IF(rank.count <= rank.devices && workspace != nullptr);
  Problem problem(rank, shape, 6);
  problem.route(ExpertIds::random(shape.m, shape.top_k, shape.experts, 3), stream);
  problem.prepare(stream);
  const AllGatherMoe layer(workspace, shape);
  const std::size_t bytes = element(layer.own_rows().count(), 0, shape.k) * 2;
  cuda_check(cudaMemcpy(layer.input(), problem.own_rows().a_rows, bytes, cudaMemcpyDeviceToDevice));
  cuda_check(cudaDeviceSynchronize());
  const auto launch_some = [&] {
    for (std::size_t id = 0; id < moe_gather().space().size(); id += 5) {
      INFO(moe_gather().space().describe(id));
      REQUIRE(moe_gather().launch_config(id, stream, problem.args(*workspace, false)) == CUDA_SUCCESS);
      stream.wait();
      CHECK(problem.wrong(false) == 0);
    }
  };
  launch_some();  // code is loaded
  on_all_ranks(true);
  SpinningKernel others(multiprocessors() - 2);
  REQUIRE(moe_gather().launch_config(0, stream, problem.args(*workspace, false)) == CUDA_SUCCESS);
  stream.wait();
  CHECK(others.release());
  CHECK(problem.wrong(false) == 0);
}

TEST_CASE("all-gather MoE: a rank that does not come gives NaN and an error, and all can go on",
          "[moe][missing]") {
  ONLY_IF(ready_here());
  const Rank rank;
  ONLY_IF(rank.count >= 2);
  const Stream stream;
  const AllGatherMoeShape shape{200, 136, 72, 8, 2, GemmType::fp16};
  const auto workspace =
      region_workspace(rank, AllGatherMoe::workspace_bytes(shape), {.wait_budget = std::chrono::seconds(1)});
  ONLY_IF(workspace != nullptr);
  AllGatherMoe layer(workspace, shape);
  Problem problem(rank, shape, 8);
  problem.route(ExpertIds::random(shape.m, shape.top_k, shape.experts, 3, 4), stream);
  problem.prepare(stream);
  for (int round = 0; round < 2; ++round) {
    layer(stream, problem.own_rows(), problem.product(false));
    CHECK(problem.wrong(false) == 0);
    if (rank.number != rank.count - 1) {
      problem.zero();
      layer(stream, problem.own_rows(), problem.product(false));
      stream.wait();
      CHECK(problem.is_nan());
      problem.poison_c();
      CHECK_THROWS_AS(layer(stream, problem.own_rows(), problem.product(false)), DeviceError);
    }
    on_all_ranks(true);
    workspace->rearm();
  }
  layer(stream, problem.own_rows(), problem.product(false));
  CHECK(problem.wrong(false) == 0);
}

TEST_CASE("all-gather MoE: a routing of other sizes or ranks is an invalid argument", "[moe]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const AllGatherMoeShape shape{64, 136, 72, 8, 2, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherMoe::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  AllGatherMoe layer(workspace, shape);
  Problem problem(rank, shape, 8);
  problem.route(ExpertIds::random(shape.m, shape.top_k, shape.experts, 1), stream);
  CHECK_THROWS_WITH(AllGatherMoe::workspace_bytes({64, 136, 72, 513, 2}),
                    ContainsSubstring("experts from 1 to 512"));
  ExpertProduct product = problem.product(false);
  const ExpertRouting other(shape.m, shape.top_k, 9, {rank.number, rank.count});
  product.routing = &other;
  CHECK_THROWS_WITH(layer(stream, problem.own_rows(), product), ContainsSubstring("64, 2, 9"));
  const ExpertRouting of_others(shape.m, shape.top_k, shape.experts, {7, 8});
  product.routing = &of_others;
  if (rank.count != 8 || rank.number != 7) {
    CHECK_THROWS_WITH(layer(stream, problem.own_rows(), product), ContainsSubstring("rank 7 of 8"));
  }
}

}  // namespace contextual::test::gpu_test::allgather_moe_test
