#include "kernels/cuda/scatter_transfer.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/peers/scatter_plan.hpp"
#include "kernels/cuda/peers/sm_budget.hpp"
#include "kernels/cuda/peers/stream_words.hpp"

#include <contextual/config_space.hpp>

#include <cuda_runtime_api.h>

#include <variant>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* offer_method = "offer";

/// Carries out the steps of one lane.
class ScatterSteps {
 public:
  ScatterSteps(const ScatterCall& call, const RowPartition& partition, int lane)
      : call_(call),
        partition_(partition),
        rank_(call.workspace->communicator->rank()),
        stream_(call.workspace->lanes[lane]) {}

  void operator()(const AwaitChunk& await) const {
    const RowPartition counted = counted_chunks(call_.layout);
    const int merged = counted.chunks() / partition_.chunks();
    for (int index = await.index * merged; index < (await.index + 1) * merged; ++index) {
      const Rows rows = counted.chunk(await.owner, index);
      if (!rows.empty()) {
        wait_for_word(stream_,
                      &call_.workspace->control_of(rank_)->counts[RowPartition::flag(await.owner, index)],
                      static_cast<unsigned>(rows.count() * call_.n));
      }
    }
  }
  void operator()(const SendPartial& send) const {
    const ScatterLayout& layout = call_.layout;
    const int first = send.rows.begin - partition_.shard(send.owner).begin;
    CONTEXTUAL_KERNELS_CUDA(
        cudaMemcpyAsync(call_.workspace->matrices_of(send.owner) + layout.slot(rank_) + layout.row(first),
                        call_.workspace->matrices_of(rank_) + layout.row(send.rows.begin),
                        layout.row(send.rows.count()), cudaMemcpyDeviceToDevice, stream_));
  }
  void operator()(const OfferChunk& offer) const {
    write_word(stream_,
               &call_.workspace->control_of(offer.owner)->offered[RowPartition::flag(rank_, offer.index)], 1);
  }

 private:
  const ScatterCall& call_;
  const RowPartition& partition_;
  int rank_;
  cudaStream_t stream_;
};

void launch(const ReduceScatterConfig& config, CUstream& /*stream*/, ScatterCall*& call) {
  PeerWorkspace::Parts& workspace = *call->workspace;
  const RowPartition partition = counted_chunks(call->layout).merged_into(config.chunks);
  const int rank = workspace.communicator->rank();
  const ScatterPlan plan = config.method == offer_method ? offer_plan(partition, rank, config.lanes)
                                                         : send_plan(partition, rank, config.lanes);
  call->chunks = config.chunks;
  call->owner_reads_partials = plan.owner_reads_partials;
  for (int lane = 0; lane < config.lanes; ++lane) {
    const ScatterSteps carry_out(*call, partition, lane);
    for (const ScatterStep& step : plan.lanes[static_cast<std::size_t>(lane)]) {
      std::visit(carry_out, step);
    }
  }
}

bool has_work_for_its_lanes(const ReduceScatterConfig& config) {
  return config.lanes <= config.chunks && (config.method != offer_method || config.lanes == 1);
}

}  // namespace

ReduceScatterTransfer& reduce_scatter_transfer() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    ReduceScatterTransfer::Options options;
    options.key_names = {"M", "ROW_BYTES", "RANKS"};
    options.keep = [](const ReduceScatterConfig& config, const CUstream&, ScatterCall* const& call) {
      const RowPartition partition(call->layout.m, call->layout.ranks);
      return config.chunks == ReduceScatterConfig{}.chunks || config.chunks <= partition.rows_per_shard();
    };
    const auto nothing_to_load = [](const ReduceScatterConfig&) {};
    options.load = nothing_to_load;
    return new ReduceScatterTransfer(
        scatter_kernel_name,
        ConfigSpace<ReduceScatterConfig>{{"METHOD", &ReduceScatterConfig::method, {"send", offer_method}},
                                         {"CHUNKS", &ReduceScatterConfig::chunks, {1, 2, 4, 8}},
                                         {"LANES", &ReduceScatterConfig::lanes, {1, 2}}}
            .constraint("each lane has copies", has_work_for_its_lanes),
        [](const CUstream&, ScatterCall* const& call) {
          return make_key(call->layout.m, call->layout.row_bytes, call->layout.ranks);
        },
        launch, options);
  }();
  return *kernel;
}

}  // namespace contextual::kernels::cuda
