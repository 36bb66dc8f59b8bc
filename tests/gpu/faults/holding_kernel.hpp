#pragma once

/// \file
/// A kernel that occupies its stream for a while, by the device's clock.

#include <contextual/cuda.hpp>

#include <cuda_runtime_api.h>

#include <chrono>
#include <stdexcept>

namespace contextual::test::gpu_test {

struct HoldingConfig {
  int threads = 1;
};
using HoldingKernel = CudaKernel<HoldingConfig, unsigned long long>;

/// Never destroyed: it may still run when the process ends.
inline HoldingKernel& holding_kernel() {
  static auto* const kernel = [] {
    HoldingKernel::Definition definition;
    definition.source = CudaSource::text("hold.cu", R"(
extern "C" __global__ void hold(unsigned long long budget_ns) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < budget_ns);
})");
    definition.variant = [](const HoldingConfig&) { return CudaVariant{.function = "hold"}; };
    definition.layout = [](const HoldingConfig&, const unsigned long long&) { return CudaLayout{}; };
    return new HoldingKernel(
        "hold", {{"THREADS", &HoldingConfig::threads, {1}}},
        [](const unsigned long long&) { return single_problem(); }, definition);
  }();
  return *kernel;
}

/// Occupies `stream` for this long, and does not wait for it. Nothing of it is tuned.
inline void hold(cudaStream_t stream, std::chrono::nanoseconds time) {
  // A kernel that spins longer looks like a hung device.
  if (time > std::chrono::seconds(20)) {
    throw std::invalid_argument("a kernel must not hold a stream for more than 20 s");
  }
  const CUresult code =
      holding_kernel().launch_config(0, stream, static_cast<unsigned long long>(time.count()));
  if (code != CUDA_SUCCESS) {
    throw std::runtime_error("the kernel that holds a stream could not be launched");
  }
}

}  // namespace contextual::test::gpu_test
