#pragma once

/// \file
/// The dense parts of an LLaMA decoder block on two streams of a GPU, out of tunable kernels, and their
/// reference.

#include <contextual/output.hpp>

#include <memory>
#include <vector>

namespace examples {

/// Sizes in elements; LLaMA-3.1-8B's unless said otherwise. All multiples of 8.
struct DecoderShape {
  int tokens = 4096;  ///< of a micro-batch
  int hidden = 4096;
  int heads = 32;
  int kv_heads = 8;
  int head_dim = 128;
  int feed_forward = 14336;
};

/// Two micro-batches in a pipeline, in bf16 on random weights of a fixed seed:
///
///     stream A   q, k, v = rms_norm(x0) W_qkv^T; q, k = rotary(rms_norm(q)), rotary(rms_norm(k)); o = q
///     W_o^T stream B   gate, up = rms_norm(x1) W_gate_up^T; down = (silu(gate) * up) W_down^T
///
/// B begins when A does, and A ends when B has. It is not the whole block: there is no attention between q,
/// k, v and o, which takes q in its place, and no residual is added. The norm of each head of q and k is Qwen
/// 3's; LLaMA only rotates.
class DecoderBlock {
 public:
  /// Makes weights and the reference of some rows, in double, values rounded to bf16 where the block stores
  /// them: some seconds. Throws std::runtime_error when CUDA fails.
  explicit DecoderBlock(const DecoderShape& shape);
  DecoderBlock(const DecoderBlock&) = delete;
  DecoderBlock& operator=(const DecoderBlock&) = delete;
  ~DecoderBlock();

  /// What leaves the block: q, k, o and down, 109 MB of LLaMA-3.1-8B's.
  std::vector<contextual::Output> outputs() const;
  /// Sets everything that `run` writes to NaN, and waits for it.
  void poison();
  /// The region: launches of nine tunable kernels and the events between them. Returns before they have run.
  void run();
  /// Until stream A is done.
  void wait();
  /// ||result - reference|| / ||reference|| of the worst row of those with a reference, of q, k, v, o, the
  /// activation and down; infinite with a NaN. Waits.
  double error();

  /// What `error` may be. Rounding to bf16 gives 0.0017; a sum that lacks a part of 64 of its 14336 terms
  /// 0.07.
  static constexpr double tolerance = 0.005;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace examples
