// Calls by way of NCCL on a workspace of which another call fails.

#include "gpu/gathered_problem.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/reduced_problem.hpp"
#include "gpu/region_workspace.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>

namespace contextual::test::gpu_test::region_failures_test {

using namespace kernels::cuda;

namespace {

constexpr auto budget = std::chrono::milliseconds(100);
constexpr auto much_more = std::chrono::milliseconds(400);

/// Two reduce-scatters of one workspace: the first one fails if a rank is late, the second one is by NCCL.
struct Layers {
  static constexpr GemmReduceScatterShape first_shape{512, 136, 72, GemmType::fp16};
  static constexpr GemmReduceScatterShape second_shape{256, 136, 72, GemmType::fp16};

  explicit Layers(const Rank& its_rank)
      : rank(its_rank),
        workspace(region_workspace(rank, GemmReduceScatter::workspace_bytes(first_shape, rank.count),
                                   {.wait_budget = budget})) {
    if (!works()) {
      return;
    }
    first = std::make_unique<GemmReduceScatter>(workspace, first_shape);
    second = std::make_unique<GemmReduceScatter>(workspace, second_shape);
    Options options = region_tuning(rank);
    options.feasible = only_way("separate");
    ContextualAutotuner tuner(options);
    tuner.run("by_nccl", [this] { call_second(); });
  }

  bool works() const {
    return rank.count > 1 && workspace != nullptr && workspace->parts().nccl.problem().empty();
  }
  bool is_late() const { return rank.number == rank.count - 1; }
  void call_first() { (*first)(stream, {of_first.a(0), of_first.b(0), of_first.c()}); }
  void call_second() { (*second)(stream, {of_second.a(0), of_second.b(0), of_second.c()}); }

  Rank rank;
  Stream stream;
  std::shared_ptr<PeerWorkspace> workspace;
  ReducedProblem of_first{rank, first_shape, 1};
  ReducedProblem of_second{rank, second_shape, 1};
  std::unique_ptr<GemmReduceScatter> first;
  std::unique_ptr<GemmReduceScatter> second;
};

bool all_nan(const std::vector<std::uint16_t>& values) {
  const Half half{false};
  return std::all_of(values.begin(), values.end(),
                     [&](std::uint16_t bits) { return std::isnan(half.value(bits)); });
}

}  // namespace

TEST_CASE("regions: behind a call that has failed, one by NCCL gives NaN on all ranks", "[failures]") {
  ONLY_IF(ready_here());
  const Rank rank;
  Layers layers(rank);
  ONLY_IF(layers.works());
  for (int round = 0; round < 2; ++round) {
    const std::size_t bytes = layers.of_second.bits().size() * sizeof(std::uint16_t);
    cuda_check(cudaMemset(layers.of_second.c(), 0, bytes));
    cuda_check(cudaDeviceSynchronize());
    if (layers.is_late()) {
      delay(layers.stream, much_more);
    }
    layers.call_first();
    layers.call_second();
    layers.stream.wait();
    CHECK(all_nan(layers.of_second.bits()));
    on_all_ranks(true);
    layers.workspace->rearm();
    layers.call_second();
    CHECK(layers.of_second.wrong(0, rank.count) == 0);
  }
}

TEST_CASE("regions: while tuned, a rank whose host is late leaves no collective of NCCL alone",
          "[failures]") {
  ONLY_IF(ready_here());
  const Rank rank;
  Layers layers(rank);
  ONLY_IF(layers.works());
  ContextualAutotuner tuner(region_tuning(rank));
  int iteration = 0;
  tuner.run("late_host", [&] {
    if (layers.is_late() && iteration % 5 == 3 && iteration < 50) {  // also while the second one is by NCCL
      std::this_thread::sleep_for(much_more);
    }
    ++iteration;
    layers.call_first();
    layers.call_second();
  });
  const RegionReport report = tuner.report("late_host");
  for (const auto& tuned : report.problems) {
    CHECK(same_on_all_ranks(tuned.choice));
  }
  layers.call_second();
  CHECK(layers.of_second.wrong(0, rank.count) == 0);
}

TEST_CASE("regions: what is tuned on one workspace neither judges nor mends another one", "[failures]") {
  ONLY_IF(ready_here());
  const Rank rank;
  const GemmReduceScatterShape shape{512, 136, 72, GemmType::fp16};
  const std::size_t bytes = GemmReduceScatter::workspace_bytes(shape, rank.count);
  const auto other = region_workspace(rank, bytes);
  const auto workspace = region_workspace(rank, bytes, {.wait_budget = budget});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  const Stream stream;
  GemmReduceScatter other_layer(other, shape);
  GemmReduceScatter layer(workspace, shape);
  ReducedProblem problem(rank, shape, 1);
  const auto call = [&] { layer(stream, {problem.a(0), problem.b(0), problem.c()}); };
  ContextualAutotuner tuner(region_tuning(rank));
  tuner.run("before", [&] { other_layer(stream, {problem.a(0), problem.b(0), problem.c()}); });
  stream.wait();
  on_all_ranks(true);
  other->abort();
  const std::string failure = other->failure();
  int iteration = 0;
  tuner.run("beside_failed", [&] {
    if (rank.number == rank.count - 1 && iteration == 4) {  // an assignment is rejected
      delay(stream, much_more);
    }
    ++iteration;
    call();
  });
  CHECK(other->failure() == failure);
  call();
  CHECK(problem.wrong(0, rank.count) == 0);
}

TEST_CASE("regions: the budget is that of a call, not of each of its waits", "[failures]") {
  ONLY_IF(ready_here());
  const Rank rank;
  constexpr auto its_budget = std::chrono::milliseconds(1000);
  const AllGatherGemmShape shape{512, 136, 72, GemmType::fp16};
  const auto workspace =
      region_workspace(rank, AllGatherGemm::workspace_bytes(shape), {.wait_budget = its_budget});
  ONLY_IF(rank.count >= 2 && workspace != nullptr);
  const Stream stream;
  AllGatherGemm layer(workspace, shape);
  GatheredProblem problem(rank, shape, 1);
  const int missing = rank.count - 1;
  const auto call = [&] { layer(stream, {problem.a_rows(0)}, {problem.b(), problem.c()}); };
  call();
  stream.wait();
  on_all_ranks(true);
  if (rank.number != missing) {
    const Stream others;
    const auto begin = std::chrono::steady_clock::now();
    call();
    std::this_thread::sleep_for(its_budget * 6 / 10);
    // As if the missing rank came now. Its rows are there, but it never fetches this one's.
    const unsigned long long epoch = 2;
    PeerControl* const control = workspace->parts().control_of(rank.number);
    cuda_check(
        cudaMemcpyAsync(&control->arrived[missing], &epoch, sizeof(epoch), cudaMemcpyHostToDevice, others));
    stream.wait();
    CHECK(std::chrono::steady_clock::now() - begin < its_budget * 13 / 10);
    CHECK_THAT(workspace->failure(), ContainsSubstring("rank "));
  }
  on_all_ranks(true);
  workspace->rearm();
}

TEST_CASE("regions: a straggler is late to every call, which the others wait for", "[straggler]") {
  ONLY_IF(ready_here());
  const Rank rank;
  constexpr auto delay = std::chrono::milliseconds(3);
  constexpr int calls = 5;
  const GemmReduceScatterShape shape{512, 136, 72, GemmType::fp16};
  const auto workspace = region_workspace(rank, GemmReduceScatter::workspace_bytes(shape, rank.count),
                                          {.straggler = {rank.count - 1, delay}});
  ONLY_IF(workspace != nullptr);
  const Stream stream;
  GemmReduceScatter layer(workspace, shape);
  ReducedProblem problem(rank, shape, 1);
  const auto call = [&] { layer(stream, {problem.a(0), problem.b(0), problem.c()}); };
  call();
  const Graph graph(stream, call);
  stream.wait();
  on_all_ranks(true);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) {
    graph.launch(stream);
  }
  stream.wait();
  CHECK(std::chrono::steady_clock::now() - begin >= calls * delay);
  CHECK(problem.wrong(0, rank.count) == 0);
}

}  // namespace contextual::test::gpu_test::region_failures_test
