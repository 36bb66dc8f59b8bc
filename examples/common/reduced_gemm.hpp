#pragma once

/// \file
/// A tensor parallel layer on several GPUs: the sum over the ranks of their products, of which each rank gets
/// some rows.

#include "common/checked_layer.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/gemm_reduce_scatter.hpp>

#include <memory>

namespace examples {

/// Construction is collective, as the workspace's, and computes the reference from all ranks' operands, which
/// each rank makes from their numbers.
class ReducedGemm final : public CheckedLayer {
 public:
  ReducedGemm(const std::shared_ptr<contextual::Communicator>& communicator, const LayerSizes& sizes);

  void run() override;
  contextual::kernels::cuda::GemmArgs product() const override;

 private:
  void add_parts();

  contextual::kernels::cuda::GemmReduceScatter layer_;
};

}  // namespace examples
