#include "kernels/cuda/moe_gather.hpp"

#include "kernels/cuda/gathered_rows.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/grouped_gemm.hpp"
#include "kernels/cuda/peers/moe_gather_parameters.hpp"

#include <contextual/kernels/cuda/grouped_gemm.hpp>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/moe_gather.cu.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/moe_gather_parameters.hpp.inc"
    ;

/// As moe_gather.cu has them.
struct Maps {
  GroupedMaps product;
  FetchMaps fetch;
};

void add_parameters(CudaParameters& parameters, const GemmConfig& config, const MoeGatherArgs& args) {
  const AllGatherMoeShape& shape = args.shape;
  const GroupedGemmArgs product = grouped_args(args);
  MoeGatherParameters rest{};
  static_cast<GatherParameters&>(rest) = gather_parameters(*args.workspace, shape.m, shape.k);
  rest.product = grouped_parameters(config, product);
  rest.output = args.product.c;
  rest.positions = args.product.routing->offsets() + shape.experts;
  parameters.add(Maps{grouped_maps(config, product, args.product.gated),
                      fetch_maps(*args.workspace, shape.m, shape.k, shape.type == GemmType::bf16)});
  parameters.add(rest);
}

MoeGather* make_kernel(const char* name, bool gated) {
  MoeGather::Definition definition;
  definition.source = with_gather_headers(grouped_source("moe_gather.cu", source))
                          .header("moe_gather_parameters.hpp", parameters_header);
  definition.variant = [gated](const GemmConfig& config) {
    return gated ? gated_variant("hopper_moe_gather", config) : gemm_variant("hopper_moe_gather", config);
  };
  definition.layout = [gated](const GemmConfig& config, const MoeGatherArgs& args) {
    return grouped_layout(config, grouped_args(args), gated);
  };
  definition.parameters = add_parameters;
  definition.options.keep = [gated](const GemmConfig& config, const CUstream&, const MoeGatherArgs& args) {
    return is_mostly_inside_grouped(config, grouped_args(args), gated);
  };
  definition.options.key_names = {"M_BUCKET", "N", "K", "EXPERTS", "TOP_K", "TYPE", "RANKS"};
  return new MoeGather(
      name, gated ? grouped_gated_mlp_space() : grouped_gemm_space(),
      [](const MoeGatherArgs& args) {
        const AllGatherMoeShape& shape = args.shape;
        return make_key(bucket_of(shape.m), shape.n, shape.k, shape.experts, shape.top_k,
                        type_name(shape.type), args.workspace->communicator->size());
      },
      definition);
}

}  // namespace

GroupedGemmArgs grouped_args(const MoeGatherArgs& args) {
  return {.routing = args.product.routing,
          .a = args.workspace->matrices_of(args.workspace->communicator->rank()),
          .weights = args.product.weights,
          .c = args.product.c,
          .n = args.shape.n,
          .k = args.shape.k,
          .type = args.shape.type,
          .activation = args.product.activation};
}

MoeGather& moe_gather() {
  // Never destroyed: they may be launched while the process exits.
  static auto* const kernel = make_kernel(gathered_moe_name, false);
  return *kernel;
}

MoeGather& gated_moe_gather() {
  static auto* const kernel = make_kernel(gathered_gated_moe_name, true);
  return *kernel;
}

}  // namespace contextual::kernels::cuda
