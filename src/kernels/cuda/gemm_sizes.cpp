#include "kernels/cuda/gemm_sizes.hpp"

#include "kernels/cuda/cuda_check.hpp"

#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

namespace contextual::kernels::cuda {
namespace {

constexpr int values_in_16_bytes = 8;

/// Of the current device.
int attribute(cudaDeviceAttr name) {
  int device = 0;
  int value = 0;
  CONTEXTUAL_KERNELS_CUDA(cudaGetDevice(&device));
  CONTEXTUAL_KERNELS_CUDA(cudaDeviceGetAttribute(&value, name, device));
  return value;
}

}  // namespace

std::string size_text(int m, int n, int k) {
  return "m = " + std::to_string(m) + ", n = " + std::to_string(n) + ", k = " + std::to_string(k);
}

void check_gemm_sizes(const char* who, int m, int n, int k) {
  if (m < 1 || n < 1 || k < 1) {
    throw InvalidArgument(std::string(who) + ": m, n and k must be at least 1, not " + size_text(m, n, k));
  }
  if (n % values_in_16_bytes != 0 || k % values_in_16_bytes != 0) {
    throw InvalidArgument(std::string(who) + ": n and k must be multiples of 8, not " + size_text(m, n, k));
  }
}

int rows_of_call(const char* who, int m, int most) {
  if (m < 0 || m > most) {
    throw InvalidArgument(std::string(who) + ": m = " + std::to_string(m) +
                          " of a call is not from 0 to that of the shape, " + std::to_string(most));
  }
  return m == 0 ? most : m;
}

void check_pitch(const char* who, const char* name, int pitch, int columns) {
  if (pitch != 0 && (pitch < columns || pitch % values_in_16_bytes != 0)) {
    throw InvalidArgument(std::string(who) + ": " + name + " = " + std::to_string(pitch) +
                          " is neither 0 nor a multiple of 8 of at least " + std::to_string(columns));
  }
}

int multiprocessors() {
  return attribute(cudaDevAttrMultiProcessorCount);
}

bool is_hopper() {
  return attribute(cudaDevAttrComputeCapabilityMajor) == 9 &&
         attribute(cudaDevAttrComputeCapabilityMinor) == 0;
}

}  // namespace contextual::kernels::cuda
