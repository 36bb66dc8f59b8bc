#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_remainder.hpp"
#include "kernels/cuda/gemm_sizes.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gated_mlp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* who = "cuda_gated_mlp";

GemmArgs gemm_args(const GatedMlpArgs& args) {
  return {.a = args.a,
          .b = args.weights,
          .c = args.c,
          .m = args.m,
          .n = args.n,
          .k = args.k,
          .type = args.type,
          .activation = args.activation,
          .a_pitch = args.a_pitch,
          .c_pitch = args.c_pitch};
}

/// Throws InvalidArgument.
void check(const GatedMlpArgs& args) {
  check_gemm_matrices(who, gemm_args(args));
  if (args.products != nullptr && !is_aligned(args.products)) {
    throw InvalidArgument("cuda_gated_mlp: products must be a multiple of 16 bytes");
  }
}

CudaLayout layout(const GemmConfig& config, const GatedMlpArgs& args) {
  check(args);
  return gemm_layout(config, divide_up(args.m, config.block_m), 2 * args.n);
}

void add_parameters(CudaParameters& parameters, const GemmConfig& config, const GatedMlpArgs& args) {
  add_gemm_parameters(parameters, config, gemm_args(args), gated_rows_of_b(args.n), {});
}

/// Multiplies rows of the weights from this one on, into these columns of the products.
void multiply(CUstream stream, const GatedMlpArgs& args, int first, int count) {
  constexpr int value_bytes = 2;
  GemmArgs product = gemm_args(args);
  product.b = static_cast<const std::byte*>(args.weights) + std::int64_t{first} * args.k * value_bytes;
  product.c = static_cast<std::byte*>(args.products) + std::int64_t{first} * value_bytes;
  product.n = count;
  product.activation = Activation::none;
  product.c_pitch = 2 * args.n;
  cublaslt_gemm(stream, product);
}

/// C from both products.
void apply_gate(CUstream stream, const GatedMlpArgs& args) {
  finish_gemm(stream, {.sums = args.products,
                       .factor = static_cast<const std::uint16_t*>(args.products) + args.n,
                       .residual = nullptr,
                       .c = args.c,
                       .sums_pitch = 2 * args.n,
                       .residual_pitch = 0,
                       .c_pitch = row_pitch(args.c_pitch, args.n),
                       .rows = args.m,
                       .epilogue = {nullptr, args.activation, args.n},
                       .fp16 = args.type == GemmType::fp16});
}

void launch_one_product(CUstream& stream, GatedMlpArgs& args) {
  check(args);
  multiply(stream, args, 0, 2 * args.n);
  apply_gate(stream, args);
}

void launch_two_products(CUstream& stream, GatedMlpArgs& args) {
  check(args);
  multiply(stream, args, 0, args.n);
  multiply(stream, args, args.n, args.n);
  apply_gate(stream, args);
}

bool has_scratch(const CUstream& /*stream*/, const GatedMlpArgs& args) {
  return args.products != nullptr;
}

}  // namespace

RowsOfB gated_rows_of_b(int n) {
  return {2 * n, gemm_store_columns};
}

bool is_mostly_inside_gated(const GemmConfig& config, int m, int n) {
  constexpr int least_weights = 256;  // there are no narrower tiles of 64 rows
  return is_mostly_inside(config, m, std::max(2 * n, least_weights));
}

CudaVariant gated_variant(const char* function, const GemmConfig& config) {
  CudaVariant variant = gemm_variant(function, config);
  variant.defines.emplace_back("GATED", "1");
  return variant;
}

ConfigSpace<GemmConfig> gated_mlp_space(const std::vector<int>& num_sms) {
  return gemm_space(num_sms).constraint("both products", [](const GemmConfig& config) {
    const int columns = config.block_m == 64 ? config.block_n / 2 : config.block_n;
    return columns % (2 * gemm_store_columns) == 0;
  });
}

GatedMlp& gated_mlp() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    GatedMlp::Definition definition;
    definition.source = gemm_source();
    definition.variant = [](const GemmConfig& config) { return gated_variant("hopper_gemm", config); };
    definition.layout = layout;
    definition.parameters = add_parameters;
    definition.options.keep = [](const GemmConfig& config, const CUstream&, const GatedMlpArgs& args) {
      return is_mostly_inside_gated(config, args.m, args.n);
    };
    definition.options.key_names = {"M", "N", "K", "TYPE"};
    return new GatedMlp(
        who, gated_mlp_space(),
        [](const GatedMlpArgs& args) { return make_key(args.m, args.n, args.k, type_name(args.type)); },
        definition);
  }();
  return *kernel;
}

GatedMlpImplementations& gated_mlp_implementations() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const choice = new GatedMlpImplementations(
      "cuda_gated_mlp_implementations",
      [](const CUstream&, const GatedMlpArgs& args) {
        return make_key(args.m, args.n, args.k, type_name(args.type), row_pitch(args.a_pitch, args.k),
                        row_pitch(args.c_pitch, args.n), args.products != nullptr);
      },
      {{"fused", [](CUstream& stream, GatedMlpArgs& args) { gated_mlp()(stream, args); }},
       {"one_product", launch_one_product, has_scratch},
       {"two_products", launch_two_products, has_scratch}},
      {"M", "N", "K", "TYPE", "A_PITCH", "C_PITCH", "SCRATCH"});
  return *choice;
}

void gated_mlp_implementations(CUstream stream, const GatedMlpArgs& args) {
  gated_mlp_implementations()(stream, args);
}

}  // namespace contextual::kernels::cuda
