#pragma once

/// \file
/// One row of a DecoderBlock in double.

#include "common/decoder_block.hpp"

#include <cstdint>
#include <vector>

namespace examples {

using Bf16Values = std::vector<std::uint16_t>;

/// Row-major. Norms' weights are vectors, the others [outputs, inputs].
struct DecoderWeights {
  Bf16Values norm;       ///< [hidden], of both micro-batches
  Bf16Values norm_head;  ///< [head_dim], of q and k
  Bf16Values qkv;        ///< [(heads + 2 kv_heads) head_dim, hidden]
  Bf16Values output;     ///< [hidden, heads head_dim]
  Bf16Values gate_up;    ///< [2 feed_forward, hidden]
  Bf16Values down;       ///< [hidden, feed_forward]
};

struct DecoderRow {
  std::vector<double> q;  ///< normalised and rotated
  std::vector<double> k;
  std::vector<double> v;
  std::vector<double> output;
  std::vector<double> activation;
  std::vector<double> down;
};

/// `x0` and `x1`: the token's row of each micro-batch.
DecoderRow decoder_row(const DecoderShape& shape, const DecoderWeights& weights, const std::uint16_t* x0,
                       const std::uint16_t* x1, int position);

inline constexpr double decoder_eps = 1e-5;
inline constexpr double decoder_theta = 500000.0;

}  // namespace examples
