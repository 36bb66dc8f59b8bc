// section: `TritonAutoTuner`
#include "docs/coming_from/coming_from.hpp"

#include <contextual/kernels/cuda/configs.hpp>

using namespace coming_from;

// row: the spaces `RMSNORM_ROPE`, `GATED_MLP`, `FP8_GEMM`; `hidden_dim`, `intermediate_dim`, `m`, `n`, `k` of
// `filter_valid_configs`
TEST_CASE("TritonAutoTuner: configs of named kernels, for sizes", "[unit]") {
  namespace cuda = contextual::kernels::cuda;
  for (const auto kernel : {cuda::RMSNORM_ROPE, cuda::GATED_MLP, cuda::FP8_GEMM}) {
    const auto configs = cuda::generate_configs(kernel);
    const cuda::ProblemSizes sizes{
        .m = 16, .n = 4096, .k = 4096, .hidden_dim = 4096, .intermediate_dim = 14336};
    CHECK(cuda::filter_valid_configs(kernel, configs, sizes).size() < configs.size());
  }
}
