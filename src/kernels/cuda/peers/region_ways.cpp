#include "kernels/cuda/peers/region_ways.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>

#include <string>

namespace contextual::kernels::cuda {

void separate_gemm(const PeerWorkspace::Parts& workspace, CUstream stream, const GemmArgs& args) {
  if (!workspace.options.equal_bits) {
    cublaslt_gemm(stream, args);
    return;
  }
  const cublasStatus_t status = cublaslt_launch(0, stream, args);
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw CudaError(std::string("cuBLASLt: ") + cublasLtGetStatusString(status), status);
  }
}

}  // namespace contextual::kernels::cuda
