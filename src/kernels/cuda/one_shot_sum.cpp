#include "kernels/cuda/one_shot_sum.hpp"

#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/one_shot_sum_parameters.hpp"
#include "kernels/cuda/peers/peer_source.hpp"
#include "kernels/cuda/untuned_kernel.hpp"

#include <algorithm>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/one_shot_sum.cu.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/one_shot_sum_parameters.hpp.inc"
    ;
constexpr const char* ptx_header =
#include "embedded/hopper_ptx.cuh.inc"
    ;

constexpr int threads = 256;

/// A thread reads one vector at a time.
int blocks(const OneShotSumParameters& parameters) {
  constexpr int most_blocks = 1056;  // of which 396 fit at a time on an H200
  constexpr int width = 8;
  return std::clamp(divide_up(parameters.rows * (parameters.epilogue.n / width), threads), 1, most_blocks);
}

UntunedKernel<OneShotSumParameters>& kernel() {
  static auto* const kernel = new UntunedKernel<OneShotSumParameters>(
      "one_shot_sum",
      with_peer_headers(with_epilogue_headers(CudaSource::text("one_shot_sum.cu", source)))
          .header("hopper_ptx.cuh", ptx_header)
          .header("one_shot_sum_parameters.hpp", parameters_header),
      threads, blocks, most_carveout);
  return *kernel;
}

}  // namespace

void add_in_one_shot(CUstream stream, const GemmScatterArgs& args, const Rows& rows) {
  const PeerWorkspace::Parts& workspace = *args.workspace;
  const GemmReduceScatterShape& shape = args.shape;
  const GemmReduceScatterCall& call = args.call;
  OneShotSumParameters parameters{.peers = workspace.begin(),
                                  .from = {},
                                  .rows = rows.count(),
                                  .fp16 = shape.type == GemmType::fp16,
                                  .epilogue = {call.bias, call.activation, shape.n},
                                  .residual = call.residual,
                                  .residual_pitch = row_pitch(call.residual_pitch, shape.n),
                                  .output = call.c_rows,
                                  .pitch = row_pitch(call.c_pitch, shape.n)};
  for (int rank = 0; rank < parameters.peers.ranks; ++rank) {
    parameters.from[rank] = workspace.row_of(rank, rows.begin, shape.n);
  }
  kernel().launch(stream, parameters);
}

void load_one_shot_sum() {
  kernel().load();
}

}  // namespace contextual::kernels::cuda
