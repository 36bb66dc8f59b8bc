#include "common/feed_forward.hpp"

#include "common/reference.hpp"

#include <contextual/kernels/host/kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace examples {

namespace {

namespace kernels = contextual::kernels;

constexpr float eps = 1e-6F;

}  // namespace

FeedForward::FeedForward(const FeedForwardShape& shape)
    : shape_(shape),
      input_(random_values(shape.tokens * shape.width, 1, 1.0F)),
      x_(input_),
      norm_weight_(random_values(shape.width, 2, 0.1F, 1.0F)),
      w_up_(random_values(shape.width * 2 * shape.hidden, 3,
                          1.0F / std::sqrt(static_cast<float>(shape.width)))),
      w_down_(
          random_values(shape.hidden * shape.width, 4, 1.0F / std::sqrt(static_cast<float>(shape.hidden)))),
      normed_(input_.size()),
      gate_up_(static_cast<std::size_t>(shape.tokens * 2 * shape.hidden)),
      activation_(static_cast<std::size_t>(shape.tokens * shape.hidden)) {
  compute_reference();
}

void FeedForward::reset() {
  std::copy(input_.begin(), input_.end(), x_.begin());
}

float FeedForward::run() {
  const auto [tokens, width, hidden] = shape_;
  kernels::rms_norm()({x_.data(), norm_weight_.data(), normed_.data(), tokens, width, width, width, eps});
  kernels::gemm()({normed_.data(), w_up_.data(), gate_up_.data(), tokens, 2 * hidden, width, width,
                   2 * hidden, 2 * hidden, false});
  kernels::gated_activation()({gate_up_.data(), gate_up_.data() + hidden, activation_.data(), tokens, hidden,
                               2 * hidden, 2 * hidden, hidden});
  // The residual connection: accumulates into x, in place.
  kernels::gemm()(
      {activation_.data(), w_down_.data(), x_.data(), tokens, width, hidden, hidden, width, width, true});
  return x_.front();
}

double FeedForward::error() const {
  return relative_error(x_, reference_);
}

void FeedForward::compute_reference() {
  const auto width = static_cast<std::size_t>(shape_.width);
  const auto hidden = static_cast<std::size_t>(shape_.hidden);
  const auto tokens = static_cast<std::size_t>(shape_.tokens);
  std::vector<double> normed(input_.size());
  for (std::size_t i = 0; i < tokens; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < width; ++j) {
      squares += std::pow(static_cast<double>(input_[i * width + j]), 2);
    }
    const double scale = 1.0 / std::sqrt(squares / static_cast<double>(width) + static_cast<double>(eps));
    for (std::size_t j = 0; j < width; ++j) {
      normed[i * width + j] =
          static_cast<double>(input_[i * width + j]) * scale * static_cast<double>(norm_weight_[j]);
    }
  }
  std::vector<double> gate_up(tokens * 2 * hidden);
  multiply_add(normed, w_up_, gate_up, 2 * shape_.hidden);
  std::vector<double> activation(tokens * hidden);
  for (std::size_t i = 0; i < tokens; ++i) {
    for (std::size_t j = 0; j < hidden; ++j) {
      const double gate = gate_up[i * 2 * hidden + j];
      activation[i * hidden + j] = gate / (1.0 + std::exp(-gate)) * gate_up[i * 2 * hidden + hidden + j];
    }
  }
  reference_.assign(input_.begin(), input_.end());
  multiply_add(activation, w_down_, reference_, shape_.width);
}

}  // namespace examples
