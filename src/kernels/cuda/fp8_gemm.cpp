#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_resources.hpp"
#include "kernels/cuda/gemm_sizes.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/fp8_gemm.hpp>

#include <algorithm>
#include <iterator>
#include <string>

namespace contextual::kernels::cuda {
namespace {

/// The same with two values of A and B as one of 16 bits, as copies see them.
GemmArgs gemm_args(const Fp8GemmArgs& args) {
  return {.a = args.a,
          .b = args.b,
          .c = args.c,
          .m = args.m,
          .n = args.n,
          .k = args.k / 2,
          .type = args.type,
          .bias = args.bias,
          .activation = args.activation,
          .a_pitch = args.a_pitch / 2,
          .c_pitch = args.c_pitch};
}

/// Throws InvalidArgument.
void check(Fp8Accumulation accumulation, const Fp8GemmArgs& args) {
  constexpr const char* who = "cuda_fp8_gemm";
  check_gemm_sizes(who, args.m, args.n, args.k);
  check_fp8_rows(who, args.k, args.a_pitch);
  check_gemm_matrices(who, gemm_args(args));
  if (args.a_scale == nullptr || args.b_scale == nullptr) {
    throw InvalidArgument(std::string(who) + ": scales must not be null");
  }
  if ((args.scaling == Fp8Scaling::block) != (accumulation == Fp8Accumulation::blocks)) {
    throw InvalidArgument(std::string(who) +
                          ": scales of blocks need Fp8Accumulation::blocks, which takes no others, not " +
                          name_of(args.scaling));
  }
}

constexpr Needs needs_of(Fp8Accumulation accumulation) {
  return accumulation == Fp8Accumulation::blocks ? fp8_blocks_needs : gemm_needs;
}

CudaLayout layout(Fp8Accumulation accumulation, const GemmConfig& config, const Fp8GemmArgs& args) {
  check(accumulation, args);
  CudaLayout layout = gemm_layout(config, divide_up(args.m, config.block_m), args.n);
  layout.dynamic_shared_bytes = static_cast<unsigned>(needs_of(accumulation)(config).shared_bytes);
  return layout;
}

void add_parameters(CudaParameters& parameters, const GemmConfig& config, const Fp8GemmArgs& args) {
  add_gemm_parameters(parameters, config, gemm_args(args), rows_of_b(config, args.n),
                      {.a = args.a_scale,
                       .b = args.b_scale,
                       .each = args.scaling == Fp8Scaling::row,
                       .m = args.m,
                       .rows_per_shard = args.m,
                       .shard_room = 0,
                       .pitch = args.m});
}

constexpr int promoted_stages[] = {3, 4, 5, 6, 7, 8};

/// As many stages as fit; 0 if there are too few.
int deepest(Needs needs, GemmConfig config) {
  constexpr int most_bytes = 227 * 1024;
  int most = 0;
  for (const int stages : promoted_stages) {
    config.stages = stages;
    most = needs(config).shared_bytes <= most_bytes ? stages : most;
  }
  return most;
}

/// The sums of two warpgroups, and those of a stage: for 64 rows; twice where they are not more than 128
/// columns.
bool fits_promoted_registers(const GemmConfig& config) {
  constexpr int most_registers = 192;
  const int columns = config.block_m == 64 ? config.block_n / 2 : config.block_n;
  const int slabs = config.block_m == 256 ? 2 : 1;
  const int parts = slabs == 1 && columns <= 128 ? 2 : 1;
  return columns / 2 * (slabs + parts) <= most_registers &&
         (config.block_n >= 128 || config.block_m == 128) && fits_registers(config);
}

/// One buffer instead of two, where there would be few stages.
bool has_store_buffers(Needs needs, const GemmConfig& config) {
  constexpr int few = 5;
  GemmConfig with_two = config;
  with_two.store_buffers = 2;
  return config.store_buffers == 2 ||
         (deepest(needs, with_two) < few && deepest(needs, config) > deepest(needs, with_two));
}

}  // namespace

ConfigSpace<GemmConfig> promoted_space(Needs needs, const std::vector<int>& num_sms) {
  GemmConfig defaults;
  defaults.block_n = 128;
  defaults.stages = deepest(needs, defaults);
  defaults.num_sms = num_sms.front();
  return ConfigSpace<GemmConfig>{{"BLOCK_M", &GemmConfig::block_m, {64, 128, 256}},
                                 {"BLOCK_N", &GemmConfig::block_n, {64, 112, 128, 160, 192, 256}},
                                 {"STAGES", &GemmConfig::stages,
                                  std::vector<int>(std::begin(promoted_stages), std::end(promoted_stages))},
                                 {"CLUSTER", &GemmConfig::cluster, {1, 2}},
                                 {"GROUP", &GemmConfig::group, {1, 4, 8, 16}},
                                 {"ALONG_N", &GemmConfig::along_n, {true, false}},
                                 {"STORE_BUFFERS", &GemmConfig::store_buffers, {1, 2}},
                                 {"NUM_SMS", &GemmConfig::num_sms, num_sms}}
      .default_config(defaults)
      .constraint("store buffers",
                  [needs](const GemmConfig& config) { return has_store_buffers(needs, config); })
      .constraint("registers", fits_promoted_registers)
      .constraint("as many stages as fit",
                  [needs](const GemmConfig& config) { return config.stages == deepest(needs, config); })
      .constraint("minor members one at a time", is_worth_a_try);
}

namespace {

Fp8Gemm* make_kernel(const char* name, Fp8Accumulation accumulation) {
  Fp8Gemm::Definition definition;
  definition.source = gemm_source();
  definition.variant = [accumulation](const GemmConfig& config) {
    CudaVariant variant = fp8_variant("hopper_gemm", config);
    variant.defines.emplace_back("PROMOTES", accumulation == Fp8Accumulation::fast ? "0" : "1");
    variant.defines.emplace_back("BLOCK_SCALES", accumulation == Fp8Accumulation::blocks ? "1" : "0");
    return variant;
  };
  definition.layout = [accumulation](const GemmConfig& config, const Fp8GemmArgs& args) {
    return layout(accumulation, config, args);
  };
  definition.parameters = add_parameters;
  definition.options.keep = [](const GemmConfig& config, const CUstream&, const Fp8GemmArgs& args) {
    return is_mostly_inside_fp8(config, args.m, args.n);
  };
  definition.options.key_names = {"M", "N", "K", "TYPE", "SCALING"};
  return new Fp8Gemm(
      name, fp8_gemm_space(accumulation),
      [](const Fp8GemmArgs& args) {
        return make_key(args.m, args.n, args.k, type_name(args.type), name_of(args.scaling));
      },
      definition);
}

}  // namespace

void check_fp8_rows(const char* who, int k, int pitch) {
  if (k % 16 != 0 || pitch % 16 != 0 || (pitch != 0 && pitch < k)) {
    throw InvalidArgument(std::string(who) +
                          ": k and the pitch of A must be multiples of 16, the pitch 0 or at least k, not " +
                          std::to_string(k) + " and " + std::to_string(pitch));
  }
}

bool is_mostly_inside_fp8(const GemmConfig& config, int m, int n) {
  constexpr int side = 128;
  constexpr int multiprocessors = 132;  // of an H100 SXM and an H200
  if (config.block_n >= side) {
    return is_mostly_inside(config, m, n);
  }
  const bool few = divide_up(m, side) * divide_up(n, side) < multiprocessors;
  return few && is_mostly_inside(config, std::max(m, side), n);
}

ConfigSpace<GemmConfig> fp8_gemm_space(Fp8Accumulation accumulation, const std::vector<int>& num_sms) {
  return accumulation == Fp8Accumulation::fast ? gemm_space(num_sms)
                                               : promoted_space(needs_of(accumulation), num_sms);
}

Fp8Gemm& fp8_gemm(Fp8Accumulation accumulation) {
  // Never destroyed: they may be launched while the process exits.
  static auto* const fast = make_kernel("cuda_fp8_gemm", Fp8Accumulation::fast);
  static auto* const promoted = make_kernel("cuda_fp8_gemm_promoted", Fp8Accumulation::promoted);
  static auto* const blocks = make_kernel("cuda_fp8_gemm_blocks", Fp8Accumulation::blocks);
  return accumulation == Fp8Accumulation::fast       ? *fast
         : accumulation == Fp8Accumulation::promoted ? *promoted
                                                     : *blocks;
}

}  // namespace contextual::kernels::cuda
