#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_gather.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_remainder.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/gemm_gather_parameters.hpp"
#include "kernels/cuda/peers/region_ways.hpp"

#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gated_mlp.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* who = "AllGatherGemm";
constexpr std::size_t value_bytes = 2;

std::size_t row_bytes(const AllGatherGemmShape& shape) {
  return static_cast<std::size_t>(shape.k) * value_bytes;
}

GemmArgs gemm_args(const AllGatherGemmShape& shape, const GatheredProduct& product, const void* gathered) {
  return {.a = gathered,
          .b = product.b,
          .c = product.c,
          .m = shape.m,
          .n = product.n,
          .k = shape.k,
          .type = shape.type,
          .c_pitch = product.pitch};
}

/// One call of an object.
struct Call : GemmGatherArgs {
  Rows rows;  ///< own ones
  const void* a_rows;
  int a_pitch;

  Key key() const { return region_key(*this); }
  /// Where they belong in the gathered matrix.
  std::byte* place() const { return workspace->row_of(workspace->communicator->rank(), rows.begin, shape.k); }
};

void copy_rows(CUstream stream, const Call& call) {
  if (call.rows.empty()) {
    return;
  }
  const std::size_t width = row_bytes(call.shape);
  const auto count = static_cast<std::size_t>(call.rows.count());
  if (call.a_pitch == call.shape.k) {
    CONTEXTUAL_KERNELS_CUDA(
        cudaMemcpyAsync(call.place(), call.a_rows, count * width, cudaMemcpyDeviceToDevice, stream));
  } else {
    CONTEXTUAL_KERNELS_CUDA(cudaMemcpy2DAsync(call.place(), width, call.a_rows,
                                              static_cast<std::size_t>(call.a_pitch) * value_bytes, width,
                                              count, cudaMemcpyDeviceToDevice, stream));
  }
}

/// What cuBLASLt has left to do.
void finish(CUstream stream, const AllGatherGemmShape& shape, const GatheredProduct& product) {
  if (!has_epilogue(product.bias, product.activation)) {
    return;
  }
  const int pitch = row_pitch(product.pitch, product.n);
  finish_gemm(stream, {.sums = product.c,
                       .factor = nullptr,
                       .residual = nullptr,
                       .c = product.c,
                       .sums_pitch = pitch,
                       .residual_pitch = 0,
                       .c_pitch = pitch,
                       .rows = shape.m,
                       .epilogue = {product.bias, product.activation, product.n},
                       .fp16 = shape.type == GemmType::fp16});
}

/// The gated product of gathered rows.
void multiply_gated(CUstream stream, const AllGatherGemmShape& shape, const GatheredProduct& product,
                    const void* gathered) {
  gated_mlp()(stream, {.a = gathered,
                       .weights = product.b,
                       .c = product.c,
                       .m = shape.m,
                       .n = product.n,
                       .k = shape.k,
                       .type = shape.type,
                       .activation = product.activation,
                       .c_pitch = product.pitch});
}

void call_separate(CUstream& stream, const Call*& call) {
  PeerWorkspace::Parts& workspace = *call->workspace;
  if (workspace.has_failed()) {
    return;  // while it is tuned: the rest of a batch waits for nobody
  }
  const RowPartition partition(call->shape.m, workspace.communicator->size());
  std::byte* const gathered = workspace.matrices_of(workspace.communicator->rank());
  const bool dense = call->a_pitch == call->shape.k;
  if (!dense) {
    copy_rows(stream, *call);
  }
  workspace.nccl.all_gather(stream, dense ? call->a_rows : call->place(), gathered, partition,
                            row_bytes(call->shape));
  if (call->gated()) {
    multiply_gated(stream, call->shape, call->products.front(), gathered);
    return;
  }
  for (const GatheredProduct& product : call->products) {
    separate_gemm(workspace, stream, gemm_args(call->shape, product, gathered));
    finish(stream, call->shape, product);
  }
}

void call_overlapped(CUstream& stream, const Call*& call) {
  if (!call->workspace->memory.problem().empty()) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  if (call->a_rows != call->place()) {
    copy_rows(stream, *call);
  }
  (call->gated() ? gated_gather() : gemm_gather())(stream, *call);
}

RegionWays<Call>& ways_of(const Call& call) {
  const auto make = [](const char* name) -> RegionWays<Call>& {
    return make_region_ways<Call>(name, {{"overlapped", call_overlapped}}, call_separate);
  };
  static auto& plain = make("cuda_allgather_ways");
  static auto& with_gate = make("cuda_allgather_gated_mlp_ways");
  return call.gated() ? with_gate : plain;
}

/// Throws InvalidArgument.
void check(const Call& call) {
  check_pitch(who, "the pitch of a_rows", call.a_pitch, call.shape.k);
  bool aligned = call.rows.empty() || is_aligned(call.a_rows);
  for (const GatheredProduct& product : call.products) {
    check_gemm_sizes(who, call.shape.m, product.n, call.shape.k);
    check_pitch(who, "the pitch of c", product.pitch, product.n);
    aligned = aligned && is_aligned(product.b) && is_aligned(product.c) &&
              (product.bias == nullptr || is_aligned(product.bias));
  }
  if (!aligned) {
    throw InvalidArgument(
        "AllGatherGemm: a_rows, b, c and bias must be multiples of 16 bytes, and all but bias not null");
  }
  for (const GatheredProduct& product : call.products) {
    if (product.gated && (call.products.size() > 1 || product.bias != nullptr)) {
      throw InvalidArgument("AllGatherGemm: a gated product has no bias and is the only one of its call");
    }
  }
  for (const GatheredProduct& product : call.products) {
    call.workspace->require_outside(who, product.b);
    call.workspace->require_outside(who, product.c);
  }
  if (call.rows.empty()) {
    return;
  }
  if (call.a_rows != call.place()) {
    call.workspace->require_outside(who, call.a_rows);
  } else if (call.a_pitch != call.shape.k) {
    throw InvalidArgument("AllGatherGemm: rows in input(m) are dense");
  }
}

}  // namespace

std::size_t AllGatherGemm::workspace_bytes(const AllGatherGemmShape& shape) {
  check_gemm_sizes(who, shape.m, shape.n, shape.k);
  return static_cast<std::size_t>(shape.m) * row_bytes(shape);
}

AllGatherGemm::AllGatherGemm(std::shared_ptr<PeerWorkspace> workspace, const AllGatherGemmShape& shape)
    : workspace_(std::move(workspace)), shape_(shape) {
  workspace_->parts().require_room(who, workspace_bytes(shape));
  if (workspace_->parts().nccl.problem().empty()) {
    const void* const aligned = gathered();
    cublaslt_plan(gemm_args(shape_, {aligned, const_cast<void*>(aligned), shape_.n}, aligned));
    load_gemm_remainder();
  }
}

Rows AllGatherGemm::own_rows(int m) const {
  return RowPartition(rows_of_call(who, m, shape_.m), workspace_->ranks()).shard(workspace_->rank());
}

void* AllGatherGemm::input(int m) const {
  return workspace_->parts().row_of(workspace_->rank(), own_rows(m).begin, shape_.k);
}

const void* AllGatherGemm::gathered() const noexcept {
  return workspace_->parts().matrices_of(workspace_->rank());
}

void AllGatherGemm::operator()(CUstream stream, const GatheredRows& rows, const GatheredProduct& product) {
  (*this)(stream, rows, std::span(&product, 1));
}

void AllGatherGemm::operator()(CUstream stream, const GatheredRows& rows,
                               std::span<const GatheredProduct> products) {
  std::array<GatheredProduct, GemmGatherParameters::most_products> all;
  if (products.empty() || products.size() > all.size()) {
    throw InvalidArgument("AllGatherGemm: a call has 1 to " + std::to_string(all.size()) + " products, not " +
                          std::to_string(products.size()));
  }
  std::transform(products.begin(), products.end(), all.begin(), [&](GatheredProduct product) {
    product.n = product.n == 0 ? shape_.n : product.n;
    return product;
  });
  AllGatherGemmShape shape = shape_;
  shape.m = rows_of_call(who, rows.m, shape_.m);
  const Call call{{&workspace_->parts(), std::span(all).first(products.size()), shape},
                  own_rows(rows.m),
                  rows.a_rows,
                  row_pitch(rows.pitch, shape.k)};
  check(call);
  workspace_->parts().require_sound();
  ways_of(call)(stream, &call);
}

}  // namespace contextual::kernels::cuda
