#pragma once

/// \file
/// One function launched in several ways, for `cuda_launch_cost`.

#include "cuda_common.hpp"

#include <contextual/autotuner.hpp>

namespace contextual::benchmarks {

using Nothing = CudaKernel<VariantConfig, float*, const float*, float, int>;

struct Arguments {
  float* y = nullptr;
  const float* x = nullptr;
  float a = 2;
  int n = 1 << 20;
};

/// A kernel that does nothing, with two configs that are equal.
Nothing nothing_kernel();

/// The function that a CudaKernel launches, as the driver knows it: taken out of a graph that captured it.
CUfunction function_of(Nothing& kernel, const Stream& stream, const Arguments& args);

/// What is compared.
class Launches {
 public:
  Launches(Nothing& kernel, const Stream& stream)
      : kernel_(kernel),
        stream_(stream),
        launch_(driver_function<decltype(::cuLaunchKernel)>("cuLaunchKernel")),
        launch_ex_(driver_function<decltype(::cuLaunchKernelEx)>("cuLaunchKernelEx")),
        function_(function_of(kernel, stream, args_)) {}

  void raw() {
    void* parameters[] = {&args_.y, &args_.x, &args_.a, &args_.n};
    CONTEXTUAL_CHECKED(launch_(function_, 1, 1, 1, 32, 1, 1, 0, stream_, parameters, nullptr));
  }
  void raw_ex() {
    void* parameters[] = {&args_.y, &args_.x, &args_.a, &args_.n};
    CUlaunchConfig config{};
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 32;
    config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream_;
    CONTEXTUAL_CHECKED(launch_ex_(&config, function_, parameters, nullptr));
  }
  void tunable() { kernel_(stream_, args_.y, args_.x, args_.a, args_.n); }
  void drain() const { stream_.wait(); }

 private:
  Nothing& kernel_;
  const Stream& stream_;
  Arguments args_;
  decltype(&::cuLaunchKernel) launch_;
  decltype(&::cuLaunchKernelEx) launch_ex_;
  CUfunction function_;
};

/// On the host, of `batch` launches after each other on a stream that has been drained.
template <typename Launch>
double ns_per_launch(Launches& launches, int batch, Launch&& launch) {
  launches.drain();
  return ns_per_call(batch, launch);
}

/// No search, nothing logged, whatever is locked in.
Options tuning(const TimerFactory& timer, int repeats);

}  // namespace contextual::benchmarks
