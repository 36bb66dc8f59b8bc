/// \file
/// The shortest complete program for a GPU: one kernel that is compiled at run time, two parameters, one
/// region.

#include <contextual/autotuner.hpp>
#include <contextual/cuda.hpp>
#include <contextual/output.hpp>

#include <cuda_runtime_api.h>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

struct TransposeConfig {
  int tile = 16;  // what the kernel launches with before anything is tuned
  int rows = 16;  // threads of a block in one column of its tile
};

constexpr const char* source = R"(
extern "C" __global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[TILE][TILE + 1];  // one more: no two threads of a warp in one bank
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += ROWS)
    if (x < n && y + k < n) tile[threadIdx.y + k][threadIdx.x] = in[(long long)(y + k) * n + x];
  __syncthreads();
  const int u = blockIdx.y * TILE + threadIdx.x, v = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += ROWS)
    if (u < n && v + k < n) out[(long long)(v + k) * n + u] = tile[threadIdx.x][threadIdx.y + k];
})";

int main() try {
  if (const std::string problem = contextual::cuda_problem(); !problem.empty()) {
    std::cout << "Skipped: there is no GPU to tune on (" << problem << ")\n";
    return 0;
  }
  // What is tuned: a name, the values to try, what the best value depends on, and how to compile and lay out.
  using Transpose = contextual::CudaKernel<TransposeConfig, float*, const float*, int>;
  Transpose transpose(
      "transpose",
      contextual::ConfigSpace<TransposeConfig>{{"TILE", &TransposeConfig::tile, {16, 32, 64}},
                                               {"ROWS", &TransposeConfig::rows, {4, 8, 16, 32}}}
          .constraint("ROWS <= TILE", [](const TransposeConfig& c) { return c.rows <= c.tile; }),
      [](float*, const float*, int n) { return contextual::make_key(n); },
      {.source = contextual::CudaSource::text("transpose.cu", source),
       .variant =
           [](const TransposeConfig& c) {
             return contextual::CudaVariant{
                 .function = "transpose",
                 .defines = {{"TILE", std::to_string(c.tile)}, {"ROWS", std::to_string(c.rows)}}};
           },
       .layout =
           [](const TransposeConfig& c, float*, const float*, int n) {
             const auto tiles = static_cast<unsigned>((n + c.tile - 1) / c.tile);
             return contextual::CudaLayout{
                 .grid = {tiles, tiles},
                 .block = {static_cast<unsigned>(c.tile), static_cast<unsigned>(c.rows)}};
           }});

  constexpr int n = 4000;
  std::vector<float> host(static_cast<std::size_t>(n) * n, 1.0F);
  host[1] = 2.0F;  // row 0, column 1
  const std::size_t bytes = host.size() * sizeof(float);
  float* in = nullptr;
  float* out = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&in), bytes) != cudaSuccess ||
      cudaMalloc(reinterpret_cast<void**>(&out), bytes) != cudaSuccess ||
      cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaStreamCreate(&stream) != cudaSuccess) {
    std::cerr << "cuda_quickstart: " << cudaGetErrorString(cudaGetLastError()) << "\n";
    return 1;
  }

  // The region: your code as it is. It runs again and again until every kernel in it is tuned, then once
  // more. No config is chosen that writes something else to `out` than the default does.
  contextual::ContextualAutotuner tuner{{.timer = contextual::cuda_or_host_timer}};
  tuner.run("step", [&] { transpose(stream, out, in, n); },
            {.outputs = std::vector{contextual::output("out", out, host.size())}});

  const contextual::Report report = tuner.report();
  cudaMemcpy(host.data(), out, bytes, cudaMemcpyDeviceToHost);
  std::cout << (host[n] == 2.0F ? "right\n" : "WRONG\n") << report.find("step")->to_string();
  transpose(stream, out, in, n);  // from now on with the best config, wherever it is called
  return cudaDeviceSynchronize() == cudaSuccess && host[n] == 2.0F ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
