#pragma once

/// \file
/// A tensor parallel layer on several GPUs: the sum over the ranks of their products, of which each rank gets
/// some rows, with every element of them checked against float sums.

#include "common/checked_layer.hpp"
#include "common/device_matrices.hpp"
#include "common/device_stream.hpp"
#include "common/summed_parts.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace examples {

/// With two sets of inputs in turn. Construction is collective, as the workspace's, and computes the
/// reference from all ranks' operands, which each rank makes from their numbers.
class ReducedGemm final : public CheckedLayer {
 public:
  ReducedGemm(const std::shared_ptr<contextual::Communicator>& communicator,
              const contextual::kernels::cuda::GemmReduceScatterShape& shape);

  void prepare() override;
  void run() override;
  void wait() const override { stream_.wait(); }
  /// Over what the roundings allow: see SummedParts.
  double error() override;
  ErrorMeasure measure() const override;
  const contextual::kernels::cuda::PeerWorkspace& workspace() const noexcept override { return *workspace_; }

 private:
  RandomMatrix input(int set, int rank) const;
  RandomMatrix weights(int rank) const;
  void add_parts();

  contextual::kernels::cuda::GemmReduceScatterShape shape_;
  std::shared_ptr<contextual::kernels::cuda::PeerWorkspace> workspace_;
  contextual::kernels::cuda::GemmReduceScatter layer_;
  contextual::kernels::Rows rows_;                    ///< of this rank
  std::vector<std::unique_ptr<DeviceBytes>> inputs_;  ///< by set
  DeviceBytes weights_on_device_;
  DeviceBytes output_;
  std::vector<std::unique_ptr<SummedParts>> expected_;  ///< by set
  int set_ = 0;
  DeviceStream stream_;
};

}  // namespace examples
