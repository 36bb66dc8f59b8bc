#pragma once

/// \file
/// A tensor parallel layer on several GPUs: rows of all ranks times this rank's weights, with sampled
/// elements of the result checked against sums in double precision.

#include "common/checked_layer.hpp"
#include "common/device_matrices.hpp"
#include "common/device_stream.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace examples {

/// With two sets of inputs in turn. Construction is collective, as the workspace's.
class GatheredGemm final : public CheckedLayer {
 public:
  GatheredGemm(std::shared_ptr<contextual::Communicator> communicator,
               const contextual::kernels::cuda::AllGatherGemmShape& shape);

  void prepare() override;
  void run() override;
  void wait() const override { stream_.wait(); }
  /// Relative to the largest sampled element.
  double error() override;
  ErrorMeasure measure() const override;
  const contextual::kernels::cuda::PeerWorkspace& workspace() const noexcept override { return *workspace_; }

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
  int set_ = 0;
  DeviceStream stream_;
};

}  // namespace examples
