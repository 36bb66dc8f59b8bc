#pragma once

/// \file
/// The feed-forward half of a transformer layer on the CPU, out of tunable kernels, and its reference in
/// double.

#include <string>
#include <vector>

namespace examples {

/// Sizes in elements.
struct FeedForwardShape {
  long tokens = 256;
  long width = 512;    ///< of the residual stream
  long hidden = 1024;  ///< of the activation
};

/// x += (silu(gate) * up) W_down with [gate, up] = rms_norm(x) W_up, on random weights of a fixed seed.
///
/// `run` adds to x: twice the same launch of the last GEMM adds twice. So no kernel of it can be run again
/// and again on its own to be tuned, but the whole can, if x is put back in between.
class FeedForward {
 public:
  /// Computes the reference: some tenths of a second. Shapes must be positive.
  explicit FeedForward(const FeedForwardShape& shape);

  /// Puts x back to the input.
  void reset();

  /// The region: five steps, four launches of tunable kernels. Returns the first element of x.
  float run();

  /// The largest |x - reference|, relative to the largest value of the reference; infinite if x has a NaN. To
  /// be called after one `run` since the last `reset`.
  double error() const;

  /// What `error` may be: float rounding of sums this long, far below the effect of any missing term.
  static constexpr double tolerance = 1e-5;

 private:
  void compute_reference();

  FeedForwardShape shape_;
  std::vector<float> input_;        ///< tokens x width
  std::vector<float> x_;            ///< tokens x width
  std::vector<float> norm_weight_;  ///< width
  std::vector<float> w_up_;         ///< width x 2 hidden: the gate's columns, then up's
  std::vector<float> w_down_;       ///< hidden x width
  std::vector<float> normed_;       ///< tokens x width
  std::vector<float> gate_up_;      ///< tokens x 2 hidden
  std::vector<float> activation_;   ///< tokens x hidden
  std::vector<double> reference_;   ///< tokens x width
};

}  // namespace examples
