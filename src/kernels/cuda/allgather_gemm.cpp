#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gather_order.hpp"
#include "kernels/cuda/gathered_rows.hpp"
#include "kernels/cuda/gemm_gather.hpp"
#include "kernels/cuda/gemm_gather_copies.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_remainder.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/gemm_gather_parameters.hpp"
#include "kernels/cuda/peers/peer_spoil.hpp"
#include "kernels/cuda/peers/region_ways.hpp"

#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/fp8_gemm.hpp>
#include <contextual/kernels/cuda/gated_mlp.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* who = "AllGatherGemm";

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
  OwnRows rows;

  Key key() const { return shape.fp8 ? region_key(*this, name_of(*shape.fp8)) : region_key(*this); }
};

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

/// The same of fp8, with the scales of all ranks' rows where they have some.
void multiply_fp8(CUstream stream, const Call& call, const GatheredProduct& product, const void* gathered,
                  const float* a_scale) {
  const bool blocks = call.shape.fp8 == Fp8Scaling::block;
  Fp8Gemm& gemm = fp8_gemm(blocks ? Fp8Accumulation::blocks : Fp8Accumulation::fast);
  gemm(stream, {.a = gathered,
                .b = product.b,
                .c = product.c,
                .m = call.shape.m,
                .n = product.n,
                .k = call.shape.k,
                .a_scale = a_scale,
                .b_scale = product.b_scale,
                .scaling = *call.shape.fp8,
                .type = call.shape.type,
                .bias = product.bias,
                .activation = product.activation,
                .c_pitch = product.pitch});
}

/// Copies the scales of rows, by block of k, from one pitch to another.
void copy_scales(CUstream stream, const Call& call, float* to, int to_pitch, const float* from,
                 const Rows& rows) {
  const std::size_t bytes = static_cast<std::size_t>(rows.count()) * sizeof(float);
  CONTEXTUAL_KERNELS_CUDA(cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_pitch) * sizeof(float), from,
                                            bytes, bytes, static_cast<std::size_t>(scales_of_row(call.shape)),
                                            cudaMemcpyDeviceToDevice, stream));
}

/// Returns the scales of all ranks' rows, dense, or that of A.
const float* gather_scales(CUstream stream, const Call& call) {
  if (!call.scales_rows()) {
    return call.a_scale;
  }
  PeerWorkspace::Parts& workspace = *call.workspace;
  float* const gathered = call.scales_of(workspace.communicator->rank(), 0);
  const RowPartition partition(call.shape.m, workspace.communicator->size());
  const int of_row = scales_of_row(call.shape);
  workspace.nccl.all_gather(stream, call.a_scale, reinterpret_cast<std::byte*>(gathered), partition,
                            static_cast<std::size_t>(of_row) * sizeof(float));
  if (of_row == 1) {
    return gathered;
  }
  // Each shard has its blocks of k, but those of all rows belong together.
  float* const all = gathered + static_cast<std::ptrdiff_t>(call.shape.m) * of_row;
  for (int source = 0; source < partition.ranks(); ++source) {
    const Rows rows = partition.shard(source);
    if (!rows.empty()) {
      copy_scales(stream, call, all + rows.begin, call.shape.m,
                  gathered + static_cast<std::ptrdiff_t>(rows.begin) * of_row, rows);
    }
  }
  return all;
}

/// Copies own scales to where the other ranks find them.
void bring_scales(CUstream stream, const Call& call) {
  const int rank = call.workspace->communicator->rank();
  const Rows own = RowPartition(call.shape.m, call.workspace->communicator->size()).shard(rank);
  if (call.scales_rows() && !own.empty()) {
    copy_scales(stream, call, call.scales_of(rank, rank), call.scales_pitch(), call.a_scale, own);
  }
}

void call_separate(CUstream& stream, const Call*& call) {
  PeerWorkspace::Parts& workspace = *call->workspace;
  if (workspace.is_aborted_while_tuned()) {
    return;
  }
  call->rows.gather(stream);
  const float* const a_scale = call->shape.fp8 ? gather_scales(stream, *call) : nullptr;
  const std::byte* const gathered = workspace.matrices_of(workspace.communicator->rank());
  for (const GatheredProduct& product : call->products) {
    if (product.gated) {
      multiply_gated(stream, call->shape, product, gathered);
    } else if (call->shape.fp8) {
      multiply_fp8(stream, *call, product, gathered, a_scale);
    } else {
      separate_gemm(workspace, stream, gemm_args(call->shape, product, gathered));
      finish(stream, call->shape, product);
    }
    spoil_if_failed(workspace, stream,
                    {.output = product.c,
                     .rows = call->shape.m,
                     .n = product.n,
                     .pitch = row_pitch(product.pitch, product.n)});
  }
}

void call_overlapped(CUstream& stream, const Call*& call) {
  if (!call->workspace->memory.problem().empty()) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  call->rows.bring(stream);
  bring_scales(stream, *call);
  (call->gated()                          ? gated_gather()
   : call->shape.fp8 == Fp8Scaling::block ? fp8_blocks_gather()
   : call->shape.fp8                      ? fp8_gather()
                                          : gemm_gather())(stream, *call);
}

void call_copied(CUstream& stream, const Call*& call) {
  call->rows.bring(stream);
  gather_by_copies(stream, *call);
}

RegionWays<Call>& ways_of(const Call& call) {
  const auto make = [](const char* name,
                       const std::vector<std::string>& more_names = {}) -> RegionWays<Call>& {
    return make_region_ways<Call>(name, {{"overlapped", call_overlapped}}, call_separate, more_names);
  };
  static auto& plain =
      make_region_ways<Call>(allgather_ways_name,
                             {{"overlapped", call_overlapped},
                              {"copied", call_copied, [](const Call& its) { return may_be_copied(its); }}},
                             call_separate);
  static auto& with_gate = make(allgather_gated_ways_name);
  static auto& of_fp8 = make(allgather_fp8_ways_name, {"SCALING"});
  return call.gated() ? with_gate : call.shape.fp8 ? of_fp8 : plain;
}

/// Throws InvalidArgument.
void check_shape(const AllGatherGemmShape& shape) {
  check_gemm_sizes(who, shape.m, shape.n, shape.k);
  if (shape.fp8) {
    check_fp8_rows(who, shape.k, 0);
  }
}

/// Throws InvalidArgument.
void check(const Call& call) {
  call.rows.check(who);
  bool aligned = true;
  for (const GatheredProduct& product : call.products) {
    check_gemm_sizes(who, call.shape.m, product.n, call.shape.k);
    check_pitch(who, "the pitch of c", product.pitch, product.n);
    aligned = aligned && is_aligned(product.b) && is_aligned(product.c) &&
              (product.bias == nullptr || is_aligned(product.bias));
  }
  if (!aligned) {
    throw InvalidArgument("AllGatherGemm: b, c and bias must be multiples of 16 bytes, and b and c not null");
  }
  for (const GatheredProduct& product : call.products) {
    if (product.gated && (call.products.size() > 1 || product.bias != nullptr || call.shape.fp8)) {
      throw InvalidArgument(
          "AllGatherGemm: a gated product has no bias, is the only one of its call, and not of fp8");
    }
    if (call.shape.fp8 && product.b_scale == nullptr) {
      throw InvalidArgument("AllGatherGemm: scales of b must not be null");
    }
  }
  if (call.shape.fp8 && call.a_scale == nullptr && (!call.scales_rows() || !call.rows.empty())) {
    throw InvalidArgument("AllGatherGemm: scales of a must not be null");
  }
  for (const GatheredProduct& product : call.products) {
    call.workspace->require_outside(who, product.b);
    call.workspace->require_outside(who, product.c);
  }
}

}  // namespace

std::size_t AllGatherGemm::workspace_bytes(const AllGatherGemmShape& shape) {
  check_shape(shape);
  const auto rows = static_cast<std::size_t>(shape.m);
  std::size_t most_scales = rows + std::size_t{PeerControl::most_ranks} * GatherPieces::rows;
  if (shape.fp8 == Fp8Scaling::block) {  // "separate" has them also by shard
    most_scales = (most_scales + rows) * static_cast<std::size_t>(scales_of_row(shape));
  }
  return shape.fp8 ? scales_offset(shape) + most_scales * sizeof(float)
                   : static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(words_of_row(shape)) * 2;
}

AllGatherGemm::AllGatherGemm(std::shared_ptr<PeerWorkspace> workspace, const AllGatherGemmShape& shape)
    : workspace_(std::move(workspace)), shape_(shape) {
  workspace_->parts().require_room(who, workspace_bytes(shape));
  if (workspace_->parts().nccl.problem().empty()) {
    load_spoil();
    if (!shape_.fp8) {
      const void* const aligned = gathered();
      cublaslt_plan(gemm_args(shape_, {aligned, const_cast<void*>(aligned), shape_.n}, aligned));
      load_gemm_remainder();
    }
  }
}

Rows AllGatherGemm::own_rows(int m) const {
  return RowPartition(rows_of_call(who, m, shape_.m), workspace_->ranks()).shard(workspace_->rank());
}

void* AllGatherGemm::input(int m) const {
  return workspace_->parts().row_of(workspace_->rank(), own_rows(m).begin, words_of_row(shape_));
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
  if (shape.fp8) {
    check_fp8_rows(who, shape.k, rows.pitch);
  }
  GatheredRows words = rows;  // as copies see them
  words.pitch = shape.fp8 ? rows.pitch / 2 : rows.pitch;
  const Call call{{&workspace_->parts(), std::span(all).first(products.size()), shape, rows.scales},
                  OwnRows(workspace_->parts(), words, shape.m, words_of_row(shape))};
  check(call);
  workspace_->parts().begin_call(stream);
  ways_of(call)(stream, &call);
}

}  // namespace contextual::kernels::cuda
