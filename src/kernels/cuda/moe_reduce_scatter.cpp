#include "kernels/cuda/expert_routing.hpp"
#include "kernels/cuda/expert_sum_scatter.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_remainder.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/nccl_sum.hpp"
#include "kernels/cuda/peers/peer_spoil.hpp"
#include "kernels/cuda/peers/region_ways.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/grouped_gemm.hpp>
#include <contextual/kernels/cuda/moe_reduce_scatter.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* who = "MoeReduceScatter";

/// One call of an object.
struct Call : MoeScatterArgs {
  Rows rows;  ///< own ones

  int columns() const { return shape.n; }
  Key key() const { return region_key(*this, shape.experts, shape.top_k); }
};

void multiply(CUstream stream, const Call& call) {
  grouped_gemm()(stream, {.routing = call.call.routing,
                          .a = call.call.a,
                          .weights = call.call.weights,
                          .c = products_of(call),
                          .n = call.shape.n,
                          .k = call.shape.k,
                          .type = call.shape.type,
                          .a_by_position = true});
}

void call_separate(CUstream& stream, const Call*& call) {
  PeerWorkspace::Parts& parts = *call->workspace;
  if (parts.is_aborted_while_tuned()) {
    return;
  }
  multiply(stream, *call);
  expert_sum()(stream, {.routing = call->call.routing,
                        .topk_weights = call->call.topk_weights,
                        .y = products_of(*call),
                        .out = parts.matrices_of(parts.communicator->rank()),
                        .n = call->shape.n,
                        .type = call->shape.type});
  add_by_nccl(stream, {&parts, sum_shape(call->shape), {.c_rows = call->call.c_rows}}, call->rows);
}

void call_overlapped(CUstream& stream, const Call*& call) {
  if (!call->workspace->memory.problem().empty()) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  multiply(stream, *call);
  expert_sum_scatter()(stream, *call);
}

RegionWays<Call>& ways() {
  static auto& choice = make_region_ways<Call>(
      moe_reduce_scatter_ways_name, {{"overlapped", call_overlapped}}, call_separate, {"EXPERTS", "TOP_K"});
  return choice;
}

/// Throws InvalidArgument.
void check_shape(const MoeReduceScatterShape& shape) {
  check_gemm_sizes(who, shape.m, shape.n, shape.k);
  check_expert_sizes(who, shape.m, shape.top_k, shape.experts);
}

/// Throws InvalidArgument.
void check(const Call& call) {
  const MoeReduceScatterCall& args = call.call;
  const MoeReduceScatterShape& shape = call.shape;
  check_routing(who, args.routing, shape.m, shape.top_k, shape.experts);
  if (args.topk_weights == nullptr || !is_aligned(args.a) || !is_aligned(args.weights) ||
      (!call.rows.empty() && !is_aligned(args.c_rows))) {
    throw InvalidArgument(
        "MoeReduceScatter: a, weights and c_rows must be multiples of 16 bytes, and they and topk_weights "
        "not "
        "null");
  }
  for (const void* const pointer : {static_cast<const void*>(args.topk_weights), args.a, args.weights,
                                    static_cast<const void*>(args.c_rows)}) {
    call.workspace->require_outside(who, pointer);
  }
}

}  // namespace

std::size_t MoeReduceScatter::workspace_bytes(const MoeReduceScatterShape& shape, int ranks) {
  check_shape(shape);
  return layout_of(shape, ranks).bytes();
}

MoeReduceScatter::MoeReduceScatter(std::shared_ptr<PeerWorkspace> workspace,
                                   const MoeReduceScatterShape& shape)
    : workspace_(std::move(workspace)), shape_(shape) {
  workspace_->parts().require_room(who, workspace_bytes(shape, workspace_->ranks()));
  if (workspace_->parts().nccl.problem().empty()) {
    load_gemm_remainder();
    load_spoil();
  }
}

Rows MoeReduceScatter::own_rows(int m) const {
  return RowPartition(rows_of_call(who, m, shape_.m), workspace_->ranks()).shard(workspace_->rank());
}

void MoeReduceScatter::operator()(CUstream stream, const MoeReduceScatterCall& call) {
  MoeReduceScatterShape shape = shape_;
  shape.m = rows_of_call(who, call.m, shape_.m);
  const Call one{{&workspace_->parts(), shape, call}, own_rows(call.m)};
  check(one);
  workspace_->parts().begin_call(stream);
  ways()(stream, &one);
}

}  // namespace contextual::kernels::cuda
