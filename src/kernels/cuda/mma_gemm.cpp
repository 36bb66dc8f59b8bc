#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_resources.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/mma_gemm_parameters.hpp"

#include <contextual/kernels/cuda/mma_gemm.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/mma_gemm.cu.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/mma_gemm_parameters.hpp.inc"
    ;

constexpr const char* who = "cuda_mma_gemm";
constexpr int stage_choices[] = {2, 3, 4, 6, 8};

bool fits_every_device(const MmaGemmConfig& config) {
  constexpr int most_bytes = 99 * 1024;
  return mma_gemm_needs(config).shared_bytes <= most_bytes;
}

bool is_deepest(const MmaGemmConfig& config) {
  return std::none_of(std::begin(stage_choices), std::end(stage_choices), [&](int stages) {
    MmaGemmConfig deeper = config;
    deeper.stages = stages;
    return stages > config.stages && fits_every_device(deeper);
  });
}

/// What a small tile multiplies of a stage is short beside the meeting of its warps.
bool suits_depth(const MmaGemmConfig& config) {
  return config.block_k == 64 || config.block_m * config.block_n <= 32 * 64;
}

/// A warp has at least 16 x 16 values, and at most 64 x 64, whose sums are half of its registers. A large
/// tile is not cut into small parts, which read their rows of A and B more often.
bool suits_warps(const MmaGemmConfig& config) {
  constexpr int least = 16;
  constexpr int most = 64;
  const int rows = config.block_m / config.warps_m;
  const int columns = config.block_n / config.warps_n;
  const int warps = config.warps_m * config.warps_n;
  const bool large = config.block_m * config.block_n >= 128 * 64;
  return rows >= least && columns >= least && rows <= most && columns <= most && warps >= 2 && warps <= 8 &&
         (!large || rows * columns >= 32 * 32);
}

/// Throws InvalidArgument.
void check(const GemmArgs& args) {
  check_gemm_matrices(who, args);
  if (args.ready_flags != nullptr) {
    throw InvalidArgument(std::string(who) + ": it waits for no ready flags; cuda_gemm does");
  }
}

CudaLayout layout(const MmaGemmConfig& config, const GemmArgs& args) {
  check(args);
  const ResourceNeeds needs = mma_gemm_needs(config);
  const std::int64_t tiles =
      std::int64_t{divide_up(args.m, config.block_m)} * divide_up(args.n, config.block_n);
  return {.grid = {static_cast<unsigned>(tiles)},
          .block = {static_cast<unsigned>(needs.threads)},
          .dynamic_shared_bytes = static_cast<unsigned>(needs.shared_bytes)};
}

void add_parameters(CudaParameters& parameters, const MmaGemmConfig& /*config*/, const GemmArgs& args) {
  parameters.add(MmaGemmParameters{.a = args.a,
                                   .b = args.b,
                                   .c = args.c,
                                   .m = args.m,
                                   .n = args.n,
                                   .k = args.k,
                                   .a_pitch = row_pitch(args.a_pitch, args.k),
                                   .c_pitch = row_pitch(args.c_pitch, args.n),
                                   .fp16 = args.type == GemmType::fp16,
                                   .epilogue = {args.bias, args.activation, args.n}});
}

CudaVariant variant(const MmaGemmConfig& config) {
  return {.function = "mma_gemm",
          .defines = {{"BLOCK_M", std::to_string(config.block_m)},
                      {"BLOCK_N", std::to_string(config.block_n)},
                      {"BLOCK_K", std::to_string(config.block_k)},
                      {"STAGES", std::to_string(config.stages)},
                      {"WARPS_M", std::to_string(config.warps_m)},
                      {"WARPS_N", std::to_string(config.warps_n)},
                      {"GROUP", std::to_string(config.group)}}};
}

}  // namespace

ConfigSpace<MmaGemmConfig> mma_gemm_space() {
  return ConfigSpace<MmaGemmConfig>{{"BLOCK_M", &MmaGemmConfig::block_m, {16, 32, 64, 128}},
                                    {"BLOCK_N", &MmaGemmConfig::block_n, {32, 64, 128, 256}},
                                    {"BLOCK_K", &MmaGemmConfig::block_k, {64, 128, 256}},
                                    {"STAGES", &MmaGemmConfig::stages,
                                     std::vector<int>(std::begin(stage_choices), std::end(stage_choices))},
                                    {"WARPS_M", &MmaGemmConfig::warps_m, {1, 2, 4}},
                                    {"WARPS_N", &MmaGemmConfig::warps_n, {1, 2, 4, 8}},
                                    {"GROUP", &MmaGemmConfig::group, {8}}}
      .default_config({})
      .constraint("shared memory", fits_every_device)
      .constraint("as many stages as fit", is_deepest)
      .constraint("depth", suits_depth)
      .constraint("warps", suits_warps);
}

MmaGemm& mma_gemm() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    MmaGemm::Definition definition;
    definition.source =
        gemm_source("mma_gemm.cu", source).header("mma_gemm_parameters.hpp", parameters_header);
    definition.variant = variant;
    definition.layout = layout;
    definition.parameters = add_parameters;
    definition.options.keep = [](const MmaGemmConfig& config, const CUstream&, const GemmArgs& args) {
      constexpr int least_rows = 16;
      constexpr int many_rows = 128;
      constexpr int least_columns = 32;
      return config.block_m < 2 * std::max(args.m, least_rows) &&
             4 * config.block_m >= std::min(args.m, many_rows) &&
             config.block_n < 2 * std::max(args.n, least_columns);
    };
    definition.options.key_names = {"M", "N", "K", "TYPE"};
    return new MmaGemm(
        who, mma_gemm_space(),
        [](const GemmArgs& args) { return make_key(args.m, args.n, args.k, type_name(args.type)); },
        definition);
  }();
  return *kernel;
}

}  // namespace contextual::kernels::cuda
