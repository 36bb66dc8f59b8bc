#include "kernels/host/block_loop.hpp"
#include "kernels/host/simd.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/host/gated_activation.hpp>

#include <algorithm>
#include <cmath>

namespace contextual::kernels {

namespace {

using Activation = void (*)(const float*, const float*, float*, long);

void gated_silu_precise(const float* gate, const float* up, float* out, long count) {
  for (long i = 0; i < count; ++i) {
    out[i] = gate[i] / (1.0F + std::exp(-gate[i])) * up[i];
  }
}

Activation activation(bool fast_exp, Isa isa) {
  return fast_exp ? simd::for_isa(isa, []<Isa I>() -> Activation { return &simd::gated_silu<I>; })
                  : &gated_silu_precise;
}

}  // namespace

void gated_activation_compute(const GatedActivationConfig& config, const GatedActivationArgs& args, Isa isa) {
  if (config.block < 1 || config.threads < 1) {
    throw ConfigRejected("host gated activation: block and threads must be at least 1");
  }
  if (args.cols == 0) {
    return;
  }
  const Activation compute = activation(config.fast_exp, isa);
  // Blocks of the elements counted row by row; each is computed row piece by row piece.
  for_blocks(args.rows * args.cols, config.block, config.threads, [&](long begin, long end) {
    while (begin < end) {
      const long row = begin / args.cols;
      const long col = begin % args.cols;
      const long count = std::min(end - begin, args.cols - col);
      compute(args.gate + row * args.ldgate + col, args.up + row * args.ldup + col,
              args.out + row * args.ldout + col, count);
      begin += count;
    }
  });
}

}  // namespace contextual::kernels
