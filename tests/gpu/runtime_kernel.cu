#include "gpu/runtime_kernel.hpp"

#include <contextual/cuda.hpp>  // for what nvcc makes of it
#include <contextual/dispatch.hpp>

namespace contextual::test::gpu_test {
namespace {

int loads = 0;

template <int per_thread>
__global__ void scale_kernel(float* x, float factor, int n) {
  for (int k = 0; k < per_thread; ++k) {
    const int i = (blockIdx.x * per_thread + k) * blockDim.x + threadIdx.x;
    if (i < n) {
      x[i] *= factor;
    }
  }
}

void load(const ScaleConfig& config) {
  dispatch<1, 2, 4>(config.per_thread, [&]<int per_thread> {
    load_kernel(scale_kernel<per_thread>);
    ++loads;
  });
}

cudaError_t launch(const ScaleConfig& config, cudaStream_t stream, float* x, float factor, int n) {
  dispatch<1, 2, 4>(config.per_thread, [&]<int per_thread> {
    const int covered = config.block * per_thread;
    scale_kernel<per_thread><<<(n + covered - 1) / covered, config.block, 0, stream>>>(x, factor, n);
  });
  return cudaGetLastError();
}

}  // namespace

Scale& scale() {
  static auto* const kernel = [] {
    Scale::Options options;
    options.load = load;
    return new Scale(
        "scale",
        {{"PER_THREAD", &ScaleConfig::per_thread, {1, 2, 4}}, {"BLOCK", &ScaleConfig::block, {256, 2048}}},
        [](cudaStream_t, float*, float, int n) { return make_key(n); }, launch, options);
  }();
  return *kernel;
}

cudaFunction_t function_of_scale() {
  cudaFunction_t function = nullptr;
  const cudaError_t code = cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(scale_kernel<1>));
  return code == cudaSuccess ? function : nullptr;
}

int loads_of_scale() {
  return loads;
}

}  // namespace contextual::test::gpu_test
