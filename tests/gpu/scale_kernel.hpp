#pragma once

/// \file
/// y[i] *= factor, with configs that a device can and cannot launch: for tests of what becomes of the latter.

#include <contextual/cuda.hpp>

#include <string>
#include <utility>
#include <vector>

namespace contextual::test::gpu_test {

struct ScaleConfig {
  std::string kind = "good";
  int block = 256;
};

/// Its default does not compile.
struct BrokenByDefault : ScaleConfig {
  BrokenByDefault() { kind = "source"; }
};

template <typename C>
using ScaleOf = CudaKernel<C, float*, float, int>;
using Scale = ScaleOf<ScaleConfig>;

inline constexpr const char* scale_source = R"(
extern "C" __global__ void scale(float* y, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] *= factor; }
}
// More registers than 1024 threads can have.
extern "C" __global__ void __launch_bounds__(256) registers(float* y, float factor, int n) {
  float values[160];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 160; ++k) { values[k] = y[(i + k * 37) % n] * 0.0f + k; }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 160; ++k) { sum += values[k] * values[159 - k]; }
  if (i < n) { y[i] = y[i] * factor + (sum == -1.0f ? 1.0f : 0.0f); }
}
extern "C" __global__ void wild(float* y, float factor, int n) {
  if (threadIdx.x == 0) { *reinterpret_cast<volatile float*>(static_cast<unsigned long long>(64)) = factor; }
}
)";

/// Kind "good" scales; "registers" and "wild" are the other kernels; "shared" asks for 300 KB of shared
/// memory, "grid" for a grid that no device has; "source" does not compile.
inline CudaLayout scale_layout(const ScaleConfig& config, float* const&, const float&, const int& n) {
  const auto block = static_cast<unsigned>(config.block);
  CudaLayout layout{.grid = {(static_cast<unsigned>(n) + block - 1) / block}, .block = {block}};
  if (config.kind == "shared") {
    layout.dynamic_shared_bytes = 300 * 1024;
  } else if (config.kind == "grid") {
    layout.grid = {1, 70000};
  }
  return layout;
}

template <typename C = ScaleConfig>
typename ScaleOf<C>::Definition scale_definition() {
  typename ScaleOf<C>::Definition definition;
  definition.source = CudaSource::text("scale.cu", scale_source);
  definition.variant = [](const ScaleConfig& config) {
    CudaVariant variant{.function =
                            config.kind == "registers" || config.kind == "wild" ? config.kind : "scale"};
    if (config.kind == "source") {
      variant.defines.emplace_back("factor", "+");
    }
    return variant;
  };
  definition.layout = scale_layout;
  return definition;
}

/// The default first, then these.
template <typename C = ScaleConfig>
ConfigSpace<C> scale_space(const std::vector<std::pair<std::string, int>>& kinds_and_blocks) {
  std::vector<C> configs;
  for (const auto& [kind, block] : kinds_and_blocks) {
    C& config = configs.emplace_back();
    config.kind = kind;
    config.block = block;
  }
  return ConfigSpace<C>::list({{"KIND", &C::kind}, {"BLOCK", &C::block}}, std::move(configs))
      .default_config(C{});
}

inline Key scale_key(float* const&, const float&, const int& n) {
  return make_key(n);
}

}  // namespace contextual::test::gpu_test
