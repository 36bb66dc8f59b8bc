#include "kernels/cuda/gathered_rows.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gather_order.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/gemm_tensor_map.hpp"
#include "kernels/cuda/peers/peer_source.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cuda_runtime_api.h>

#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr std::size_t value_bytes = 2;

constexpr const char* order_header =
#include "embedded/gather_order.hpp.inc"
    ;
constexpr const char* rows_header =
#include "embedded/gather_rows.cuh.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/gather_parameters.hpp.inc"
    ;

}  // namespace

OwnRows::OwnRows(PeerWorkspace::Parts& workspace, const GatheredRows& rows, int m, int k)
    : workspace_(&workspace),
      rows_(rows.a_rows),
      pitch_(row_pitch(rows.pitch, k)),
      m_(m),
      k_(k),
      own_(RowPartition(m, workspace.communicator->size()).shard(workspace.communicator->rank())),
      place_(workspace.row_of(workspace.communicator->rank(), own_.begin, k)) {}

void OwnRows::check(const char* who) const {
  check_pitch(who, "the pitch of a_rows", pitch_, k_);
  if (own_.empty()) {
    return;
  }
  if (!is_aligned(rows_)) {
    throw InvalidArgument(std::string(who) + ": a_rows must be a multiple of 16 bytes and not null");
  }
  if (rows_ != place_) {
    workspace_->require_outside(who, rows_);
  } else if (pitch_ != k_) {
    throw InvalidArgument(std::string(who) + ": rows in input(m) are dense");
  }
}

std::size_t OwnRows::row_bytes() const noexcept {
  return static_cast<std::size_t>(k_) * value_bytes;
}

void OwnRows::bring(CUstream stream) const {
  if (rows_ != place_) {
    copy(stream);
  }
}

void OwnRows::copy(CUstream stream) const {
  if (own_.empty()) {
    return;
  }
  const auto count = static_cast<std::size_t>(own_.count());
  if (pitch_ == k_) {
    CONTEXTUAL_KERNELS_CUDA(
        cudaMemcpyAsync(place_, rows_, count * row_bytes(), cudaMemcpyDeviceToDevice, stream));
  } else {
    CONTEXTUAL_KERNELS_CUDA(cudaMemcpy2DAsync(place_, row_bytes(), rows_,
                                              static_cast<std::size_t>(pitch_) * value_bytes, row_bytes(),
                                              count, cudaMemcpyDeviceToDevice, stream));
  }
}

void OwnRows::gather(CUstream stream) const {
  const bool dense = pitch_ == k_;
  if (!dense) {
    copy(stream);
  }
  workspace_->nccl.all_gather(stream, dense ? rows_ : place_,
                              workspace_->matrices_of(workspace_->communicator->rank()),
                              RowPartition(m_, workspace_->communicator->size()), row_bytes());
}

GatherParameters gather_parameters(const PeerWorkspace::Parts& workspace, int m, int k) {
  const int rows_per_shard = RowPartition(m, workspace.communicator->size()).rows_per_shard();
  return {.peers = workspace.begin(),
          .flags = workspace.flags_of(workspace.communicator->rank()),
          .flags_per_source = PeerWorkspace::Parts::flags_per_source(rows_per_shard, k),
          .rows_per_shard = rows_per_shard,
          .m = m,
          .k = k,
          .scales = {},
          .scales_per_shard = 0,
          .scales_pitch = 0};
}

FetchMaps fetch_maps(const PeerWorkspace::Parts& workspace, int m, int k, bool bf16) {
  const RowPartition partition(m, workspace.communicator->size());
  const int rank = workspace.communicator->rank();
  FetchMaps maps{};
  for (int source = 0; source < partition.ranks(); ++source) {
    const Rows rows = partition.shard(source);
    if (source != rank && !rows.empty()) {
      const auto in_matrix_of = [&](int owner) {
        return tensor_map({workspace.row_of(owner, rows.begin, k), rows.count(), k, bf16},
                          GatherPieces::rows);
      };
      maps.from[static_cast<std::size_t>(source)] = in_matrix_of(source);
      maps.to[static_cast<std::size_t>(source)] = in_matrix_of(rank);
    }
  }
  return maps;
}

CudaSource with_gather_headers(CudaSource source) {
  return with_peer_headers(std::move(source))
      .header("gather_order.hpp", order_header)
      .header("gather_rows.cuh", rows_header)
      .header("gather_parameters.hpp", parameters_header);
}

}  // namespace contextual::kernels::cuda
