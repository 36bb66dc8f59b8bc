#include "kernels/cuda/nccl_sum.hpp"

#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_remainder.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/peer_spoil.hpp"

#include <cstddef>

namespace contextual::kernels::cuda {

/// NCCL gives every rank as many rows. Where the last ranks own fewer, or there is more to do to them, they
/// come by way of a slot behind all rows that NCCL reads.
void add_by_nccl(CUstream stream, const GemmScatterArgs& args, const Rows& rows) {
  PeerWorkspace::Parts& parts = *args.workspace;
  const GemmReduceScatterShape& shape = args.shape;
  const GemmReduceScatterCall& call = args.call;
  const int ranks = parts.communicator->size();
  const RowPartition partition(shape.m, ranks);
  std::byte* const partial = parts.matrices_of(parts.communicator->rank());
  const bool fp16 = shape.type == GemmType::fp16;
  const int c_pitch = row_pitch(call.c_pitch, shape.n);
  const bool even = shape.all_rows || partition.m() == partition.rows_per_shard() * ranks;
  const bool done =
      even && !has_epilogue(call.bias, call.activation) && call.residual == nullptr && c_pitch == shape.n;
  const ScatterLayout layout = layout_of(shape, ranks);
  void* const output = done ? call.c_rows : shape.all_rows ? partial : partial + layout.slot(ranks);
  const auto columns = static_cast<std::size_t>(shape.n);
  if (shape.all_rows) {
    parts.nccl.all_reduce(stream, partial, output, static_cast<std::size_t>(shape.m) * columns, fp16);
  } else {
    parts.nccl.reduce_scatter(stream, partial, output,
                              static_cast<std::size_t>(partition.rows_per_shard()) * columns, fp16);
  }
  if (!done && !rows.empty()) {
    finish_gemm(stream, {.sums = output,
                         .factor = nullptr,
                         .residual = call.residual,
                         .c = call.c_rows,
                         .sums_pitch = shape.n,
                         .residual_pitch = row_pitch(call.residual_pitch, shape.n),
                         .c_pitch = c_pitch,
                         .rows = rows.count(),
                         .epilogue = {call.bias, call.activation, shape.n},
                         .fp16 = fp16});
  }
  spoil_if_failed(parts, stream,
                  {.output = call.c_rows, .rows = rows.count(), .n = shape.n, .pitch = c_pitch});
}

}  // namespace contextual::kernels::cuda
