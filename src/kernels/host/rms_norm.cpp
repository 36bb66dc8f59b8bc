#include "kernels/host/block_loop.hpp"
#include "kernels/host/simd.hpp"

#include <contextual/dispatch.hpp>
#include <contextual/error.hpp>
#include <contextual/kernels/host/rms_norm.hpp>

#include <cmath>

namespace contextual::kernels {

namespace {

using SumOfSquares = float (*)(const float*, long);
using Scale = void (*)(const float*, const float*, float, float*, long);

}  // namespace

void rms_norm_compute(const RmsNormConfig& config, const RmsNormArgs& args, Isa isa) {
  const SumOfSquares sum_of_squares = dispatch<1, 2, 4, 8>(config.unroll, [isa]<int U>() -> SumOfSquares {
    return simd::for_isa(isa, []<Isa I>() -> SumOfSquares { return &simd::sum_of_squares<I, U>; });
  });
  const Scale scale = simd::for_isa(isa, []<Isa I>() -> Scale { return &simd::scale_by_weight<I>; });
  if (config.rows_per_block < 1 || config.threads < 1) {
    throw ConfigRejected("host RMSNorm: rows_per_block and threads must be at least 1");
  }
  if (args.cols == 0) {
    return;
  }
  for_blocks(args.rows, config.rows_per_block, config.threads, [&](long begin, long end) {
    for (long row = begin; row < end; ++row) {
      const float* x = args.x + row * args.ldx;
      const float mean = sum_of_squares(x, args.cols) / static_cast<float>(args.cols);
      scale(x, args.weight, 1.0F / std::sqrt(mean + args.eps), args.out + row * args.ldout, args.cols);
    }
  });
}

}  // namespace contextual::kernels
