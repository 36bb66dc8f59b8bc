#include "kernels/cuda/gemm_remainder.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_parts.hpp"

#include <contextual/cuda.hpp>

#include <algorithm>
#include <cstdint>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/gemm_remainder.cu.inc"
    ;

struct Config {
  int threads = 256;
};
using Kernel = CudaKernel<Config, GemmRemainder>;

CudaLayout layout(const Config& config, const GemmRemainder& remainder) {
  constexpr std::int64_t values_of_thread = 8;
  constexpr std::int64_t most_blocks = 2048;  // some for each multiprocessor
  const std::int64_t threads = std::int64_t{remainder.rows} * (remainder.epilogue.n / values_of_thread);
  const std::int64_t blocks = (threads + config.threads - 1) / config.threads;
  return {.grid = {static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, most_blocks))},
          .block = {static_cast<unsigned>(config.threads)}};
}

Kernel& kernel() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    Kernel::Definition definition;
    definition.source = with_epilogue_headers(CudaSource::text("gemm_remainder.cu", source));
    definition.variant = [](const Config&) { return CudaVariant{.function = "gemm_remainder"}; };
    definition.layout = layout;
    return new Kernel(
        "cuda_gemm_remainder", {{"THREADS", &Config::threads, {Config{}.threads}}},
        [](const GemmRemainder&) { return single_problem(); }, definition);
  }();
  return *kernel;
}

}  // namespace

void finish_gemm(CUstream stream, const GemmRemainder& remainder) {
  CONTEXTUAL_KERNELS_CUDA(kernel().launch_config(0, stream, remainder));
}

void load_gemm_remainder() {
  kernel().load();
}

}  // namespace contextual::kernels::cuda
