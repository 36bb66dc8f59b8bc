#pragma once

/// \file
/// A tensor parallel layer on several GPUs: rows of all ranks times this rank's weights, with every element
/// of the result checked against float sums.

#include "common/checked_layer.hpp"
#include "common/device_matrices.hpp"
#include "common/device_stream.hpp"
#include "common/summed_parts.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <memory>
#include <vector>

namespace examples {

/// With two sets of inputs in turn. Construction is collective, as the workspace's, and computes the
/// reference from all ranks' rows, which each rank makes from their numbers.
class GatheredGemm final : public CheckedLayer {
 public:
  GatheredGemm(std::shared_ptr<contextual::Communicator> communicator,
               const contextual::kernels::cuda::AllGatherGemmShape& shape);

  void prepare() override;
  void run() override;
  void wait() const override { stream_.wait(); }
  /// Over what the roundings allow: see SummedParts.
  double error() override;
  ErrorMeasure measure() const override;
  const contextual::kernels::cuda::PeerWorkspace& workspace() const noexcept override { return *workspace_; }

 private:
  contextual::kernels::cuda::AllGatherGemmShape shape_;
  std::shared_ptr<contextual::kernels::cuda::PeerWorkspace> workspace_;
  contextual::kernels::cuda::AllGatherGemm layer_;
  std::vector<std::unique_ptr<DeviceBytes>> rows_;  ///< by set
  DeviceBytes weights_;
  DeviceBytes output_;
  std::vector<std::unique_ptr<SummedParts>> expected_;  ///< by set
  int set_ = 0;
  DeviceStream stream_;
};

}  // namespace examples
