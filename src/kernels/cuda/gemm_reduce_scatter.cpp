#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/partial_sum.hpp"
#include "kernels/cuda/peers/peer_kernels.hpp"
#include "kernels/cuda/peers/region_ways.hpp"
#include "kernels/cuda/peers/sm_budget.hpp"
#include "kernels/cuda/peers/stream_words.hpp"
#include "kernels/cuda/scatter_transfer.hpp"

#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>

#include <cuda_runtime_api.h>

#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr std::size_t value_bytes = 2;

ScatterLayout layout_of(const GemmReduceScatterShape& shape, int ranks) {
  return {.m = shape.m, .row_bytes = static_cast<std::size_t>(shape.n) * value_bytes, .ranks = ranks};
}

/// Rows of the next rank first, own rows last.
GemmArgs gemm_args(const ScatterCall& call, const GemmReduceScatterShape& shape, const void* a,
                   const void* b) {
  const int rank = call.workspace->communicator->rank();
  const RowPartition partition = counted_chunks(call.layout);
  const Rows first = partition.shard((rank + 1) % call.layout.ranks);
  return {.a = a,
          .b = b,
          .c = call.workspace->matrices_of(rank),
          .m = shape.m,
          .n = shape.n,
          .k = shape.k,
          .type = shape.type,
          .rows_per_flag = partition.rows_per_chunk(),
          .rows_per_shard = partition.rows_per_shard(),
          .flags_per_shard = RowPartition::most_chunks,
          .done_counts = call.workspace->control_of(rank)->counts,
          .first_row = first.empty() ? 0 : first.begin};
}

/// Own values lie where they were computed; those of the others there too, or in the slots.
PeerSum sum_of(const ScatterCall& call, const GemmReduceScatterShape& shape, const Rows& rows, void* output) {
  PeerSum sum{};
  sum.peers = call.workspace->begin();
  for (int source = 0; source < sum.peers.ranks; ++source) {
    const bool at_source = call.owner_reads_partials || source == sum.peers.rank;
    sum.partial[source] = at_source ? call.workspace->matrices_of(source) + call.layout.row(rows.begin)
                                    : call.workspace->matrices_of(sum.peers.rank) + call.layout.slot(source);
  }
  sum.output = output;
  sum.rows = rows.count();
  sum.rows_per_chunk = counted_chunks(call.layout).merged_into(call.chunks).rows_per_chunk();
  sum.n = shape.n;
  sum.fp16 = shape.type == GemmType::fp16;
  return sum;
}

/// In stream order: this rank reads the others' partial sums no more.
void tell_done(CUstream stream, PeerWorkspace::Parts& workspace) {
  const int own_rank = workspace.communicator->rank();
  const auto own_word = static_cast<std::size_t>(own_rank) * PeerControl::most_lanes;
  for (int rank = 0; rank < workspace.communicator->size(); ++rank) {
    if (rank != own_rank) {
      write_word(stream, &workspace.control_of(rank)->done[own_word], 1);
    }
  }
}

/// One call of an object.
struct Call {
  PeerWorkspace::Parts& workspace;
  const GemmReduceScatterShape& shape;
  Rows rows;  ///< own ones
  const void* a;
  const void* b;
  void* c_rows;

  int columns() const { return shape.n; }
};

/// NCCL gives every rank as many rows. Where the last ranks own fewer, they get theirs by way of the last
/// slot, which lies behind all rows that NCCL reads.
void call_separate(CUstream& stream, const Call*& call) {
  PeerWorkspace::Parts& parts = call->workspace;
  if (parts.has_failed()) {
    return;  // while it is tuned: the rest of a batch waits for nobody
  }
  const int ranks = parts.communicator->size();
  const ScatterLayout layout = layout_of(call->shape, ranks);
  const RowPartition partition(call->shape.m, ranks);
  std::byte* const partial = parts.matrices_of(parts.communicator->rank());
  separate_gemm(parts, stream,
                {.a = call->a,
                 .b = call->b,
                 .c = partial,
                 .m = call->shape.m,
                 .n = call->shape.n,
                 .k = call->shape.k,
                 .type = call->shape.type});
  const bool even = partition.m() == partition.rows_per_shard() * ranks;
  void* const output = even ? call->c_rows : partial + layout.slot(ranks - 1);
  parts.nccl.reduce_scatter(
      stream, partial, output,
      static_cast<std::size_t>(partition.rows_per_shard()) * static_cast<std::size_t>(call->shape.n),
      call->shape.type == GemmType::fp16);
  if (!even && !call->rows.empty()) {
    CONTEXTUAL_KERNELS_CUDA(cudaMemcpyAsync(call->c_rows, output, layout.row(call->rows.count()),
                                            cudaMemcpyDeviceToDevice, stream));
  }
}

void call_overlapped(CUstream& stream, const Call*& call) {
  PeerWorkspace::Parts& parts = call->workspace;
  if (!parts.memory.problem().empty()) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  const PeerBegin begin = parts.begin();
  launch_peer_begin(stream, begin);
  ScatterCall scatter{
      .workspace = &parts, .layout = layout_of(call->shape, parts.communicator->size()), .n = call->shape.n};
  parts.lanes.fork(stream, PeerControl::most_lanes);  // the last one is the sum's
  gemm_reduce_scatter()(stream, gemm_args(scatter, call->shape, call->a, call->b));
  reduce_scatter_transfer()(stream, &scatter);
  const SumCall sum{.sum = sum_of(scatter, call->shape, call->rows, call->c_rows),
                    .lanes = &parts.lanes,
                    .multiprocessors = parts.multiprocessors,
                    .m = call->shape.m};
  partial_sum()(stream, &sum);
  parts.lanes.join(stream);
  if (scatter.owner_reads_partials) {
    tell_done(stream, parts);
  }
  launch_peer_end(stream, {.peers = begin,
                           .lanes = scatter.owner_reads_partials ? 1 : 0,
                           .output = call->c_rows,
                           .count = static_cast<unsigned long long>(call->rows.count()) *
                                    static_cast<unsigned long long>(call->shape.n)});
}

RegionWays<Call>& ways() {
  static auto& choice = make_region_ways<Call>("cuda_reduce_scatter_ways", call_overlapped, call_separate);
  return choice;
}

}  // namespace

std::size_t GemmReduceScatter::workspace_bytes(const GemmReduceScatterShape& shape, int ranks) {
  check_gemm_sizes("GemmReduceScatter", shape.m, shape.n, shape.k);
  return layout_of(shape, ranks).bytes();
}

GemmReduceScatter::GemmReduceScatter(std::shared_ptr<PeerWorkspace> workspace,
                                     const GemmReduceScatterShape& shape)
    : workspace_(std::move(workspace)), shape_(shape) {
  workspace_->parts().require_room("GemmReduceScatter", workspace_bytes(shape, workspace_->ranks()));
  rows_ = RowPartition(shape.m, workspace_->ranks()).shard(workspace_->rank());
  if (workspace_->parts().nccl.problem().empty()) {
    std::byte* const aligned = workspace_->parts().matrices_of(workspace_->rank());
    cublaslt_plan({.a = aligned,
                   .b = aligned,
                   .c = aligned,
                   .m = shape.m,
                   .n = shape.n,
                   .k = shape.k,
                   .type = shape.type});
  }
}

void GemmReduceScatter::operator()(CUstream stream, const void* a, const void* b, void* c_rows) {
  workspace_->parts().require_sound();
  const Call call{workspace_->parts(), shape_, rows_, a, b, c_rows};
  ways()(stream, &call);
}

Gemm& gemm_reduce_scatter() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel =
      new Gemm(scattered_gemm_name,
               gemm_space({0, -4, -8, -16})
                   .refine({"NUM_SMS", &GemmConfig::num_sms, {-2, -6, -10, -12, -14, -20, -24}}),
               gemm_key, gemm_definition());
  return *kernel;
}

}  // namespace contextual::kernels::cuda
