#include "kernels/cuda/allgather_transfer.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/peers/gather_plan.hpp"
#include "kernels/cuda/peers/peer_kernels.hpp"
#include "kernels/cuda/peers/sm_budget.hpp"
#include "kernels/cuda/peers/stream_words.hpp"

#include <cuda_runtime_api.h>

#include <variant>
#include <vector>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* fetch_method = "fetch";

/// Carries out the steps of one lane.
class GatherSteps {
 public:
  GatherSteps(const GatherCall& call, int lane) : call_(call), lane_(lane) {}

  void operator()(const CopyRows& copy) const {
    const std::size_t begin = static_cast<std::size_t>(copy.rows.begin) * call_.row_bytes;
    const std::size_t bytes = static_cast<std::size_t>(copy.rows.count()) * call_.row_bytes;
    CONTEXTUAL_KERNELS_CUDA(cudaMemcpyAsync(call_.workspace->matrices_of(copy.to) + begin,
                                            call_.workspace->matrices_of(copy.from) + begin, bytes,
                                            cudaMemcpyDeviceToDevice, stream()));
  }
  void operator()(const SetReady& ready) const {
    write_word(stream(), &call_.workspace->control_of(ready.rank)->ready[ready.flag], 1);
  }
  void operator()(const TellDone& tell) const {
    const int own_rank = call_.workspace->communicator->rank();
    write_word(stream(),
               &call_.workspace->control_of(tell.rank)->done[own_rank * PeerControl::most_lanes + lane_], 1);
  }

 private:
  cudaStream_t stream() const { return call_.workspace->lanes[lane_]; }

  const GatherCall& call_;
  int lane_;
};

PeerFetch fetch_of(const GatherCall& call, const RowPartition& partition) {
  const PeerBegin peers = call.workspace->begin();
  PeerFetch fetch{};
  for (int rank = 0; rank < peers.ranks; ++rank) {
    fetch.control[rank] = peers.control[rank];
    fetch.gathered[rank] = call.workspace->matrices_of(rank);
  }
  fetch.rank = peers.rank;
  fetch.ranks = peers.ranks;
  fetch.m = call.m;
  fetch.rows_per_shard = partition.rows_per_shard();
  fetch.rows_per_chunk = partition.rows_per_chunk();
  fetch.chunks = partition.chunks();
  fetch.row_bytes = call.row_bytes;
  return fetch;
}

void launch(const AllGatherConfig& config, CUstream& stream, GatherCall*& call) {
  PeerWorkspace::Parts& workspace = *call->workspace;
  const int rank = workspace.communicator->rank();
  const RowPartition partition(call->m, workspace.communicator->size(), config.chunks);
  call->chunks = config.chunks;
  workspace.lanes.fork(stream, config.lanes);
  if (config.method == fetch_method) {
    launch_peer_fetch(workspace.lanes[0], fetch_of(*call, partition), config.sms);
    call->lanes_to_await = 1;
    return;
  }
  const GatherPlan plan = config.method == "push" ? push_plan(partition, rank, config.lanes)
                                                  : pull_plan(partition, rank, config.lanes);
  for (int lane = 0; lane < config.lanes; ++lane) {
    const GatherSteps carry_out(*call, lane);
    for (const GatherStep& step : plan.lanes[static_cast<std::size_t>(lane)]) {
      std::visit(carry_out, step);
    }
  }
  call->lanes_to_await = plan.peers_read_own_rows ? config.lanes : 0;
}

/// "fetch" alone occupies multiprocessors, and it has one lane.
bool is_a_method(const AllGatherConfig& config) {
  const bool fetches = config.method == fetch_method;
  return fetches == (config.sms > 0) && (!fetches || config.lanes == 1) && config.lanes <= config.chunks;
}

}  // namespace

ConfigSpace<AllGatherConfig> allgather_space() {
  return ConfigSpace<AllGatherConfig>{{"METHOD", &AllGatherConfig::method, {"pull", "push", fetch_method}},
                                      {"CHUNKS", &AllGatherConfig::chunks, {1, 2, 4, 8}},
                                      {"LANES", &AllGatherConfig::lanes, {1, 2}},
                                      {"SMS", &AllGatherConfig::sms, {0, 8, 16, 32}}}
      .refine({"SMS", &AllGatherConfig::sms, {4, 6, 10, 12, 14, 20, 24, 28, 40, 48}})
      .constraint("what goes with the method", is_a_method);
}

AllGatherTransfer& allgather_transfer() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    AllGatherTransfer::Options options;
    options.key_names = {"M", "ROW_BYTES", "RANKS"};
    options.keep = [](const AllGatherConfig& config, const CUstream&, GatherCall* const& call) {
      const RowPartition partition(call->m, call->workspace->communicator->size());
      return config.chunks == AllGatherConfig{}.chunks || config.chunks <= partition.rows_per_shard();
    };
    const auto nothing_to_load = [](const AllGatherConfig&) {};  // the workspace has loaded its kernels
    options.load = nothing_to_load;
    return new AllGatherTransfer(
        transfer_kernel_name, allgather_space(),
        [](const CUstream&, GatherCall* const& call) {
          return make_key(call->m, call->row_bytes, call->workspace->communicator->size());
        },
        launch, options);
  }();
  return *kernel;
}

}  // namespace contextual::kernels::cuda
