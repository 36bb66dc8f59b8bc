#include "kernels/cuda/allgather_transfer.hpp"
#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/peer_kernels.hpp"
#include "kernels/cuda/peers/region_ways.hpp"
#include "kernels/cuda/peers/sm_budget.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr std::size_t value_bytes = 2;

std::size_t row_bytes(const AllGatherGemmShape& shape) {
  return static_cast<std::size_t>(shape.k) * value_bytes;
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
  args.host_abort = call.workspace->host.abort();
  args.wait_budget_ns = static_cast<unsigned long long>(call.workspace->options.wait_budget.count());
  args.first_row = first_row;
  constexpr int sms_of_copies = 32;  // within one device it is no copy engine that copies
  args.least_free_sms = call.workspace->memory.devices_shared() ? sms_of_copies : 0;
}

/// One call of an object.
struct Call {
  PeerWorkspace::Parts& workspace;
  const AllGatherGemmShape& shape;
  Rows rows;           ///< own ones
  const void* a_rows;  ///< where they are
  std::span<const GatheredProduct> products;

  int columns() const {
    return std::accumulate(products.begin(), products.end(), 0,
                           [](int sum, const GatheredProduct& product) { return sum + product.n; });
  }
  std::byte* gathered() const { return workspace.matrices_of(workspace.communicator->rank()); }
  std::byte* input() const { return gathered() + static_cast<std::size_t>(rows.begin) * row_bytes(shape); }
};

void call_separate(CUstream& stream, const Call*& call) {
  if (call->workspace.has_failed()) {
    return;  // while it is tuned: the rest of a batch waits for nobody
  }
  const RowPartition partition(call->shape.m, call->workspace.communicator->size());
  call->workspace.nccl.all_gather(stream, call->a_rows, call->gathered(), partition, row_bytes(call->shape));
  for (const GatheredProduct& product : call->products) {
    separate_gemm(call->workspace, stream, gemm_args(call->shape, product, call->gathered()));
  }
}

/// All outputs are NaN if the call has failed.
void end(CUstream stream, const Call& call, const PeerBegin& begin, int lanes_to_await) {
  for (const GatheredProduct& product : call.products) {
    launch_peer_end(stream, {.peers = begin,
                             .lanes = std::exchange(lanes_to_await, 0),
                             .output = product.c,
                             .count = static_cast<unsigned long long>(call.shape.m) *
                                      static_cast<unsigned long long>(product.n)});
  }
}

void call_overlapped(CUstream& stream, const Call*& call) {
  PeerWorkspace::Parts& parts = call->workspace;
  if (!parts.memory.problem().empty()) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  if (call->a_rows != call->input() && !call->rows.empty()) {
    CONTEXTUAL_KERNELS_CUDA(cudaMemcpyAsync(
        call->input(), call->a_rows, static_cast<std::size_t>(call->rows.count()) * row_bytes(call->shape),
        cudaMemcpyDeviceToDevice, stream));
  }
  const PeerBegin begin = parts.begin();
  launch_peer_begin(stream, begin);
  GatherCall gather{.workspace = &parts, .m = call->shape.m, .row_bytes = row_bytes(call->shape)};
  allgather_transfer()(stream, &gather);
  bool waits = true;
  for (const GatheredProduct& product : call->products) {
    GemmArgs args = gemm_args(call->shape, product, call->gathered());
    if (std::exchange(waits, false)) {
      wait_for_rows(args, gather, call->rows.empty() ? 0 : call->rows.begin);
    }
    allgather_gemm()(stream, args);
  }
  parts.lanes.join(stream);
  end(stream, *call, begin, gather.lanes_to_await);
}

RegionWays<Call>& ways() {
  static auto& choice = make_region_ways<Call>("cuda_allgather_ways", call_overlapped, call_separate);
  return choice;
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
  workspace_->parts().require_sound();
  const Call call{workspace_->parts(), shape_, rows_, a_rows, products};
  ways()(stream, &call);
}

Gemm& allgather_gemm() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = new Gemm(
      gathered_gemm_name,
      gemm_space({0, -8, -16, -32})
          .refine({"NUM_SMS", &GemmConfig::num_sms, {-2, -4, -6, -10, -12, -14, -20, -24, -28, -40, -48}}),
      gemm_key, gemm_definition());
  return *kernel;
}

}  // namespace contextual::kernels::cuda
