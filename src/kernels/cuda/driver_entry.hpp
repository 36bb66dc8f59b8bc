#pragma once

/// \file
/// Functions of the CUDA driver that the runtime does not have, without linking to the driver.

#include <contextual/cuda/error.hpp>

#include <cuda_runtime_api.h>

#include <string>

namespace contextual::kernels::cuda {

/// Returns the driver's function of this name, in the version of CUDA 12.0. Throws CudaUnavailable if the
/// driver has none.
template <typename Function>
Function* driver_entry(const char* name) {
  constexpr unsigned first_version = 12000;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t code =
      cudaGetDriverEntryPointByVersion(name, &entry, first_version, cudaEnableDefault, &found);
  if (code != cudaSuccess || found != cudaDriverEntryPointSuccess) {
    throw CudaUnavailable(std::string("the CUDA driver has no ") + name +
                          ": it must be of CUDA 12.0 or newer");
  }
  return reinterpret_cast<Function*>(entry);
}

}  // namespace contextual::kernels::cuda
