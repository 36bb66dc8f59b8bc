#include "kernels/cuda/peers/region_ways.hpp"

#include "kernels/cuda/cublaslt_plan.hpp"

#include <contextual/kernels/cuda/cublaslt.hpp>

namespace contextual::kernels::cuda {

void separate_gemm(const PeerWorkspace::Parts& workspace, CUstream stream, const GemmArgs& args) {
  if (!workspace.options.equal_bits) {
    cublaslt_gemm(stream, args);
    return;
  }
  check_cublaslt(cublaslt_launch(0, stream, args));
}

}  // namespace contextual::kernels::cuda
