#pragma once

/// \file
/// A tensor parallel layer on several GPUs: rows of all ranks times this rank's weights, with sampled
/// elements of the result checked against sums in double precision.

#include "common/device_matrices.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace examples {

/// The layer of one rank, on a stream of its own, with two sets of inputs in turn, so that no result of an
/// earlier run looks right. Collective, as the workspace is.
class GatheredGemm {
 public:
  /// What the rounding to the type and float sums allow, relative to the largest sampled element.
  static constexpr double tolerance = 1e-2;

  GatheredGemm(std::shared_ptr<contextual::Communicator> communicator,
               const contextual::kernels::cuda::AllGatherGemmShape& shape);
  GatheredGemm(const GatheredGemm&) = delete;
  GatheredGemm& operator=(const GatheredGemm&) = delete;
  ~GatheredGemm();

  /// Fills the output with NaN, and takes the other set of inputs.
  void prepare();
  /// The region. Does not wait.
  void run();
  /// Waits for the stream.
  void wait() const;
  /// Waits, and returns the largest relative error of the sampled elements; infinity if one is NaN.
  double error() const;

  const contextual::kernels::cuda::PeerWorkspace& workspace() const noexcept { return *workspace_; }

 private:
  RandomMatrix input(int set) const;
  RandomMatrix weights() const;
  std::vector<double> expected(int set) const;

  contextual::kernels::cuda::AllGatherGemmShape shape_;
  std::shared_ptr<contextual::kernels::cuda::PeerWorkspace> workspace_;
  contextual::kernels::cuda::AllGatherGemm layer_;
  std::vector<std::unique_ptr<DeviceBytes>> rows_;  ///< by set
  DeviceBytes weights_on_device_;
  DeviceBytes output_;
  std::vector<std::size_t> samples_;           ///< indices into the output
  std::vector<std::vector<double>> expected_;  ///< by set and sample
  cudaStream_t stream_ = nullptr;
  int set_ = 0;
};

}  // namespace examples
