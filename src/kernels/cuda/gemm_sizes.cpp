#include "kernels/cuda/gemm_sizes.hpp"

#include "kernels/cuda/cuda_check.hpp"

#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

namespace contextual::kernels::cuda {

std::string size_text(int m, int n, int k) {
  return "m = " + std::to_string(m) + ", n = " + std::to_string(n) + ", k = " + std::to_string(k);
}

void check_gemm_sizes(const char* who, int m, int n, int k) {
  if (m < 1 || n < 1 || k < 1) {
    throw InvalidArgument(std::string(who) + ": m, n and k must be at least 1, not " + size_text(m, n, k));
  }
  constexpr int values_in_16_bytes = 8;
  if (n % values_in_16_bytes != 0 || k % values_in_16_bytes != 0) {
    throw InvalidArgument(std::string(who) + ": n and k must be multiples of 8, not " + size_text(m, n, k));
  }
}

int multiprocessors() {
  int device = 0;
  int count = 0;
  CONTEXTUAL_KERNELS_CUDA(cudaGetDevice(&device));
  CONTEXTUAL_KERNELS_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace contextual::kernels::cuda
