#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_gather.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/gemm_gather_parameters.hpp"
#include "kernels/cuda/peers/region_ways.hpp"

#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

std::size_t row_bytes(const AllGatherGemmShape& shape) {
  constexpr std::size_t value_bytes = 2;
  return static_cast<std::size_t>(shape.k) * value_bytes;
}

GemmArgs gemm_args(const AllGatherGemmShape& shape, const GatheredProduct& product, const void* gathered) {
  return {.a = gathered,
          .b = product.b,
          .c = product.c,
          .m = shape.m,
          .n = product.n,
          .k = shape.k,
          .type = shape.type};
}

/// One call of an object.
struct Call : GemmGatherArgs {
  Rows rows;  ///< own ones
  const void* a_rows;
};

void call_separate(CUstream& stream, const Call*& call) {
  PeerWorkspace::Parts& workspace = *call->workspace;
  if (workspace.has_failed()) {
    return;  // while it is tuned: the rest of a batch waits for nobody
  }
  const RowPartition partition(call->shape.m, workspace.communicator->size());
  std::byte* const gathered = workspace.matrices_of(workspace.communicator->rank());
  workspace.nccl.all_gather(stream, call->a_rows, gathered, partition, row_bytes(call->shape));
  for (const GatheredProduct& product : call->products) {
    separate_gemm(workspace, stream, gemm_args(call->shape, product, gathered));
  }
}

void call_overlapped(CUstream& stream, const Call*& call) {
  if (!call->workspace->memory.problem().empty()) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  PeerWorkspace::Parts& workspace = *call->workspace;
  std::byte* const own = workspace.row_of(workspace.communicator->rank(), call->rows.begin, call->shape.k);
  if (call->a_rows != own && !call->rows.empty()) {
    CONTEXTUAL_KERNELS_CUDA(cudaMemcpyAsync(
        own, call->a_rows, static_cast<std::size_t>(call->rows.count()) * row_bytes(call->shape),
        cudaMemcpyDeviceToDevice, stream));
  }
  gemm_gather()(stream, *call);
}

RegionWays<Call>& ways() {
  static auto& choice =
      make_region_ways<Call>("cuda_allgather_ways", {{"overlapped", call_overlapped}}, call_separate);
  return choice;
}

/// Throws InvalidArgument.
void check(const Call& call) {
  constexpr std::size_t most = GemmGatherParameters::most_products;
  if (call.products.empty() || call.products.size() > most) {
    throw InvalidArgument("AllGatherGemm: a call has 1 to " + std::to_string(most) + " products, not " +
                          std::to_string(call.products.size()));
  }
  bool aligned = call.rows.empty() || is_aligned(call.a_rows);
  for (const GatheredProduct& product : call.products) {
    check_gemm_sizes("AllGatherGemm", call.shape.m, product.n, call.shape.k);
    aligned = aligned && is_aligned(product.b) && is_aligned(product.c);
  }
  if (!aligned) {
    throw InvalidArgument("AllGatherGemm: a_rows, b and c must be multiples of 16 bytes and not null");
  }
}

}  // namespace

std::size_t AllGatherGemm::workspace_bytes(const AllGatherGemmShape& shape) {
  check_gemm_sizes("AllGatherGemm", shape.m, shape.n, shape.k);
  return static_cast<std::size_t>(shape.m) * row_bytes(shape);
}

AllGatherGemm::AllGatherGemm(std::shared_ptr<PeerWorkspace> workspace, const AllGatherGemmShape& shape)
    : workspace_(std::move(workspace)), shape_(shape) {
  workspace_->parts().require_room("AllGatherGemm", workspace_bytes(shape));
  rows_ = RowPartition(shape.m, workspace_->ranks()).shard(workspace_->rank());
  if (workspace_->parts().nccl.problem().empty()) {
    const void* const aligned = gathered();
    cublaslt_plan(gemm_args(shape_, {aligned, const_cast<void*>(aligned), shape_.n}, aligned));
  }
}

void* AllGatherGemm::input() const noexcept {
  return workspace_->parts().row_of(workspace_->rank(), rows_.begin, shape_.k);
}

const void* AllGatherGemm::gathered() const noexcept {
  return workspace_->parts().matrices_of(workspace_->rank());
}

void AllGatherGemm::operator()(CUstream stream, const void* a_rows, const void* b, void* c) {
  const std::array<GatheredProduct, 1> product{{{b, c, shape_.n}}};
  (*this)(stream, a_rows, product);
}

void AllGatherGemm::operator()(CUstream stream, const void* a_rows,
                               std::span<const GatheredProduct> products) {
  const Call call{{&workspace_->parts(), products, shape_}, rows_, a_rows};
  check(call);
  workspace_->parts().require_sound();
  ways()(stream, &call);
}

}  // namespace contextual::kernels::cuda
