#pragma once

/// \file
/// A tunable kernel that nvcc compiled: template instances, launched by `<<<>>>`.

#include <contextual/cuda_runtime.hpp>
#include <contextual/kernel.hpp>

namespace contextual::test::gpu_test {

struct ScaleConfig {
  int per_thread = 1;
  int block = 256;
};

using Scale = TunableKernel<cudaError_t(const ScaleConfig&, cudaStream_t, float*, float, int)>;

/// Multiplies the elements of a vector.
Scale& scale();

/// The driver's handle of the instance for one element a thread.
cudaFunction_t function_of_scale();

/// Times that `load` loaded a kernel.
int loads_of_scale();

}  // namespace contextual::test::gpu_test
