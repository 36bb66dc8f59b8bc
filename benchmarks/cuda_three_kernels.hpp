#pragma once

/// \file
/// A region of three kernels with 32, 12 and 12 configs, some 0.3 ms long, one after the other on one stream:
/// a bf16 matrix product, a gated activation of it, the norm of each of its rows.

#include "cuda_common.hpp"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace contextual::benchmarks {

struct MatmulConfig {
  int block_m = 128, block_n = 128, block_k = 32, stages = 3;
};
struct GateConfig {
  int block = 256, per_thread = 1;
};
struct RowNormConfig {
  int block = 256, loads = 1;
};

using Bits = unsigned short;  ///< of a bf16

/// c, a, b, M, N, K: c = a b^T.
using Matmul = CudaKernel<MatmulConfig, Bits*, const Bits*, const Bits*, int, int, int>;
/// gated, c, scale, elements: gated = silu(c) scale.
using Gate = CudaKernel<GateConfig, float*, const Bits*, const float*, long long>;
/// norms, rows, row count, columns: one over the root of the mean of a row's squares.
using RowNorm = CudaKernel<RowNormConfig, float*, const float*, int, int>;

ConfigSpace<MatmulConfig> matmul_space();     ///< 32 configs
ConfigSpace<GateConfig> gate_space();         ///< 12
ConfigSpace<RowNormConfig> row_norm_space();  ///< 12

std::unique_ptr<Matmul> make_matmul(const std::string& name, ConfigSpace<MatmulConfig> space);
std::unique_ptr<Gate> make_gate(const std::string& name, ConfigSpace<GateConfig> space);
std::unique_ptr<RowNorm> make_row_norm(const std::string& name, ConfigSpace<RowNormConfig> space);

/// What the three kernels read and write.
class ThreeBuffers {
 public:
  static constexpr int m = 4096;
  static constexpr int n = 4096;
  static constexpr int k = 2048;

  ThreeBuffers();

  void launch(Matmul& matmul, cudaStream_t stream) const;
  void launch(Gate& gate, cudaStream_t stream) const;
  void launch(RowNorm& row_norm, cudaStream_t stream) const;
  /// The largest relative error of some rows of c (by its size), of `gated` against c, and of their norms
  /// against `gated`; bf16 rounds by 0.004. All work must be done.
  double error() const;
  /// NaN everywhere, so that what is not written is seen.
  void poison() const;

 private:
  std::vector<float> a_values_;
  std::vector<float> b_values_;
  Buffer<Bits> a_;
  Buffer<Bits> b_;
  Buffer<float> scale_;
  Buffer<Bits> c_;
  Buffer<float> gated_;
  Buffer<float> norms_;
};

/// The tunable kernels; `prefix` makes their names unique.
struct ThreeKernels {
  explicit ThreeKernels(const std::string& prefix = "");
  void launch(const ThreeBuffers& buffers, cudaStream_t stream) const {
    buffers.launch(*matmul, stream);
    buffers.launch(*gate, stream);
    buffers.launch(*row_norm, stream);
  }

  std::unique_ptr<Matmul> matmul;
  std::unique_ptr<Gate> gate;
  std::unique_ptr<RowNorm> row_norm;
};

/// Config ids of matmul, gate and row norm.
using ThreeChoices = std::array<std::size_t, 3>;

/// Every config as a kernel that has no other, so that any set can be launched without a tuner.
class FixedKernels {
 public:
  /// Compiles and loads all of them.
  FixedKernels();
  void launch(const ThreeChoices& choices, const ThreeBuffers& buffers, cudaStream_t stream) const;
  /// The same, with `before` and `after` around each launch, given the kernel's number.
  void launch(const ThreeChoices& choices, const ThreeBuffers& buffers, cudaStream_t stream,
              const std::function<void(std::size_t)>& before,
              const std::function<void(std::size_t)>& after) const;
  ThreeChoices counts() const { return {matmul_.size(), gate_.size(), row_norm_.size()}; }

 private:
  std::vector<std::unique_ptr<Matmul>> matmul_;
  std::vector<std::unique_ptr<Gate>> gate_;
  std::vector<std::unique_ptr<RowNorm>> row_norm_;
};

/// For each set the region's times in us, untimed by a tuner: an event before and one behind each run, all
/// sets in every round, in an order that is drawn anew. The first round is not counted.
std::vector<std::vector<double>> interleaved_times(const FixedKernels& kernels, const ThreeBuffers& buffers,
                                                   const std::vector<ThreeChoices>& sets, int rounds);

/// For each set and kernel its own times in us, by CUPTI, beside the set's other configs: sets in turn as
/// above.
using OwnTimes = std::array<std::vector<double>, 3>;
std::vector<OwnTimes> interleaved_own_times(const FixedKernels& kernels, const ThreeBuffers& buffers,
                                            const std::vector<ThreeChoices>& sets, int rounds);

}  // namespace contextual::benchmarks
