#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_remainder.hpp"
#include "kernels/cuda/gemm_scatter.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/gemm_split.hpp"
#include "kernels/cuda/nccl_sum.hpp"
#include "kernels/cuda/one_shot_sum.hpp"
#include "kernels/cuda/peers/peer_spoil.hpp"
#include "kernels/cuda/peers/region_ways.hpp"

#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* who = "GemmReduceScatter";

/// One call of an object.
struct Call : GemmScatterArgs {
  Rows rows;  ///< those that this rank gets

  int columns() const { return shape.n; }
  Key key() const { return region_key(*this); }
};

/// By cuBLASLt, into this rank's memory.
void multiply(CUstream stream, const Call& call) {
  const PeerWorkspace::Parts& parts = *call.workspace;
  separate_gemm(parts, stream,
                {.a = call.call.a,
                 .b = call.call.b,
                 .c = parts.matrices_of(parts.communicator->rank()),
                 .m = call.shape.m,
                 .n = call.shape.n,
                 .k = call.shape.k,
                 .type = call.shape.type,
                 .a_pitch = call.call.a_pitch});
}

void call_separate(CUstream& stream, const Call*& call) {
  if (call->workspace->is_aborted_while_tuned()) {
    return;
  }
  multiply(stream, *call);
  add_by_nccl(stream, *call, call->rows);
}

template <auto& kernel>
void call_own(CUstream& stream, const Call*& call) {
  if (!call->workspace->memory.problem().empty()) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  kernel()(stream, *call);
}

bool has_few_rows(const Call& call) {
  return most_splits(call.shape, call.workspace->communicator->size()) > 0;
}

void call_split(CUstream& stream, const Call*& call) {
  if (!has_few_rows(*call)) {  // as the default, before anything is tuned
    call_separate(stream, call);
    return;
  }
  call_own<gemm_split>(stream, call);
}

bool fits_one_shot(const Call& call) {
  return has_few_rows(call) && !call.workspace->options.equal_bits;
}

void call_one_shot(CUstream& stream, const Call*& call) {
  multiply(stream, *call);
  add_in_one_shot(stream, *call, call->rows);
}

RegionWays<Call>& reduce_scatter_ways() {
  static auto& choice = make_region_ways<Call>(reduce_scatter_ways_name,
                                               {{"overlapped", call_own<gemm_scatter>},
                                                {"split", call_split, has_few_rows},
                                                {"one_shot", call_one_shot, fits_one_shot}},
                                               call_separate);
  return choice;
}

RegionWays<Call>& all_reduce_ways() {
  static auto& choice = make_region_ways<Call>(
      all_reduce_ways_name, {{"split", call_split, has_few_rows}, {"one_shot", call_one_shot, fits_one_shot}},
      call_separate);
  return choice;
}

/// Throws InvalidArgument.
void check(const Call& call) {
  const GemmReduceScatterCall& args = call.call;
  check_pitch(who, "a_pitch", args.a_pitch, call.shape.k);
  check_pitch(who, "c_pitch", args.c_pitch, call.shape.n);
  check_pitch(who, "residual_pitch", args.residual_pitch, call.shape.n);
  const auto may_be = [](const void* pointer) { return pointer == nullptr || is_aligned(pointer); };
  if (!is_aligned(args.a) || !is_aligned(args.b) || (!call.rows.empty() && !is_aligned(args.c_rows)) ||
      !may_be(args.bias) || !may_be(args.residual)) {
    throw InvalidArgument(
        "GemmReduceScatter: a, b, c_rows, bias and residual must be multiples of 16 bytes, and a, b and "
        "c_rows not null");
  }
  if (args.residual != nullptr && args.residual == args.c_rows &&
      row_pitch(args.residual_pitch, call.shape.n) != row_pitch(args.c_pitch, call.shape.n)) {
    throw InvalidArgument(std::string(who) + ": a residual in C has C's pitch");
  }
  for (const void* const pointer :
       {args.a, args.b, args.bias, args.residual, static_cast<const void*>(args.c_rows)}) {
    call.workspace->require_outside(who, pointer);
  }
}

}  // namespace

std::size_t GemmReduceScatter::workspace_bytes(const GemmReduceScatterShape& shape, int ranks) {
  check_gemm_sizes(who, shape.m, shape.n, shape.k);
  return layout_of(shape, ranks).bytes();
}

GemmReduceScatter::GemmReduceScatter(std::shared_ptr<PeerWorkspace> workspace,
                                     const GemmReduceScatterShape& shape)
    : workspace_(std::move(workspace)), shape_(shape) {
  workspace_->parts().require_room(who, workspace_bytes(shape, workspace_->ranks()));
  if (shape.all_rows && most_splits(shape, workspace_->ranks()) == 0 &&
      !workspace_->parts().nccl.problem().empty()) {
    throw InvalidArgument(std::string(who) +
                          ": all ranks get so many rows only by NCCL: " + workspace_->parts().nccl.problem());
  }
  const PeerWorkspace::Parts& parts = workspace_->parts();
  const bool has_nccl = parts.nccl.problem().empty();
  const bool has_one_shot = parts.memory.problem().empty() && !parts.options.equal_bits;
  if (has_nccl || has_one_shot) {
    std::byte* const aligned = parts.matrices_of(workspace_->rank());
    cublaslt_plan({.a = aligned,
                   .b = aligned,
                   .c = aligned,
                   .m = shape.m,
                   .n = shape.n,
                   .k = shape.k,
                   .type = shape.type});
  }
  if (has_one_shot) {
    load_one_shot_sum();
  }
  if (has_nccl) {
    load_gemm_remainder();
    load_spoil();
  }
}

Rows GemmReduceScatter::own_rows(int m) const {
  const int rows = rows_of_call(who, m, shape_.m);
  return shape_.all_rows ? Rows{0, rows} : RowPartition(rows, workspace_->ranks()).shard(workspace_->rank());
}

void GemmReduceScatter::operator()(CUstream stream, const GemmReduceScatterCall& call) {
  GemmReduceScatterShape shape = shape_;
  shape.m = rows_of_call(who, call.m, shape_.m);
  const Call one{{&workspace_->parts(), shape, call}, own_rows(call.m)};
  check(one);
  workspace_->parts().begin_call(stream);
  (shape.all_rows ? all_reduce_ways() : reduce_scatter_ways())(stream, &one);
}

}  // namespace contextual::kernels::cuda
