#include "kernels/cuda/gemm_remainder.hpp"

#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/untuned_kernel.hpp"

#include <algorithm>
#include <cstdint>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/gemm_remainder.cu.inc"
    ;

constexpr int threads = 256;

int blocks(const GemmRemainder& remainder) {
  constexpr std::int64_t values_of_thread = 8;
  constexpr std::int64_t most_blocks = 2048;  // some for each multiprocessor
  const std::int64_t units = std::int64_t{remainder.rows} * (remainder.epilogue.n / values_of_thread);
  return static_cast<int>(std::clamp<std::int64_t>((units + threads - 1) / threads, 1, most_blocks));
}

UntunedKernel<GemmRemainder>& kernel() {
  static auto* const kernel = new UntunedKernel<GemmRemainder>(
      "gemm_remainder", with_epilogue_headers(CudaSource::text("gemm_remainder.cu", source)), threads,
      blocks);
  return *kernel;
}

}  // namespace

void finish_gemm(CUstream stream, const GemmRemainder& remainder) {
  kernel().launch(stream, remainder);
}

void load_gemm_remainder() {
  kernel().load();
}

}  // namespace contextual::kernels::cuda
