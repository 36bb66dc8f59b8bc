#pragma once

/// \file
/// CheckedLayer: one of the library's regions across GPUs with operands and a reference, for programs that
/// tune it.

#include "common/device_matrices.hpp"
#include "common/device_stream.hpp"
#include "common/summed_parts.hpp"

#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace examples {

/// C[m, n] = A[m, k] * B[n, k]^T in bf16, as a rank multiplies.
struct LayerSizes {
  int m = 0;
  int n = 0;
  int k = 0;
};

/// One rank's part of a layer, on a stream of its own, with two sets of inputs in turn, so that no result of
/// an earlier run looks right. Every element of the result is checked against float sums. One thread at a
/// time uses it.
class CheckedLayer {
 public:
  CheckedLayer(const CheckedLayer&) = delete;
  CheckedLayer& operator=(const CheckedLayer&) = delete;
  /// Waits for the stream. Collective, as the workspace's.
  virtual ~CheckedLayer() = default;

  /// The region. Does not wait.
  virtual void run() = 0;
  /// Returns the whole product of this rank, for after a run, when all rows are there. C is null where the
  /// region has no place for it.
  virtual contextual::kernels::cuda::GemmArgs product() const = 0;

  /// Fills the output with NaN, puts the next set of inputs where `run` reads it, and waits.
  void prepare();
  /// Waits, and returns the largest error of the last run's result over what roundings allow, see
  /// SummedParts: up to 1 it is right.
  double error();

  const LayerSizes& sizes() const noexcept { return sizes_; }
  contextual::kernels::Rows own_rows() const noexcept { return rows_; }
  contextual::kernels::cuda::PeerWorkspace& workspace() const noexcept { return *workspace_; }
  const DeviceStream& stream() const noexcept { return stream_; }

 protected:
  static constexpr std::size_t sets = 2;
  /// Which matrix a rank has only its own rows of.
  enum class Spread { input, output };

  /// Derived classes fill `inputs_`, set `input_`, add the parts of `expected_`, and call `prepare`.
  CheckedLayer(std::shared_ptr<contextual::kernels::cuda::PeerWorkspace> workspace, const LayerSizes& sizes,
               Spread spread);

  RandomMatrix weights_of(int rank) const;

  std::shared_ptr<contextual::kernels::cuda::PeerWorkspace> workspace_;
  LayerSizes sizes_;
  contextual::kernels::Rows rows_;  ///< of this rank
  int input_rows_;
  int output_rows_;
  std::vector<std::unique_ptr<DeviceBytes>> inputs_;    ///< by set
  std::vector<std::unique_ptr<SummedParts>> expected_;  ///< by set
  void* input_ = nullptr;                               ///< where `run` reads
  DeviceBytes weights_;
  DeviceBytes output_;
  std::size_t set_ = 0;
  DeviceStream stream_;
};

/// Its elements are as small as the bound of SummedParts wants them.
RandomMatrix layer_matrix(int number);

}  // namespace examples
