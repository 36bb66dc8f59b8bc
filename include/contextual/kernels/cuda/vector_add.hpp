#pragma once

/// \file
/// c = a + b on a GPU: the smallest tunable kernel there is.

#include <contextual/cuda.hpp>
#include <contextual/export.hpp>

namespace contextual::kernels::cuda {

struct VectorAddConfig {
  int block = 256;     ///< threads
  int per_thread = 1;  ///< loads of 16 bytes per thread and input
};

/// 4 x 4 configs.
CONTEXTUAL_API ConfigSpace<VectorAddConfig> vector_add_space();

/// "cuda_vector_add": c[i] = a[i] + b[i] for i < n, in float, with device pointers. Key: n, and whether all
/// three pointers are aligned to 16 bytes. Unaligned arrays are added element by element. n = 0 is rejected
/// as an empty grid.
using VectorAdd = CudaKernel<VectorAddConfig, float*, const float*, const float*, long long, bool>;

/// Returns the kernel, which lives as long as the process. Thread-safe.
CONTEXTUAL_API VectorAdd& vector_add();

/// Launches the kernel on `stream`, after a check of the pointers' alignment.
CONTEXTUAL_API void vector_add(CUstream stream, float* c, const float* a, const float* b, long long n);

}  // namespace contextual::kernels::cuda
