#include "kernels/cuda/gemm_gather_copies.hpp"

#include "kernels/cuda/gather_order.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"

#include <contextual/kernels/row_partition.hpp>

#include <algorithm>
#include <cstddef>

namespace contextual::kernels::cuda {
namespace {

/// Smaller copies take as long.
constexpr std::size_t least_copy = std::size_t{1} << 20;

std::size_t row_bytes(const GemmGatherArgs& args) {
  return static_cast<std::size_t>(words_of_row(args.shape)) * 2;
}

/// Of a rank's rows in the largest call of the same bucket.
std::size_t shard_bytes(const GemmGatherArgs& args) {
  const RowPartition partition(bucket_of(args.shape.m), args.workspace->communicator->size());
  return static_cast<std::size_t>(partition.rows_per_shard()) * row_bytes(args);
}

/// Copies own rows to where the other ranks read them, the previous rank first, whose tiles of these rows
/// come right after its own. A part of k of all rows at a time, so that all tiles may go on, then its flag:
/// the copies of a stream end in order.
void send_rows(const GemmGatherArgs& args) {
  PeerWorkspace::Parts& workspace = *args.workspace;
  const int own = workspace.communicator->rank();
  const int ranks = workspace.communicator->size();
  const int words = words_of_row(args.shape);
  const RowPartition partition(args.shape.m, ranks);
  const Rows rows = partition.shard(own);
  const int words_of_part =
      divide_up(divide_up(words, GatherPieces::columns), args.k_parts) * GatherPieces::columns;
  const int flags = PeerWorkspace::Parts::flags_per_source(partition.rows_per_shard(), words);
  for (int peer = (own + ranks - 1) % ranks; !rows.empty() && peer != own;
       peer = (peer + ranks - 1) % ranks) {
    TileFlag* flag = workspace.flags_of(peer) + static_cast<std::ptrdiff_t>(own) * flags;
    for (int word = 0; word < words; word += words_of_part, ++flag) {
      const std::ptrdiff_t offset = std::ptrdiff_t{word} * 2;
      workspace.lane.copy(workspace.row_of(peer, rows.begin, words) + offset,
                          workspace.row_of(own, rows.begin, words) + offset, row_bytes(args),
                          static_cast<std::size_t>(std::min(words_of_part, words - word)) * 2,
                          static_cast<std::size_t>(rows.count()));
      workspace.lane.copy(flag, &workspace.control_of(own)->copied_flag, sizeof(TileFlag), sizeof(TileFlag),
                          1);
    }
  }
}

}  // namespace

bool may_be_copied(const GemmGatherArgs& args) {
  return args.workspace->memory.copies_overlap() && shard_bytes(args) >= 2 * least_copy;
}

void gather_by_copies(CUstream stream, GemmGatherArgs args) {
  PeerWorkspace::Parts& workspace = *args.workspace;
  args.k_parts =
      static_cast<int>(std::min(shard_bytes(args) / least_copy, std::size_t{GatherPieces::most_parts}));
  workspace.lane.begin(stream);
  try {
    copied_gather()(stream, args);
  } catch (...) {
    workspace.lane.join(stream);  // they may be captured
    throw;
  }
  workspace.lane.begin_when_set(&workspace.control_of(workspace.communicator->rank())->all_begun);
  send_rows(args);
  workspace.lane.join(stream);
}

}  // namespace contextual::kernels::cuda
