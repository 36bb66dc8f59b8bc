#include "kernels/cuda/expert_routing.hpp"
#include "kernels/cuda/gathered_rows.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/moe_gather.hpp"
#include "kernels/cuda/peers/peer_spoil.hpp"
#include "kernels/cuda/peers/region_ways.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/allgather_moe.hpp>
#include <contextual/kernels/cuda/grouped_gemm.hpp>

#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* who = "AllGatherMoe";

/// One call of an object.
struct Call : MoeGatherArgs {
  OwnRows rows;

  int columns() const { return shape.n; }
  Key key() const { return region_key(*this, shape.experts, shape.top_k); }
};

void call_separate(CUstream& stream, const Call*& call) {
  if (call->workspace->is_aborted_while_tuned()) {
    return;
  }
  call->rows.gather(stream);
  (call->product.gated ? grouped_gated_mlp() : grouped_gemm())(stream, grouped_args(*call));
  spoil_if_failed(*call->workspace, stream,
                  {.output = call->product.c,
                   .rows_on_device = call->product.routing->offsets() + call->shape.experts,
                   .n = call->shape.n,
                   .pitch = call->shape.n});
}

void call_overlapped(CUstream& stream, const Call*& call) {
  if (!call->workspace->memory.problem().empty()) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  call->rows.bring(stream);
  (call->product.gated ? gated_moe_gather() : moe_gather())(stream, *call);
}

RegionWays<Call>& ways_of(const Call& call) {
  const auto make = [](const char* name) -> RegionWays<Call>& {
    return make_region_ways<Call>(name, {{"overlapped", call_overlapped}}, call_separate,
                                  {"EXPERTS", "TOP_K"});
  };
  static auto& plain = make(allgather_moe_ways_name);
  static auto& with_gate = make(allgather_gated_moe_ways_name);
  return call.product.gated ? with_gate : plain;
}

/// Throws InvalidArgument.
void check(const Call& call) {
  const ExpertProduct& product = call.product;
  call.rows.check(who);
  if (!is_aligned(product.weights) || !is_aligned(product.c)) {
    throw InvalidArgument(std::string(who) + ": weights and c must be multiples of 16 bytes and not null");
  }
  call.workspace->require_outside(who, product.weights);
  call.workspace->require_outside(who, product.c);
  check_routing(who, product.routing, call.shape.m, call.shape.top_k, call.shape.experts);
  check_routing_ranks(who, product.routing->ranks(), *call.workspace->communicator);
}

}  // namespace

std::size_t AllGatherMoe::workspace_bytes(const AllGatherMoeShape& shape) {
  check_gemm_sizes(who, shape.m, shape.n, shape.k);
  check_expert_sizes(who, shape.m, shape.top_k, shape.experts);
  // Own rows that wait in `input` are still there when their experts have been gathered.
  return AllGatherGemm::workspace_bytes({shape.m, shape.n, shape.k, shape.type}) +
         ExpertRouting::workspace_bytes(shape.m, shape.top_k);
}

AllGatherMoe::AllGatherMoe(std::shared_ptr<PeerWorkspace> workspace, const AllGatherMoeShape& shape)
    : workspace_(std::move(workspace)), shape_(shape) {
  workspace_->parts().require_room(who, workspace_bytes(shape));
  if (workspace_->parts().nccl.problem().empty()) {
    load_spoil();
  }
}

Rows AllGatherMoe::own_rows(int m) const {
  return RowPartition(rows_of_call(who, m, shape_.m), workspace_->ranks()).shard(workspace_->rank());
}

void* AllGatherMoe::input(int m) const {
  return workspace_->parts().row_of(workspace_->rank(), own_rows(m).begin, shape_.k);
}

const void* AllGatherMoe::gathered() const noexcept {
  return workspace_->parts().matrices_of(workspace_->rank());
}

void AllGatherMoe::operator()(CUstream stream, const GatheredRows& rows, const ExpertProduct& product) {
  AllGatherMoeShape shape = shape_;
  shape.m = rows_of_call(who, rows.m, shape_.m);
  const Call call{{&workspace_->parts(), shape, product},
                  OwnRows(workspace_->parts(), rows, shape.m, shape.k)};
  check(call);
  workspace_->parts().begin_call(stream);
  ways_of(call)(stream, &call);
}

}  // namespace contextual::kernels::cuda
