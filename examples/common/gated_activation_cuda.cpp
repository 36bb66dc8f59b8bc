#include "common/gated_activation_cuda.hpp"

#include <string>

namespace examples {

namespace {

constexpr int elements_per_load = 8;

constexpr const char* source = R"(
struct alignas(16) Pack { unsigned short bits[8]; };

__device__ float from_bf16(unsigned short bits) { return __uint_as_float(unsigned(bits) << 16); }
__device__ unsigned short to_bf16(float value) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

extern "C" __global__ void gated_activation(Pack* out, const Pack* gate_up, int rows, int columns) {
  const int packs = columns / 8;
  const long long row = blockIdx.y;
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const int pack = (blockIdx.x * PER_THREAD + k) * blockDim.x + threadIdx.x;
    if (pack < packs) {
      const Pack gate = gate_up[row * 2 * packs + pack];
      const Pack up = gate_up[row * 2 * packs + packs + pack];
      Pack result;
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const float x = from_bf16(gate.bits[e]);
        result.bits[e] = to_bf16(x / (1.0f + __expf(-x)) * from_bf16(up.bits[e]));
      }
      out[row * packs + pack] = result;
    }
  }
})";

GatedActivation::Definition definition() {
  GatedActivation::Definition definition;
  definition.source = contextual::CudaSource::text("gated_activation.cu", source);
  definition.variant = [](const GatedActivationConfig& config) {
    return contextual::CudaVariant{.function = "gated_activation",
                                   .defines = {{"PER_THREAD", std::to_string(config.per_thread)}}};
  };
  definition.layout = [](const GatedActivationConfig& config, void* const&, const void* const&,
                         const int& rows, const int& columns) {
    const int covered = config.block * config.per_thread * elements_per_load;
    return contextual::CudaLayout{
        .grid = {static_cast<unsigned>((columns + covered - 1) / covered), static_cast<unsigned>(rows)},
        .block = {static_cast<unsigned>(config.block)}};
  };
  definition.options.key_names = {"ROWS", "COLUMNS"};
  return definition;
}

}  // namespace

GatedActivation& gated_activation() {
  static auto* const kernel = new GatedActivation(
      "gated_activation",
      {{"BLOCK", &GatedActivationConfig::block, {128, 256, 512}},
       {"PER_THREAD", &GatedActivationConfig::per_thread, {1, 2, 4}}},
      [](void* const&, const void* const&, const int& rows, const int& columns) {
        return contextual::make_key(rows, columns);
      },
      definition());
  return *kernel;
}

}  // namespace examples
