#pragma once

/// \file
/// A tensor parallel layer on several GPUs: rows of all ranks times this rank's weights.

#include "common/checked_layer.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/allgather_gemm.hpp>

#include <memory>

namespace examples {

/// Construction is collective, as the workspace's, and computes the reference from all ranks' rows, which
/// each rank makes from their numbers. Own rows lie where the others fetch them.
class GatheredGemm final : public CheckedLayer {
 public:
  GatheredGemm(std::shared_ptr<contextual::Communicator> communicator, const LayerSizes& sizes);

  void run() override;
  contextual::kernels::cuda::GemmArgs product() const override;

 private:
  contextual::kernels::cuda::AllGatherGemm layer_;
};

}  // namespace examples
