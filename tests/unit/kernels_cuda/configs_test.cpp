#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/kernel_tuner.hpp>
#include <contextual/kernels/cuda/configs.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/vector_add.hpp>

#include <type_traits>

namespace contextual::configs_test {

namespace cuda = kernels::cuda;

TEST_CASE("cuda configs: every kernel has those of its config space, the default first") {
  CHECK(cuda::kernel_types() == std::vector<std::string>{"cuda_allgather_copied_gemm",
                                                         "cuda_allgather_fp8_gemm",
                                                         "cuda_allgather_fp8_gemm_blocks",
                                                         "cuda_allgather_gated_mlp",
                                                         "cuda_allgather_gated_moe",
                                                         "cuda_allgather_gemm",
                                                         "cuda_allgather_moe",
                                                         "cuda_cublaslt_gemm",
                                                         "cuda_expert_sum",
                                                         "cuda_expert_sum_reduce_scatter",
                                                         "cuda_fp8_gemm",
                                                         "cuda_fp8_gemm_blocks",
                                                         "cuda_fp8_gemm_promoted",
                                                         "cuda_gated_mlp",
                                                         "cuda_gemm",
                                                         "cuda_gemm_reduce_scatter",
                                                         "cuda_gemm_split_reduce_scatter",
                                                         "cuda_grouped_gated_mlp",
                                                         "cuda_grouped_gemm",
                                                         "cuda_mma_gemm",
                                                         "cuda_rms_norm_rope",
                                                         "cuda_vector_add"});
  for (const Config& config :
       cuda::generate_configs("cuda_gated_mlp")) {  // a gate beside what it lets through
    CHECK(config.get<int>("BLOCK_N") / (config.get<int>("BLOCK_M") == 64 ? 2 : 1) % 128 == 0);
  }
  CHECK(cuda::generate_configs("cuda_gemm") == cuda::gemm_space().view().configs);
  CHECK(cuda::generate_configs("cuda_vector_add").size() == 16);
  CHECK(cuda::generate_configs("cuda_rms_norm_rope").size() == 14);
  CHECK(cuda::generate_configs("cuda_cublaslt_gemm").size() == 12);
  CHECK(cuda::get_default_config("cuda_allgather_gemm").get<int>("STORE_BUFFERS") == 2);
  CHECK(cuda::get_default_config("cuda_gemm_reduce_scatter").get<int>("STORE_BUFFERS") == 4);
  CHECK(cuda::get_default_config("cuda_fp8_gemm_promoted").get<int>("BLOCK_N") == 128);
  CHECK(cuda::get_default_config("cuda_fp8_gemm_blocks").get<int>("BLOCK_N") == 128);
  for (const Config& config : cuda::generate_configs("cuda_allgather_fp8_gemm_blocks")) {
    CHECK(config.get<int>("STORE_BUFFERS") == 2);  // through which rows come
    CHECK(cuda::resource_needs("cuda_allgather_fp8_gemm_blocks", config).shared_bytes <= 227 * 1024);
  }
  CHECK(cuda::get_default_config("cuda_vector_add") == Config{{"BLOCK", 256}, {"PER_THREAD", 1}});
}

TEST_CASE("cuda configs: the GEMM's shared memory follows from tile, stages and epilogue") {
  // 4 stages of (128 + 256) rows of 128 bytes and two barriers, two buffers of 64 x 64 values and two
  // barriers for each of two warpgroups, the alignment, and what kernels of several ranks have besides.
  constexpr int expected = 4 * ((128 + 256) * 128 + 16) + 2 * 2 * (64 * 64 * 2 + 16) + 1024 + 512;
  const Config config = cuda::get_default_config("cuda_gemm");
  CHECK(cuda::resource_needs("cuda_gemm", config) == ResourceNeeds{.shared_bytes = expected, .threads = 384});
  // And, for each stage, the scales of a tile's rows, and 16 bytes for those of its columns.
  const Config blocks = cuda::get_default_config("cuda_fp8_gemm_blocks");
  CHECK(cuda::resource_needs("cuda_fp8_gemm_blocks", blocks).shared_bytes ==
        5 * ((128 + 128) * 128 + 16 + 128 * 4 + 16) + 2 * 2 * (64 * 64 * 2 + 16) + 1024 + 512);
}

TEST_CASE("cuda configs: limits of shared memory and threads leave out what needs more") {
  const std::vector<Config> all = cuda::generate_configs("cuda_gemm");
  const std::vector<Config> some = cuda::generate_configs("cuda_gemm", {.shared_bytes = 200 * 1024});
  CHECK_FALSE(some.empty());
  CHECK(some.size() < all.size());
  for (const Config& config : some) {
    CHECK(cuda::resource_needs("cuda_gemm", config).shared_bytes <= 200 * 1024);
  }
  CHECK(cuda::filter_valid_configs("cuda_gemm", all, {.shared_bytes = 200 * 1024}) == some);
  CHECK(cuda::get_default_config("cuda_gemm", {.shared_bytes = 200 * 1024}) == some.front());
  CHECK(cuda::generate_configs("cuda_gemm", {.threads = 383}).empty());
  CHECK_THROWS_WITH(cuda::get_default_config("cuda_gemm", {.shared_bytes = 1024}),
                    ContainsSubstring("shared_bytes is 1024, but each needs at least "));
  for (const Config& config : cuda::generate_configs("cuda_vector_add", {.threads = 256})) {
    CHECK(config.get<int>("BLOCK") <= 256);
  }
  CHECK(cuda::generate_configs("cuda_rms_norm_rope", {.threads = 128}).size() == 6);
}

TEST_CASE("cuda configs: sizes leave out what a tuning with them would not try") {
  const std::vector<Config> gated = cuda::generate_configs(cuda::GATED_MLP);
  CHECK(cuda::filter_valid_configs(cuda::GATED_MLP, gated, cuda::ProblemSizes{}) == gated);
  const std::vector<Config> few_rows = cuda::filter_valid_configs(
      cuda::GATED_MLP, gated, {.m = 16, .hidden_dim = 4096, .intermediate_dim = 14336},
      {.shared_bytes = 220 * 1024});
  CHECK_FALSE(few_rows.empty());
  for (const Config& config : few_rows) {
    CHECK(config.get<int>("BLOCK_M") * config.get<int>("CLUSTER") < 128);
    CHECK(cuda::resource_needs(cuda::GATED_MLP, config).shared_bytes <= 220 * 1024);
  }
  const std::vector<Config> fp8 = cuda::generate_configs(cuda::FP8_GEMM);
  CHECK(cuda::filter_valid_configs(cuda::FP8_GEMM, fp8, {.m = 4096, .n = 128, .k = 4096}).size() <
        fp8.size());
  const std::vector<Config> blocks = cuda::generate_configs("cuda_fp8_gemm_blocks");
  const auto narrow = [&](int m) {
    const std::vector<Config> kept =
        cuda::filter_valid_configs("cuda_fp8_gemm_blocks", blocks, {.m = m, .n = 2112, .k = 7168});
    return std::count_if(kept.begin(), kept.end(),
                         [](const Config& config) { return config.get<int>("BLOCK_N") == 64; });
  };
  CHECK(narrow(64) == 1);
  CHECK(narrow(256) == 2);
  CHECK(narrow(8192) == 0);
  const std::vector<Config> norms = cuda::generate_configs(cuda::RMSNORM_ROPE);
  for (const Config& config : cuda::filter_valid_configs(cuda::RMSNORM_ROPE, norms, {.hidden_dim = 128})) {
    CHECK(config.get<int>("THREADS_PER_ROW") <= 32);
  }
  CHECK(cuda::get_default_config(cuda::FP8_GEMM) == fp8.front());
}

TEST_CASE("cuda configs: where sizes leave out every config, the first one remains") {
  const std::vector<Config> norms = cuda::generate_configs(cuda::RMSNORM_ROPE);
  CHECK(cuda::filter_valid_configs(cuda::RMSNORM_ROPE, norms, {.hidden_dim = 1 << 20}) ==
        std::vector<Config>{norms.front()});
  CHECK(cuda::filter_valid_configs(cuda::RMSNORM_ROPE, {}, {.hidden_dim = 1 << 20}).empty());
}

TEST_CASE("cuda configs: a product that its kernel cannot compute is refused") {
  const auto filter = [](std::string_view kernel, const cuda::ProblemSizes& sizes) {
    return cuda::filter_valid_configs(kernel, cuda::generate_configs(kernel), sizes);
  };
  CHECK_THROWS_WITH(filter("cuda_gemm", {.m = 64, .n = 128, .k = 100}),
                    "kernel \"cuda_gemm\": k must be a multiple of 8, not 100");
  CHECK_THROWS_WITH(filter("cuda_gemm", {.m = 64, .n = 127, .k = 96}),
                    "kernel \"cuda_gemm\": n must be a multiple of 8, not 127");
  CHECK_THROWS_WITH(filter(cuda::FP8_GEMM, {.m = 64, .n = 128, .k = 104}),
                    "kernel \"cuda_fp8_gemm\": k must be a multiple of 16, not 104");
  CHECK_FALSE(filter("cuda_gemm", {.m = 64, .n = 128, .k = 104}).empty());
}

TEST_CASE("cuda configs: a gated product of any size has a config") {
  const std::vector<Config> all = cuda::generate_configs(cuda::GATED_MLP);
  for (const int m : {1, 64, 65, 4096}) {
    for (const int n : {8, 64, 72, 14336}) {
      CAPTURE(m, n);
      CHECK_FALSE(cuda::filter_valid_configs(cuda::GATED_MLP, all, {.m = m, .n = n}).empty());
    }
  }
}

TEST_CASE("KernelTuner: takes a CudaKernel, with its stream first") {
  const KernelTuner tuner{cuda::vector_add()};
  STATIC_REQUIRE(
      std::is_same_v<decltype(tuner), const KernelTuner<void(const cuda::VectorAddConfig&, CUstream, float*,
                                                             const float*, const float*, long long, bool)>>);
  CHECK(tuner.space().size() == 16);
}

}  // namespace contextual::configs_test
