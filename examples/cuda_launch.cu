/// \file
/// The shortest complete program whose kernel nvcc compiles and `<<<>>>` launches: two parameters, one region.

#include <contextual/autotuner.hpp>
#include <contextual/cuda_runtime.hpp>
#include <contextual/dispatch.hpp>
#include <contextual/kernel.hpp>
#include <contextual/output.hpp>
#include <contextual/report.hpp>

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>

struct AxpyConfig {
  int block = 256;     // what is launched before anything is tuned
  int per_thread = 1;  // elements of a thread; known to the compiler
};

template <int PerThread>
__global__ void axpy(float* y, const float* x, float a, int n) {
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll
  for (int k = 0; k < PerThread; ++k, i += threads) {
    if (i < n) {
      y[i] = a * x[i] + y[i];
    }
  }
}

static cudaError_t launch(const AxpyConfig& c, cudaStream_t stream, float* y, const float* x, float a, int n) {
  contextual::dispatch<1, 2, 4, 8>(c.per_thread, [&]<int PerThread> {
    axpy<PerThread><<<(n + c.block * PerThread - 1) / (c.block * PerThread), c.block, 0, stream>>>(y, x, a, n);
  });
  return cudaGetLastError();  // a failure rejects the config
}

static void load(const AxpyConfig& c) {
  contextual::dispatch<1, 2, 4, 8>(c.per_thread, [&]<int PerThread> { contextual::load_kernel(axpy<PerThread>); });
}

int main() try {
  contextual::TunableKernel tuned_axpy{
      "axpy", contextual::ConfigSpace<AxpyConfig>{{"BLOCK", &AxpyConfig::block, {128, 256, 512, 1024}},
                                                  {"PER_THREAD", &AxpyConfig::per_thread, {1, 2, 4, 8}}},
      [](cudaStream_t, float*, const float*, float, int n) { return contextual::make_key(n); }, launch, {.load = load}};

  if (const std::string problem = contextual::cuda_problem(); !problem.empty()) {
    std::printf("Skipped: there is no GPU to tune on (%s)\n", problem.c_str());
    return 0;
  }
  constexpr int n = 1 << 24;
  float* x = nullptr;
  float* y = nullptr;
  cudaStream_t stream = nullptr;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  cudaMemset(y, 0, n * sizeof(float));
  cudaStreamCreate(&stream);

  contextual::ContextualAutotuner tuner{{.timer = contextual::cuda_or_host_timer}};
  // It works in place: each run begins with the same y, and no config is chosen that leaves another one.
  tuner.run("step", [&] { tuned_axpy(stream, y, x, 2.0F, n); },
            {.outputs = {{contextual::output("y", y, n)}}, .restore = {{contextual::restored("y", y, n)}}});
  const contextual::Report report = tuner.report();
  std::printf("%s", report.find("step")->to_string().c_str());

  tuned_axpy(stream, y, x, 2.0F, n);  // from now on with the best config, wherever it is called
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "cuda_launch: %s\n", error.what());
  return 1;
}
