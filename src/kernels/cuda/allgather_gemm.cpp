#include "kernels/cuda/allgather_transfer.hpp"
#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/peers/peer_kernels.hpp"
#include "kernels/cuda/peers/sm_budget.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr std::size_t value_bytes = 2;

std::size_t row_bytes(const AllGatherGemmShape& shape) {
  return static_cast<std::size_t>(shape.k) * value_bytes;
}

void check(const AllGatherGemmShape& shape) {
  const std::string sizes = "m = " + std::to_string(shape.m) + ", n = " + std::to_string(shape.n) +
                            ", k = " + std::to_string(shape.k);
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) {
    throw InvalidArgument("AllGatherGemm: m, n and k must be at least 1, not " + sizes);
  }
  if (shape.n % 8 != 0 || shape.k % 8 != 0) {
    throw InvalidArgument("AllGatherGemm: n and k must be multiples of 8, not " + sizes);
  }
}

/// The first product waits for rows that have not arrived; when it has ended, all have.
GemmArgs gemm_args(const AllGatherGemmShape& shape, const GatheredProduct& product, const void* gathered) {
  return {.a = gathered,
          .b = product.b,
          .c = product.c,
          .m = shape.m,
          .n = product.n,
          .k = shape.k,
          .type = shape.type};
}

void wait_for_rows(GemmArgs& args, const GatherCall& call, int first_row) {
  PeerControl& control = *call.workspace->control_of(call.workspace->communicator->rank());
  const RowPartition partition(call.m, call.workspace->communicator->size(), call.chunks);
  args.ready_flags = control.ready;
  args.ready_value = 1;
  args.rows_per_flag = partition.rows_per_chunk();
  args.rows_per_shard = partition.rows_per_shard();
  args.flags_per_shard = RowPartition::most_chunks;
  args.timed_out = &control.failed;
  args.wait_budget_ns = static_cast<unsigned long long>(call.workspace->options.wait_budget.count());
  args.first_row = first_row;
}

}  // namespace

std::size_t AllGatherGemm::workspace_bytes(const AllGatherGemmShape& shape) {
  check(shape);
  return static_cast<std::size_t>(shape.m) * row_bytes(shape);
}

AllGatherGemm::AllGatherGemm(std::shared_ptr<PeerWorkspace> workspace, const AllGatherGemmShape& shape)
    : workspace_(std::move(workspace)), shape_(shape) {
  const std::size_t needed = workspace_bytes(shape);
  if (needed > workspace_->bytes()) {
    throw InvalidArgument("AllGatherGemm: the workspace has " + std::to_string(workspace_->bytes()) +
                          " bytes, the shape needs " + std::to_string(needed));
  }
  if (!workspace_->problem().empty()) {
    throw InvalidArgument("AllGatherGemm: the ranks cannot use each other's memory: " +
                          workspace_->problem());
  }
  rows_ = RowPartition(shape.m, workspace_->ranks()).shard(workspace_->rank());
}

void* AllGatherGemm::input() const noexcept {
  return workspace_->parts().matrices_of(workspace_->rank()) +
         static_cast<std::size_t>(rows_.begin) * row_bytes(shape_);
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
  PeerWorkspace::Parts& parts = workspace_->parts();
  parts.require_sound();
  if (a_rows != input() && !rows_.empty()) {
    CONTEXTUAL_KERNELS_CUDA(cudaMemcpyAsync(input(), a_rows,
                                            static_cast<std::size_t>(rows_.count()) * row_bytes(shape_),
                                            cudaMemcpyDeviceToDevice, stream));
  }
  const PeerBegin begin = parts.begin();
  launch_peer_begin(stream, begin);
  GatherCall call{.workspace = &parts, .m = shape_.m, .row_bytes = row_bytes(shape_)};
  allgather_transfer()(stream, &call);
  bool waits = true;
  for (const GatheredProduct& product : products) {
    GemmArgs args = gemm_args(shape_, product, gathered());
    if (std::exchange(waits, false)) {
      wait_for_rows(args, call, rows_.empty() ? 0 : rows_.begin);
    }
    allgather_gemm()(stream, args);
  }
  parts.lanes.join(stream);
  for (const GatheredProduct& product : products) {
    launch_peer_end(stream, {.peers = begin,
                             .lanes = std::exchange(call.lanes_to_await, 0),
                             .output = product.c,
                             .count = static_cast<unsigned long long>(shape_.m) *
                                      static_cast<unsigned long long>(product.n)});
  }
}

Gemm& allgather_gemm() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = new Gemm(gathered_gemm_name, gemm_space(), gemm_key, gemm_definition());
  return *kernel;
}

}  // namespace contextual::kernels::cuda
