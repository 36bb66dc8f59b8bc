/// \file
/// A kernel that nvcc compiles and `<<<>>>` launches, tuned as a function: no region, no tuner.

#include <contextual/cuda_runtime.hpp>
#include <contextual/function.hpp>

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

struct AddConfig { int block = 128, grid_per_sm = 4; };

__global__ void add(float* sum, const float* a, const float* b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum[i] = a[i] + b[i];
  }
}

int main() try {
  auto tuned_add = contextual::autotune(
      "vector_add",
      {{"BLOCK", &AddConfig::block, {128, 256, 512}}, {"GRID_PER_SM", &AddConfig::grid_per_sm, {4, 8, 16}}},
      [](cudaStream_t, float*, const float*, const float*, int n) { return contextual::make_key(n); },
      [](const AddConfig& c, cudaStream_t stream, float* sum, const float* a, const float* b, int n) {
        add<<<132 * c.grid_per_sm, c.block, 0, stream>>>(sum, a, b, n);
        return cudaGetLastError();  // a failure rejects the config
      },
      {.outputs =
           [](cudaStream_t, float* sum, const float*, const float*, int n) {
             return std::vector{contextual::output("sum", sum, n)};  // no config is chosen that writes another one
           },
       .kernel = {.load = [](const AddConfig&) { contextual::load_kernel(add); }},
       .options = {.timer = contextual::cuda_or_host_timer}});

  if (const std::string problem = contextual::cuda_problem(); !problem.empty()) {
    std::printf("Skipped: there is no GPU to tune on (%s)\n", problem.c_str());
    return 0;
  }
  constexpr int n = 1 << 20;
  float* memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaMalloc(&memory, 3 * n * sizeof(float));
  cudaMemset(memory, 0, 3 * n * sizeof(float));
  cudaStreamCreate(&stream);

  tuned_add(stream, memory, memory + n, memory + 2 * n, n);  // tunes
  tuned_add(stream, memory, memory + n, memory + 2 * n, n);  // uses what was chosen
  tuned_add.with({.verbose = true}, stream, memory, memory + n, memory + 2 * n, n);  // and says what that is
  const contextual::Report report = tuned_add.report();
  if (const contextual::RegionReport* run = report.find("vector_add")) {
    std::printf("%s", run->choices_text().c_str());
  }
  return cudaStreamSynchronize(stream) == cudaSuccess ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "vector_add: %s\n", error.what());
  return 1;
}
