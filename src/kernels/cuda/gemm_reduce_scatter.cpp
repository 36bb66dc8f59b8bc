#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/gemm_split.hpp"
#include "kernels/cuda/peers/region_ways.hpp"

#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>

#include <cuda_runtime_api.h>

#include <utility>

namespace contextual::kernels::cuda {
namespace {

/// One call of an object.
struct Call {
  PeerWorkspace::Parts* workspace;
  const GemmReduceScatterShape& shape;
  Rows rows;  ///< those that this rank gets
  const void* a;
  const void* b;
  void* c_rows;

  int columns() const { return shape.n; }
};

/// NCCL gives every rank as many rows. Where the last ranks own fewer, they get theirs by way of a slot
/// behind all rows that NCCL reads.
void call_separate(CUstream& stream, const Call*& call) {
  PeerWorkspace::Parts& parts = *call->workspace;
  if (parts.has_failed()) {
    return;  // while it is tuned: the rest of a batch waits for nobody
  }
  const int ranks = parts.communicator->size();
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
  if (call->shape.all_rows) {
    parts.nccl.all_reduce(stream, partial, call->c_rows,
                          static_cast<std::size_t>(call->shape.m) * static_cast<std::size_t>(call->shape.n),
                          call->shape.type == GemmType::fp16);
    return;
  }
  const bool even = partition.m() == partition.rows_per_shard() * ranks;
  const ScatterLayout layout = layout_of(call->shape, ranks);
  void* const output = even ? call->c_rows : partial + layout.slot(ranks);
  parts.nccl.reduce_scatter(
      stream, partial, output,
      static_cast<std::size_t>(partition.rows_per_shard()) * static_cast<std::size_t>(call->shape.n),
      call->shape.type == GemmType::fp16);
  if (!even && !call->rows.empty()) {
    CONTEXTUAL_KERNELS_CUDA(cudaMemcpyAsync(call->c_rows, output, layout.row(call->rows.count()),
                                            cudaMemcpyDeviceToDevice, stream));
  }
}

template <auto& kernel>
void call_own(CUstream& stream, const Call*& call) {
  PeerWorkspace::Parts& parts = *call->workspace;
  if (!parts.memory.problem().empty()) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  kernel()(stream,
           {.workspace = &parts, .a = call->a, .b = call->b, .output = call->c_rows, .shape = call->shape});
}

bool has_few_rows(const Call& call) {
  return layout_of(call.shape, call.workspace->communicator->size()).most_splits() > 0;
}

void call_split(CUstream& stream, const Call*& call) {
  if (!has_few_rows(*call)) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  call_own<gemm_split>(stream, call);
}

RegionWays<Call>& reduce_scatter_ways() {
  static auto& choice = make_region_ways<Call>(
      "cuda_reduce_scatter_ways",
      {{"overlapped", call_own<gemm_scatter>}, {"split", call_split, has_few_rows}}, call_separate);
  return choice;
}

RegionWays<Call>& all_reduce_ways() {
  static auto& choice =
      make_region_ways<Call>("cuda_all_reduce_ways", {{"split", call_split, has_few_rows}}, call_separate);
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
  if (shape.all_rows && layout_of(shape, workspace_->ranks()).most_splits() == 0 &&
      !workspace_->parts().nccl.problem().empty()) {
    throw InvalidArgument("GemmReduceScatter: all ranks get so many rows only by NCCL: " +
                          workspace_->parts().nccl.problem());
  }
  rows_ = shape.all_rows ? Rows{0, shape.m}
                         : RowPartition(shape.m, workspace_->ranks()).shard(workspace_->rank());
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
  if (!is_aligned(a) || !is_aligned(b) || (!rows_.empty() && !is_aligned(c_rows))) {
    throw InvalidArgument("GemmReduceScatter: a, b and c_rows must be multiples of 16 bytes and not null");
  }
  workspace_->parts().require_sound();
  const Call call{&workspace_->parts(), shape_, rows_, a, b, c_rows};
  (shape_.all_rows ? all_reduce_ways() : reduce_scatter_ways())(stream, &call);
}

}  // namespace contextual::kernels::cuda
