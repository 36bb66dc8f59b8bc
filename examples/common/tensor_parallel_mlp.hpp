#pragma once

/// \file
/// The feed-forward part of a LLaMA layer, spread over the GPUs of a node.
///
///     down(silu(x gate^T) * (x up^T))
///
/// Rank r has some rows of x, its part of the columns of gate and up, and its part of the inner dimension of
/// down. So the rows are gathered while the first product is computed, and the second product is summed over
/// the ranks while it is computed; each rank ends with its own rows of the result. M. Shoeybi et al.,
/// arXiv:1909.08053, with V. Korthikanti et al., arXiv:2205.05198 for rows that stay spread between the
/// layers.

#include "common/device_matrices.hpp"
#include "common/device_stream.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

namespace examples {

/// Of all ranks together.
struct MlpShape {
  int tokens = 2048;
  int hidden = 4096;
  int inner = 14336;  ///< a multiple of 8 times the number of ranks
};

/// One rank's part, in bf16, on a stream of its own. Collective, as the workspace is.
class TensorParallelMlp {
 public:
  /// What the roundings to bf16 on the way allow, relative to the largest element of the checked rows.
  static constexpr double tolerance = 3e-2;

  TensorParallelMlp(const std::shared_ptr<contextual::Communicator>& communicator, const MlpShape& shape);
  TensorParallelMlp(const TensorParallelMlp&) = delete;
  TensorParallelMlp& operator=(const TensorParallelMlp&) = delete;

  /// Fills the output with NaN, and waits.
  void poison();
  /// The region. Does not wait.
  void run();
  void wait() const { stream_.wait(); }
  /// Waits, and returns the largest relative error of some elements of a few of this rank's rows; infinity if
  /// one is NaN.
  double error() const;

  cudaStream_t stream() const noexcept { return stream_.get(); }
  const contextual::kernels::cuda::PeerWorkspace& workspace() const noexcept { return *workspace_; }

 private:
  struct Sample {
    int row = 0;
    int column = 0;
    double expected = 0;
  };

  void add_samples(int row);

  MlpShape shape_;
  int ranks_;
  contextual::kernels::cuda::AllGatherGemmShape up_shape_;
  contextual::kernels::cuda::GemmReduceScatterShape down_shape_;
  std::shared_ptr<contextual::kernels::cuda::PeerWorkspace> workspace_;
  contextual::kernels::cuda::AllGatherGemm gate_up_;
  contextual::kernels::cuda::GemmReduceScatter down_;
  contextual::kernels::Rows rows_;
  DeviceBytes input_;
  DeviceBytes gate_up_weights_;
  DeviceBytes down_weights_;
  DeviceBytes gate_up_output_;
  DeviceBytes activation_;
  DeviceBytes output_;
  std::vector<Sample> samples_;
  DeviceStream stream_;
};

}  // namespace examples
