#include "common/decoder_block_reference.hpp"

#include <contextual/kernels/cuda/half_bits.hpp>

#include <cmath>
#include <cstddef>

namespace examples {

namespace {

using contextual::kernels::cuda::from_bf16;
using contextual::kernels::cuda::to_bf16;

/// As they are stored between two kernels.
std::vector<float> stored(const std::vector<double>& values) {
  std::vector<float> result;
  result.reserve(values.size());
  for (const double value : values) {
    result.push_back(from_bf16(to_bf16(static_cast<float>(value))));
  }
  return result;
}

std::vector<float> loaded(const std::uint16_t* bits, int count) {
  std::vector<float> result;
  for (int i = 0; i < count; ++i) {
    result.push_back(from_bf16(bits[i]));
  }
  return result;
}

std::vector<double> rms_norm(const float* x, const Bf16Values& weight) {
  double sum = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  const double scale = 1.0 / std::sqrt(sum / static_cast<double>(weight.size()) + decoder_eps);
  std::vector<double> result(weight.size());
  for (std::size_t i = 0; i < weight.size(); ++i) {
    result[i] = static_cast<double>(x[i]) * scale * static_cast<double>(from_bf16(weight[i]));
  }
  return result;
}

/// x W^T, by 8 sums side by side.
std::vector<double> product(const std::vector<float>& x, const Bf16Values& weight) {
  constexpr std::size_t lanes = 8;
  std::vector<double> result(weight.size() / x.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    const std::uint16_t* w = &weight[row * x.size()];
    double sums[lanes] = {};
    for (std::size_t i = 0; i < x.size(); i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        sums[lane] += static_cast<double>(x[i + lane] * from_bf16(w[i + lane]));  // of 8 bits each: exact
      }
    }
    for (const double sum : sums) {
      result[row] += sum;
    }
  }
  return result;
}

/// Appends the head, normalised and rotated.
void append_head(std::vector<double>& heads, const float* x, const Bf16Values& weight, int position) {
  const std::vector<double> normed = rms_norm(x, weight);
  const std::size_t half = normed.size() / 2;
  for (std::size_t i = 0; i < normed.size(); ++i) {
    const double exponent = static_cast<double>(i % half) / static_cast<double>(half);
    const double angle = position * std::pow(decoder_theta, -exponent);
    heads.push_back(i < half ? normed[i] * std::cos(angle) - normed[i + half] * std::sin(angle)
                             : normed[i] * std::cos(angle) + normed[i - half] * std::sin(angle));
  }
}

}  // namespace

DecoderRow decoder_row(const DecoderShape& shape, const DecoderWeights& weights, const std::uint16_t* x0,
                       const std::uint16_t* x1, int position) {
  DecoderRow row;
  const std::vector<float> qkv =
      stored(product(stored(rms_norm(loaded(x0, shape.hidden).data(), weights.norm)), weights.qkv));
  for (int head = 0; head < shape.heads + shape.kv_heads; ++head) {
    append_head(head < shape.heads ? row.q : row.k, &qkv[static_cast<std::size_t>(head * shape.head_dim)],
                weights.norm_head, position);
  }
  row.v.assign(qkv.end() - shape.kv_heads * shape.head_dim, qkv.end());
  row.output = product(stored(row.q), weights.output);

  const std::vector<float> gate_up =
      stored(product(stored(rms_norm(loaded(x1, shape.hidden).data(), weights.norm)), weights.gate_up));
  for (int i = 0; i < shape.feed_forward; ++i) {
    const double gate = static_cast<double>(gate_up[static_cast<std::size_t>(i)]);
    const double up = static_cast<double>(gate_up[static_cast<std::size_t>(i + shape.feed_forward)]);
    row.activation.push_back(gate / (1.0 + std::exp(-gate)) * up);
  }
  row.down = product(stored(row.activation), weights.down);
  return row;
}

}  // namespace examples
