#include <contextual/kernels/cuda/vector_add.hpp>

#include <cstdint>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/vector_add.cu.inc"
    ;

constexpr long long floats_per_load = 4;

VectorAdd::Definition definition() {
  VectorAdd::Definition definition;
  definition.source = CudaSource::text("vector_add.cu", source);
  definition.variant = [](const VectorAddConfig& config) {
    return CudaVariant{.function = "vector_add",
                       .defines = {{"VALUE", "float"}, {"PER_THREAD", std::to_string(config.per_thread)}}};
  };
  definition.layout = [](const VectorAddConfig& config, float* const&, const float* const&,
                         const float* const&, const long long& n, const bool&) {
    const long long covered = floats_per_load * config.block * config.per_thread;
    return CudaLayout{.grid = {static_cast<unsigned>((n + covered - 1) / covered)},
                      .block = {static_cast<unsigned>(config.block)}};
  };
  definition.options.key_names = {"N", "ALIGNED"};
  return definition;
}

bool aligned(const void* pointer) {
  constexpr std::uintptr_t load_bytes = 16;
  return reinterpret_cast<std::uintptr_t>(pointer) % load_bytes == 0;
}

}  // namespace

ConfigSpace<VectorAddConfig> vector_add_space() {
  return {{"BLOCK", &VectorAddConfig::block, {128, 256, 512, 1024}},
          {"PER_THREAD", &VectorAddConfig::per_thread, {1, 2, 4, 8}}};
}

VectorAdd& vector_add() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = new VectorAdd(
      "cuda_vector_add", vector_add_space(),
      [](float* const&, const float* const&, const float* const&, const long long& n,
         const bool& is_aligned) { return make_key(n, is_aligned); },
      definition());
  return *kernel;
}

void vector_add(CUstream stream, float* c, const float* a, const float* b, long long n) {
  vector_add()(stream, c, a, b, n, aligned(a) && aligned(b) && aligned(c));
}

}  // namespace contextual::kernels::cuda
