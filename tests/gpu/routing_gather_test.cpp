// Expert routings that are prepared from what each rank knows of its own rows, between processes, each with a
// GPU. Ranks share GPUs where there are too few, for correctness.

#include "kernels/cuda/routing_gather.hpp"

#include "gpu/expert_reference.hpp"
#include "gpu/gathered_experts.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/reduced_experts.hpp"
#include "gpu/region_workspace.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/error.hpp>

namespace contextual::test::gpu_test::routing_gather_test {

using namespace kernels::cuda;

namespace {

std::vector<float> random_weights(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> weights(count);
  for (float& weight : weights) {
    weight = 0x1p-32F * static_cast<float>(generator()) - 0.5F;
  }
  return weights;
}

template <typename T>
std::vector<T> from_device(const T* values, std::size_t count) {
  std::vector<T> here(count);
  cuda_check(cudaDeviceSynchronize());
  cuda_check(cudaMemcpy(here.data(), values, count * sizeof(T), cudaMemcpyDeviceToHost));
  return here;
}

/// What a rank knows of its own rows, on the device. Room for all rows, of which it has none but its own.
class OwnChoices {
 public:
  OwnChoices(const Rank& rank, int rows, int top_k)
      : rank_(rank), ids_(element(rows, 0, top_k)), weights_(element(rows, 0, top_k)) {}

  /// Of the rows of all ranks. Waits for the device.
  void choose(const ExpertIds& ids, const std::vector<float>& weights) {
    ids_.poison();
    weights_.poison();
    const kernels::Rows rows = kernels::RowPartition(ids.rows, rank_.count).shard(rank_.number);
    has_rows_ = !rows.empty();
    const std::size_t first = element(rows.begin, 0, ids.top_k);
    const std::size_t count = element(rows.count(), 0, ids.top_k);
    cuda_check(cudaMemcpy(ids_.get(), ids.ids.data() + first, count * sizeof(int), cudaMemcpyHostToDevice));
    cuda_check(
        cudaMemcpy(weights_.get(), weights.data() + first, count * sizeof(float), cudaMemcpyHostToDevice));
    cuda_check(cudaDeviceSynchronize());  // the copies may go on after their calls
  }
  const int* ids() const { return has_rows_ ? ids_.get() : nullptr; }
  const float* weights() const { return has_rows_ ? weights_.get() : nullptr; }

 private:
  Rank rank_;
  DeviceArray<int> ids_;
  DeviceArray<float> weights_;
  bool has_rows_ = false;
};

/// A layer whose routing is gathered from what each rank knows of its own rows.
struct RoutedLayer {
  RoutedLayer(const Rank& rank, const Stream& its_stream, std::shared_ptr<PeerWorkspace> its_workspace,
              const AllGatherMoeShape& shape)
      : stream(its_stream),
        workspace(std::move(its_workspace)),
        layer(workspace, shape),
        routing(shape.m, shape.top_k, shape.experts, {rank.number, rank.count}),
        own(rank, shape.m, shape.top_k),
        problem(rank, shape, 3) {
    const ExpertIds ids = ExpertIds::random(shape.m, shape.top_k, shape.experts, 5, 4);
    own.choose(ids, random_weights(ids.ids.size(), 1));
    problem.route(ids, stream);
  }
  void run(const GatheredRows& rows) {
    routing.prepare(stream, *workspace, own.ids(), own.weights());
    ExpertProduct product = problem.product(false);
    product.routing = &routing;
    layer(stream, rows, product);
  }

  const Stream& stream;
  std::shared_ptr<PeerWorkspace> workspace;
  AllGatherMoe layer;
  ExpertRouting routing;
  OwnChoices own;
  GatheredExperts problem;
};

/// The routing on the device is that of all ids, computed on the host. Waits for the device.
bool is_routed(const ExpertRouting& routing, const ExpertIds& ids) {
  const std::vector<int> offsets = ids.offsets();
  const std::vector<int> positions = ids.positions();
  std::vector<int> rows(static_cast<std::size_t>(offsets.back()));
  for (std::size_t pair = 0; pair < positions.size(); ++pair) {
    if (positions[pair] >= 0) {
      rows[static_cast<std::size_t>(positions[pair])] = static_cast<int>(pair) / ids.top_k;
    }
  }
  return routing.rows() == ids.rows && from_device(routing.offsets(), offsets.size()) == offsets &&
         from_device(routing.positions(), positions.size()) == positions &&
         from_device(routing.row_of_position(), rows.size()) == rows;
}

/// From even ones to the worst ones, with ids that are none.
std::vector<ExpertIds> rounds_of_ids(int m, int top_k, int experts) {
  std::vector<ExpertIds> rounds{
      ExpertIds::random(m, top_k, experts, 1),           ExpertIds::random(m, top_k, experts, 2, 3),
      ExpertIds::all_to(experts - 1, m, top_k, experts), ExpertIds::all_to(-1, m, top_k, experts),
      ExpertIds::random(m, top_k, experts, 3),           ExpertIds::random(m, top_k, experts, 4, 2)};
  for (std::size_t i = 0; i < rounds.back().ids.size(); i += 3) {
    rounds.back().ids[i] += experts;
  }
  return rounds;
}

}  // namespace

TEST_CASE("expert routing: own rows' ids give the routing of all ids, in rounds over a poisoned workspace",
          "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const auto workspace = region_workspace(rank, ExpertRouting::workspace_bytes(2000, 4) + 8);
  ONLY_IF(workspace != nullptr);
  for (const auto& [experts, top_k] :
       {std::pair{8, 2}, std::pair{60, 3}, std::pair{512, 4}, std::pair{1, 1}}) {
    ExpertRouting routing(2000, top_k, experts, {rank.number, rank.count});
    OwnChoices own(rank, 2000, top_k);
    for (const int m : {1, 7, 513, 2000}) {
      unsigned round = 0;
      for (const ExpertIds& ids : rounds_of_ids(m, top_k, experts)) {
        CAPTURE(m, experts, top_k, round);
        const std::vector<float> weights = random_weights(ids.ids.size(), round++);
        own.choose(ids, weights);
        poison(*workspace);
        routing.prepare(stream, *workspace, own.ids(), own.weights(), m);
        CHECK(is_routed(routing, ids));
        REQUIRE(routing.topk_weights() != nullptr);
        CHECK(from_device(routing.topk_weights(), weights.size()) == weights);
        on_all_ranks(true);  // nobody poisons what another one reads
      }
    }
  }
  CHECK(workspace->failure().empty());
}

TEST_CASE("expert routing: calls that follow each other without a wait are each right", "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  constexpr int top_k = 2;
  constexpr int calls = 16;
  const auto workspace = region_workspace(rank, ExpertRouting::workspace_bytes(513, top_k));
  ONLY_IF(workspace != nullptr);
  std::vector<ExpertIds> all;
  std::vector<std::unique_ptr<OwnChoices>> own;
  std::vector<std::unique_ptr<ExpertRouting>> routings;
  for (unsigned call = 0; call < calls; ++call) {
    all.push_back(ExpertIds::random(call % 3 == 0 ? 513 : 7, top_k, 8, call, 5));
    own.push_back(std::make_unique<OwnChoices>(rank, 513, top_k));
    own.back()->choose(all.back(), random_weights(all.back().ids.size(), call));
    routings.push_back(std::make_unique<ExpertRouting>(513, top_k, 8, RoutingRanks{rank.number, rank.count}));
  }
  for (std::size_t call = 0; call < calls; ++call) {
    routings[call]->prepare(stream, *workspace, own[call]->ids(), own[call]->weights(), all[call].rows);
  }
  for (std::size_t call = 0; call < calls; ++call) {
    CAPTURE(call);
    CHECK(is_routed(*routings[call], all[call]));
    CHECK(from_device(routings[call]->topk_weights(), all[call].ids.size()) ==
          random_weights(all[call].ids.size(), static_cast<unsigned>(call)));
  }
  CHECK(workspace->failure().empty());
}

TEST_CASE("expert routing: replays gather the ids that are there then, whoever is late", "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  const int m = GENERATE(3, 401);
  constexpr int top_k = 3;
  const auto workspace = region_workspace(rank, ExpertRouting::workspace_bytes(m, top_k));
  ONLY_IF(workspace != nullptr);
  ExpertRouting routing(m, top_k, 8, {rank.number, rank.count});
  OwnChoices own(rank, m, top_k);
  const auto prepare = [&] { routing.prepare(stream, *workspace, own.ids(), own.weights()); };
  ExpertIds ids = ExpertIds::random(m, top_k, 8, 1);
  own.choose(ids, random_weights(ids.ids.size(), 1));
  prepare();  // code is loaded before a capture
  CHECK(is_routed(routing, ids));
  const Graph graph(stream, prepare);
  for (unsigned round = 0; round < 20; ++round) {
    CAPTURE(m, round);
    ids = round % 5 == 4 ? ExpertIds::all_to(-1, m, top_k, 8)
                         : ExpertIds::random(m, top_k, 8, 10 + round, round % 3);
    const std::vector<float> weights = random_weights(ids.ids.size(), round);
    own.choose(ids, weights);
    if (static_cast<int>(round) % rank.count == rank.number) {
      delay(stream, std::chrono::milliseconds(5));
    }
    if (round % 4 == 3) {
      prepare();
    } else {
      graph.launch(stream);
    }
    CHECK(is_routed(routing, ids));
    CHECK(from_device(routing.topk_weights(), weights.size()) == weights);
  }
  CHECK(workspace->failure().empty());
}

TEST_CASE("expert routing: NCCL gathers the same", "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  constexpr int top_k = 3;
  const auto workspace = region_workspace(rank, ExpertRouting::workspace_bytes(513, top_k));
  ONLY_IF(workspace != nullptr && workspace->parts().nccl.problem().empty());
  OwnChoices own(rank, 513, top_k);
  for (const int m : {1, 7, 512, 513}) {
    CAPTURE(m);
    const ExpertIds ids = ExpertIds::random(m, top_k, 8, static_cast<unsigned>(m), 4);
    const std::vector<float> weights = random_weights(ids.ids.size(), 1);
    own.choose(ids, weights);
    DeviceArray<int> all_ids(ids.ids.size());
    const DeviceArray<float> all_weights(ids.ids.size());
    const RowChoices gathered{all_ids.get(), all_weights.get()};
    gather_routing_by_nccl(stream, {&workspace->parts(), own.ids(), own.weights(), m, top_k, gathered});
    CHECK(all_ids.host() == ids.ids);
    CHECK(all_weights.host() == weights);
    all_ids.poison();
    gather_routing_by_nccl(stream, {&workspace->parts(), own.ids(), nullptr, m, top_k, gathered});
    CHECK(all_ids.host() == ids.ids);
  }
}

TEST_CASE("expert routing: both regions of a mixture of experts go by own rows' ids", "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  constexpr AllGatherMoeShape up_shape{513, 136, 72, 8, 2, GemmType::bf16};
  constexpr MoeReduceScatterShape down_shape{513, 72, 136, 8, 2, GemmType::bf16};
  const auto workspace =
      region_workspace(rank, std::max(AllGatherMoe::workspace_bytes(up_shape),
                                      MoeReduceScatter::workspace_bytes(down_shape, rank.count)));
  ONLY_IF(workspace != nullptr);
  AllGatherMoe up(workspace, up_shape);
  MoeReduceScatter down(workspace, down_shape);
  ExpertRouting routing(up_shape.m, up_shape.top_k, up_shape.experts, {rank.number, rank.count});
  OwnChoices own(rank, up_shape.m, up_shape.top_k);
  for (const int m : {1, 7, 513}) {
    AllGatherMoeShape of_up = up_shape;
    MoeReduceScatterShape of_down = down_shape;
    of_up.m = m;
    of_down.m = m;
    GatheredExperts gathered(rank, of_up, 3);
    ReducedExperts reduced(rank, of_down);
    const std::vector<float> weights =
        from_device(reduced.call().topk_weights, element(m, 0, up_shape.top_k));
    const auto run = [&] {
      routing.prepare(stream, *workspace, own.ids(), own.weights(), m);
      ExpertProduct product = gathered.product(false);
      product.routing = &routing;
      up(stream, gathered.own_rows(), product);
      MoeReduceScatterCall call = reduced.call();
      call.routing = &routing;
      call.topk_weights = routing.topk_weights();
      down(stream, call);
    };
    std::unique_ptr<Graph> graph;
    for (const ExpertIds& ids : rounds_of_ids(m, up_shape.top_k, up_shape.experts)) {
      CAPTURE(m, graph != nullptr);
      own.choose(ids, weights);
      gathered.route(ids, stream);
      reduced.choose(ids);
      poison(*workspace);
      if (graph == nullptr) {
        run();
      } else {
        graph->launch(stream);
      }
      CHECK(gathered.wrong(false) == 0);
      CHECK(reduced.wrong() == 0);
      on_all_ranks(true);
      if (graph == nullptr) {
        graph = std::make_unique<Graph>(stream, run);
      }
    }
  }
  CHECK(workspace->failure().empty());
}

TEST_CASE("expert routing: own rows that are in the workspace already stay there", "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  constexpr AllGatherMoeShape shape{513, 136, 72, 8, 2, GemmType::fp16};
  const auto workspace = region_workspace(rank, AllGatherMoe::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  RoutedLayer routed(rank, stream, workspace, shape);
  poison(*workspace);
  void* const input = routed.layer.input();
  const std::size_t bytes = element(routed.layer.own_rows().count(), 0, shape.k) * 2;
  cuda_check(cudaMemcpy(input, routed.problem.own_rows().a_rows, bytes, cudaMemcpyDeviceToDevice));
  cuda_check(cudaDeviceSynchronize());
  routed.run({.a_rows = input});
  CHECK(routed.problem.wrong(false) == 0);
  CHECK(routed.problem.is_gathered(routed.layer.gathered()));
  on_all_ranks(true);
}

TEST_CASE("expert routing: a region may gather its routing while it is tuned", "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  constexpr AllGatherMoeShape shape{258, 136, 72, 8, 2, GemmType::bf16};
  const auto workspace = region_workspace(rank, AllGatherMoe::workspace_bytes(shape));
  ONLY_IF(workspace != nullptr);
  RoutedLayer routed(rank, stream, workspace, shape);
  ContextualAutotuner tuner(region_tuning(rank));
  std::size_t wrong = 0;
  int looked_at = 0;
  tuner.run("routed_experts", [&] {
    routed.run(routed.problem.own_rows());
    if (looked_at++ % 4 == 0) {
      wrong += routed.problem.wrong(false);
    }
  });
  CHECK(wrong == 0);
  CHECK(workspace->failure().empty());
}

TEST_CASE("expert routing: a rank that does not come leaves no experts and NaN, and all can go on",
          "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  constexpr int m = 200;
  constexpr int top_k = 2;
  const auto workspace = region_workspace(rank, ExpertRouting::workspace_bytes(m, top_k),
                                          {.wait_budget = std::chrono::seconds(1)});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  ExpertRouting routing(m, top_k, 8, {rank.number, rank.count});
  OwnChoices own(rank, m, top_k);
  const ExpertIds ids = ExpertIds::random(m, top_k, 8, 1, 4);
  const std::vector<float> weights = random_weights(ids.ids.size(), 2);
  own.choose(ids, weights);
  const auto prepare = [&] { routing.prepare(stream, *workspace, own.ids(), own.weights()); };
  on_all_ranks(true);  // some have compiled longer than a call waits
  for (int round = 0; round < 2; ++round) {
    prepare();
    CHECK(is_routed(routing, ids));
    if (rank.number != rank.count - 1) {
      prepare();
      CHECK(is_routed(routing, ExpertIds::all_to(-1, m, top_k, 8)));
      const std::vector<float> spoiled = from_device(routing.topk_weights(), weights.size());
      CHECK(std::all_of(spoiled.begin(), spoiled.end(), [](float weight) { return std::isnan(weight); }));
      CHECK_THAT(workspace->failure(), ContainsSubstring("rank "));
      CHECK_THROWS_AS(prepare(), DeviceError);
    }
    on_all_ranks(true);
    workspace->rearm();
  }
  prepare();
  CHECK(is_routed(routing, ids));
  CHECK(from_device(routing.topk_weights(), weights.size()) == weights);
}

TEST_CASE("expert routing: while tuned beside NCCL, a gather in vain rejects what was tried", "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  constexpr AllGatherMoeShape shape{258, 136, 72, 8, 2, GemmType::bf16};
  const auto workspace = region_workspace(rank, AllGatherMoe::workspace_bytes(shape),
                                          {.wait_budget = std::chrono::milliseconds(500)});
  ONLY_IF(rank.count >= 2 && workspace != nullptr && workspace->parts().nccl.problem().empty());
  RoutedLayer routed(rank, stream, workspace, shape);
  Options options = region_tuning(rank);
  options.feasible = only_way("separate");
  ContextualAutotuner tuner(options);
  int iteration = 0;
  const auto region = [&] {
    if (rank.number == rank.count - 1 && iteration == 4) {
      delay(stream, std::chrono::milliseconds(1500));
    }
    ++iteration;
    routed.run(routed.problem.own_rows());
  };
  tuner.run("late_experts", region);
  const RegionReport tuned = tuner.report("late_experts");
  std::string rejections;
  for (const ProblemReport& tuned_problem : tuned.problems) {
    CHECK(same_on_all_ranks(tuned_problem.choice));
    for (const ConfigReport& config : tuned_problem.configs) {
      rejections += config.rejection.value_or("") + '\n';
    }
  }
  CAPTURE(rejections, tuned.to_string(Detail::why));
  CHECK_THAT(rejections, ContainsSubstring("rank " + std::to_string(rank.count - 1)));
  CHECK(workspace->failure().empty());
  region();
  CHECK(routed.problem.wrong(false) == 0);
}

TEST_CASE("expert routing: own rows without ids, and workspaces that do not fit, are invalid arguments",
          "[moe][ids]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const Stream stream;
  CHECK(ExpertRouting::workspace_bytes(7, 3) == 192);
  CHECK_THROWS_WITH(ExpertRouting::workspace_bytes(0, 3), ContainsSubstring("must be at least 1"));
  constexpr int m = 64;
  constexpr int top_k = 2;
  const auto workspace = region_workspace(rank, ExpertRouting::workspace_bytes(m, top_k));
  ONLY_IF(workspace != nullptr);
  OwnChoices own(rank, m, top_k);
  const ExpertIds ids = ExpertIds::random(m, top_k, 8, 1);
  own.choose(ids, random_weights(ids.ids.size(), 1));
  const std::byte* const inside = workspace->parts().matrices_of(rank.number);
  ExpertRouting routing(m, top_k, 8, {rank.number, rank.count});
  CHECK(routing.topk_weights() == nullptr);
  CHECK_THROWS_WITH(routing.prepare(stream, *workspace, nullptr),
                    ContainsSubstring("the ids of own rows must not be null"));
  CHECK_THROWS_WITH(routing.prepare(stream, *workspace, reinterpret_cast<const int*>(inside)),
                    ContainsSubstring("outside the workspace"));
  CHECK_THROWS_WITH(routing.prepare(stream, *workspace, own.ids(), reinterpret_cast<const float*>(inside)),
                    ContainsSubstring("outside the workspace"));
  CHECK_THROWS_WITH(routing.prepare(stream, *workspace, own.ids(), nullptr, m + 1),
                    ContainsSubstring("ExpertRouting"));
  ExpertRouting larger(m + 1, top_k, 8, {rank.number, rank.count});
  CHECK_THROWS_WITH(larger.prepare(stream, *workspace, own.ids()),
                    ContainsSubstring("the workspace has 1024 bytes, the shape needs 1056"));
  ExpertRouting of_others(m, top_k, 8, {6, 7});
  CHECK_THROWS_WITH(of_others.prepare(stream, *workspace, own.ids()), ContainsSubstring("rank 6 of 7"));
  routing.prepare(stream, *workspace, own.ids());
  CHECK(is_routed(routing, ids));
  CHECK(routing.topk_weights() == nullptr);
  routing.prepare(stream, *workspace, own.ids(), own.weights());
  CHECK(routing.topk_weights() != nullptr);
  CHECK(workspace->failure().empty());
}

}  // namespace contextual::test::gpu_test::routing_gather_test
