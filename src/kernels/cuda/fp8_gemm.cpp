#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/fp8_gemm.hpp>

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
void check(const Fp8GemmArgs& args) {
  constexpr const char* who = "cuda_fp8_gemm";
  check_gemm_sizes(who, args.m, args.n, args.k);
  check_fp8_rows(who, args.k, args.a_pitch);
  check_gemm_matrices(who, gemm_args(args));
  if (args.a_scale == nullptr || args.b_scale == nullptr) {
    throw InvalidArgument(std::string(who) + ": scales must not be null");
  }
}

CudaLayout layout(const GemmConfig& config, const Fp8GemmArgs& args) {
  check(args);
  return gemm_layout(config, divide_up(args.m, config.block_m), args.n);
}

void add_parameters(CudaParameters& parameters, const GemmConfig& config, const Fp8GemmArgs& args) {
  add_gemm_parameters(parameters, config, gemm_args(args), rows_of_b(config, args.n),
                      {.a = args.a_scale,
                       .b = args.b_scale,
                       .each = args.scaling == Fp8Scaling::row,
                       .m = args.m,
                       .rows_per_shard = args.m,
                       .shard_room = 0});
}

Fp8Gemm* make_kernel(const char* name, Fp8Accumulation accumulation) {
  Fp8Gemm::Definition definition;
  definition.source = gemm_source();
  definition.variant = [accumulation](const GemmConfig& config) {
    CudaVariant variant = fp8_variant("hopper_gemm", config);
    variant.defines.emplace_back("PROMOTES", accumulation == Fp8Accumulation::promoted ? "1" : "0");
    return variant;
  };
  definition.layout = layout;
  definition.parameters = add_parameters;
  definition.options.keep = [](const GemmConfig& config, const CUstream&, const Fp8GemmArgs& args) {
    return is_mostly_inside(config, args.m, args.n);
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

ConfigSpace<GemmConfig> fp8_gemm_space(Fp8Accumulation accumulation, const std::vector<int>& num_sms) {
  if (accumulation == Fp8Accumulation::fast) {
    return gemm_space(num_sms);
  }
  GemmConfig defaults;
  defaults.block_n = 128;
  defaults.stages = 6;
  defaults.num_sms = num_sms.front();
  return gemm_space_with({"NUM_SMS", &GemmConfig::num_sms, num_sms}, defaults, [](const GemmConfig& config) {
    return config.store_buffers == 2 && config.block_m * config.block_n <= 128 * 128;
  });
}

Fp8Gemm& fp8_gemm(Fp8Accumulation accumulation) {
  // Never destroyed: they may be launched while the process exits.
  static auto* const fast = make_kernel("cuda_fp8_gemm", Fp8Accumulation::fast);
  static auto* const promoted = make_kernel("cuda_fp8_gemm_promoted", Fp8Accumulation::promoted);
  return accumulation == Fp8Accumulation::fast ? *fast : *promoted;
}

}  // namespace contextual::kernels::cuda
