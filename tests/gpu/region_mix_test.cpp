// Both regions on one workspace, in any sequence.

#include "gpu/gathered_problem.hpp"
#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/reduced_problem.hpp"
#include "gpu/region_workspace.hpp"
#include "kernels/cuda/gemm_split.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>

namespace contextual::test::gpu_test::region_mix_test {

using namespace kernels::cuda;

namespace {

constexpr int n = 136;
constexpr int k = 72;

enum class Manner : std::uint8_t { eager, replayed, split, split_replayed, one_shot, separate };

/// Both regions for one number of rows, with two sets of data each.
class Regions {
 public:
  Regions(const Rank& rank, const std::shared_ptr<PeerWorkspace>& workspace, cudaStream_t stream, int m)
      : stream_(stream),
        ranks_(rank.count),
        m_(m),
        gathers_(workspace, {m, n, k, GemmType::fp16}),
        scatters_(workspace, {m, n, k, GemmType::fp16}),
        gathered_(rank, {m, n, k, GemmType::fp16}, 2),
        reduced_(rank, {m, n, k, GemmType::fp16}, 2),
        tuner_(region_tuning(rank)),
        workspace_(workspace) {
    for (std::size_t id = 0; id < gemm_split().space().size(); ++id) {
      if (may_be_chosen(gemm_split().space().configs()[id], scatter_args(0))) {
        split_ = id;
      }
    }
    for (int set = 0; set < 2; ++set) {
      gather(set);
      scatter(set);
      cuda_check(cudaStreamSynchronize(stream_));
      split(set);
      cuda_check(cudaStreamSynchronize(stream_));
      graphs_.push_back(std::make_unique<Graph>(stream_, [this, set] { gather(set); }));
      graphs_.push_back(std::make_unique<Graph>(stream_, [this, set] { scatter(set); }));
      graphs_.push_back(std::make_unique<Graph>(stream_, [this, set] { split(set); }));
    }
  }

  void run_gather(Manner manner, int set) {
    run(manner, set, 0);
    gathered_.check_later(stream_, set);
  }
  void run_scatter(Manner manner, int set) {
    const bool splits = split_ && (manner == Manner::split || manner == Manner::split_replayed);
    run(manner, set, 1);
    last_scattered_ = set;
    parts_ = ranks_ * (splits ? gemm_split().space().configs()[*split_].splits : 1);
  }

  /// Of all calls since the last time. Of reduce-scatters only the last one's result is looked at.
  bool right() {
    const bool gathered = gathered_.wrong() == 0;
    return (!last_scattered_ || reduced_.wrong(*std::exchange(last_scattered_, std::nullopt), parts_) == 0) &&
           gathered;
  }

 private:
  void gather(int set) { gathers_(stream_, {gathered_.a_rows(set)}, {gathered_.b(), gathered_.c()}); }
  void scatter(int set) { scatters_(stream_, {reduced_.a(set), reduced_.b(set), reduced_.c()}); }

  GemmScatterArgs scatter_args(int set) {
    return {&workspace_->parts(),
            {m_, n, k, GemmType::fp16},
            {.a = reduced_.a(set), .b = reduced_.b(set), .c_rows = reduced_.c()}};
  }
  /// As the layer does, with too many rows for it.
  void split(int set) {
    if (!split_) {
      scatter(set);
      return;
    }
    cuda_check(static_cast<cudaError_t>(gemm_split().launch_config(*split_, stream_, scatter_args(set))));
  }

  void run(Manner manner, int set, int region) {
    const auto call = [&] { region == 0 ? gather(set) : scatter(set); };
    const bool splits = region == 1 && (manner == Manner::split || manner == Manner::split_replayed);
    const bool one_shot = region == 1 && split_ && manner == Manner::one_shot;
    if (manner == Manner::replayed || manner == Manner::split_replayed) {
      graphs_[static_cast<std::size_t>(3 * set + (splits ? 2 : region))]->launch(stream_);
    } else if (splits) {
      split(set);
    } else if (one_shot || manner == Manner::separate) {
      const std::string way = one_shot ? "one_shot" : "separate";
      const Options options{.feasible = only_way(way.c_str())};
      tuner_.run(way + (region == 0 ? " gather " : " scatter ") + std::to_string(m_), call, options);
    } else {
      call();
    }
  }

  cudaStream_t stream_;
  int ranks_;
  int m_;
  AllGatherGemm gathers_;
  GemmReduceScatter scatters_;
  GatheredProblem gathered_;
  ReducedProblem reduced_;
  ContextualAutotuner tuner_;
  std::shared_ptr<PeerWorkspace> workspace_;
  std::optional<std::size_t> split_;            ///< a config
  std::vector<std::unique_ptr<Graph>> graphs_;  ///< of both regions, for one set after another
  std::optional<int> last_scattered_;
  int parts_ = 0;  ///< of its sums
};

}  // namespace

TEST_CASE(
    "regions: any sequence of calls on a workspace is right, by every way, eager or replayed, with ranks "
    "that "
    "are late",
    "[mix]") {
  ONLY_IF(on_all_ranks(has_gpu()));
  const Rank rank;
  const Stream stream;
  constexpr int most_rows = 1030;
  const auto workspace = region_workspace(
      rank, std::max(AllGatherGemm::workspace_bytes({most_rows, n, k, GemmType::fp16}),
                     GemmReduceScatter::workspace_bytes({most_rows, n, k, GemmType::fp16}, rank.count)));
  ONLY_IF(workspace != nullptr);
  std::vector<std::unique_ptr<Regions>> regions;
  for (const int m : {1, 2, 130, most_rows}) {
    regions.push_back(std::make_unique<Regions>(rank, workspace, stream, m));
  }
  const unsigned manners = workspace->parts().nccl.problem().empty() ? 6 : 5;
  std::mt19937 common(7);  // all ranks make the same calls
  std::mt19937 own(static_cast<unsigned>(rank.number));
  // Ranks that share a GPU take turns on it, each a few milliseconds long.
  const int bursts = rank.count <= rank.devices ? 200 : 15;
  for (int burst = 0; burst < bursts; ++burst) {
    const unsigned calls = 1 + common() % 6;
    for (unsigned call = 0; call < calls; ++call) {
      if (own() % 3 == 0) {
        delay(stream, std::chrono::microseconds(200));
      }
      if (own() % 2 == 0) {  // nobody may need what a call has left there
        cuda_check(
            cudaMemsetAsync(workspace->parts().matrices_of(rank.number), 0xff, workspace->bytes(), stream));
      }
      Regions& chosen = *regions[common() % regions.size()];
      const auto manner = static_cast<Manner>(common() % manners);
      const int set = static_cast<int>(common() % 2);
      if (common() % 2 == 0) {
        chosen.run_gather(manner, set);
      } else {
        chosen.run_scatter(manner, set);
      }
    }
    for (const auto& each : regions) {
      CHECK(each->right());
    }
    REQUIRE(workspace->failure().empty());
  }
}

}  // namespace contextual::test::gpu_test::region_mix_test
