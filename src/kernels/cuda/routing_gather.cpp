#include "kernels/cuda/routing_gather.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/peers/peer_source.hpp"
#include "kernels/cuda/untuned_kernel.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/routing_gather.cu.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/routing_gather_parameters.hpp.inc"
    ;
constexpr const char* ptx_header =
#include "embedded/hopper_ptx.cuh.inc"
    ;

constexpr int threads = 256;

UntunedKernel<RoutingGatherParameters>& kernel() {
  static auto* const kernel = new UntunedKernel<RoutingGatherParameters>(
      "gather_routing",
      with_peer_headers(CudaSource::text("routing_gather.cu", source))
          .header("hopper_ptx.cuh", ptx_header)
          .header("routing_gather_parameters.hpp", parameters_header),
      threads, [](const RoutingGatherParameters& parameters) { return divide_up(parameters.count, threads); },
      most_carveout);
  return *kernel;
}

constexpr std::size_t alignment = 16;

/// Returns how many bytes the ids take, or the weights.
std::size_t table_bytes(int rows, int top_k) {
  const std::size_t bytes =
      static_cast<std::size_t>(rows) * static_cast<std::size_t>(top_k) * sizeof(std::uint32_t);
  return (bytes + alignment - 1) / alignment * alignment;
}

Rows own_rows(const RoutingGather& call) {
  const Communicator& communicator = *call.workspace->communicator;
  return RowPartition(call.rows, communicator.size()).shard(communicator.rank());
}

/// Returns where a rank has what it knows of its own rows.
RowChoices choices_of(const RoutingGather& call, int rank) {
  const std::size_t end = call.workspace->matrix_bytes / alignment * alignment;
  std::byte* const memory =
      call.workspace->matrices_of(rank) + end - routing_gather_bytes(call.rows, call.top_k);
  return {reinterpret_cast<int*>(memory),
          reinterpret_cast<float*>(memory + table_bytes(call.rows, call.top_k))};
}

/// Brings own rows' part of a table of all ranks' rows to its place there. Null brings nothing.
template <typename T>
void bring(CUstream stream, const RoutingGather& call, const T* own, T* table) {
  const Rows rows = own_rows(call);
  if (own == nullptr || rows.empty()) {
    return;
  }
  const auto top_k = static_cast<std::size_t>(call.top_k);
  CONTEXTUAL_KERNELS_CUDA(cudaMemcpyAsync(table + static_cast<std::size_t>(rows.begin) * top_k, own,
                                          static_cast<std::size_t>(rows.count()) * top_k * sizeof(T),
                                          cudaMemcpyDeviceToDevice, stream));
}

void gather_by_kernel(CUstream stream, const RoutingGather& call) {
  RoutingGatherParameters parameters{.peers = call.workspace->begin(),
                                     .from = {},
                                     .to = call.gathered,
                                     .count = call.rows * call.top_k,
                                     .count_per_shard = 0};
  const int ranks = parameters.peers.ranks;
  parameters.count_per_shard = RowPartition(call.rows, ranks).rows_per_shard() * call.top_k;
  for (int rank = 0; rank < ranks; ++rank) {
    parameters.from[rank] = choices_of(call, rank);
  }
  const RowChoices& own = parameters.from[parameters.peers.rank];
  bring(stream, call, call.own_ids, own.ids);
  bring(stream, call, call.own_weights, own.weights);
  kernel().launch(stream, parameters);
}

}  // namespace

std::size_t routing_gather_bytes(int rows, int top_k) {
  return 2 * table_bytes(rows, top_k);
}

void check_routing_gather(const char* who, const RoutingGather& call) {
  PeerWorkspace::Parts& workspace = *call.workspace;
  workspace.require_room(who, routing_gather_bytes(call.rows, call.top_k));
  if (own_rows(call).empty()) {
    return;
  }
  if (call.own_ids == nullptr) {
    throw InvalidArgument(std::string(who) + ": the ids of own rows must not be null");
  }
  workspace.require_outside(who, call.own_ids);
  workspace.require_outside(who, call.own_weights);
}

void gather_routing(CUstream stream, const RoutingGather& call) {
  if (call.workspace->memory.problem().empty()) {
    gather_by_kernel(stream, call);
  } else if (!call.workspace->is_aborted_while_tuned()) {
    gather_routing_by_nccl(stream, call);
  }
}

/// Always both, since a rank without rows cannot know whether the others have weights.
void gather_routing_by_nccl(CUstream stream, const RoutingGather& call) {
  bring(stream, call, call.own_ids, call.gathered.ids);
  bring(stream, call, call.own_weights, call.gathered.weights);
  const RowPartition partition(call.rows, call.workspace->communicator->size());
  const std::size_t first =
      static_cast<std::size_t>(own_rows(call).begin) * static_cast<std::size_t>(call.top_k);
  const auto gather = [&](auto* table) {
    call.workspace->nccl.all_gather(stream, table + first, reinterpret_cast<std::byte*>(table), partition,
                                    static_cast<std::size_t>(call.top_k) * sizeof(*table));
  };
  gather(call.gathered.ids);
  gather(call.gathered.weights);
}

void load_routing_gather() {
  kernel().load();
}

}  // namespace contextual::kernels::cuda
