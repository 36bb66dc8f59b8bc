#include "kernels/cuda/gemm_gather.hpp"

#include "kernels/cuda/gather_order.hpp"
#include "kernels/cuda/gathered_rows.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_resources.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/gemm_tensor_map.hpp"
#include "kernels/cuda/peers/gemm_gather_parameters.hpp"

#include <contextual/kernels/cuda/gated_mlp.hpp>

#include <algorithm>
#include <array>
#include <numeric>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/gemm_gather.cu.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/gemm_gather_parameters.hpp.inc"
    ;

/// As gemm_gather.cu has them.
struct Maps {
  CUtensorMap gathered;
  FetchMaps fetch;
  std::array<CUtensorMap, GatherWalk::most_products> b;
  std::array<CUtensorMap, GatherWalk::most_products> c;
};

CudaLayout layout(const GemmConfig& config, const GemmGatherArgs& args) {
  int tiles = 0;  // along n
  for (const GatheredProduct& product : args.products) {
    tiles += divide_up(product.gated ? 2 * product.n : product.n, config.block_n);
  }
  return gemm_layout(config, divide_up(args.shape.m, config.block_m), tiles * config.block_n);
}

Maps maps_of(const GemmConfig& config, const GemmGatherArgs& args) {
  const AllGatherGemmShape& shape = args.shape;
  const bool bf16 = shape.type == GemmType::bf16;
  Maps maps{};
  const int words = words_of_row(shape);
  const RowPartition partition(shape.m, args.workspace->communicator->size());
  const GatherWalk walk({config.block_m, config.block_n, config.cluster, config.group, config.along_n},
                        shape.m, 0, partition.rows_per_shard(), 0, nullptr);
  maps.gathered =
      tensor_map({args.workspace->matrices_of(args.workspace->communicator->rank()), shape.m, words, bf16},
                 config.block_m);
  if (args.k_parts == 0) {
    maps.fetch = fetch_maps(*args.workspace, shape.m, words, bf16);
  }
  for (std::size_t i = 0; i < args.products.size(); ++i) {
    const GatheredProduct& product = args.products[i];
    const RowsOfB rows = product.gated ? gated_rows_of_b(product.n) : rows_of_b(config, product.n);
    maps.b[i] = tensor_map({product.b, rows.rows, words, bf16}, rows.rows_of_box);
    maps.c[i] = tensor_map({product.c, walk.matrix_rows, product.n, bf16, product.pitch,
                            shape.m / walk.matrix_rows, walk.matrix_rows},
                           gemm_store_rows);
  }
  return maps;
}

int scales_per_shard(const GemmGatherArgs& args) {
  return args.scales_pitch() * std::max(scales_of_row(args.shape), 1);
}

void add_parameters(CudaParameters& parameters, const GemmConfig& config, const GemmGatherArgs& args) {
  const AllGatherGemmShape& shape = args.shape;
  GemmGatherParameters rest{};
  static_cast<GatherParameters&>(rest) = gather_parameters(*args.workspace, shape.m, words_of_row(shape));
  rest.scales_per_shard = scales_per_shard(args);
  rest.scales_pitch = args.scales_pitch();
  for (int rank = 0; args.scales_rows() && rank < rest.peers.ranks; ++rank) {
    rest.scales[rank] = args.scales_of(rank, 0);
  }
  rest.k_parts = args.k_parts;
  rest.fp16 = shape.type == GemmType::fp16;
  rest.products = static_cast<int>(args.products.size());
  for (std::size_t i = 0; i < args.products.size(); ++i) {
    const GatheredProduct& product = args.products[i];
    rest.n[i] = product.n;
    rest.finishes = rest.finishes || product.gated || has_epilogue(product.bias, product.activation);
    rest.epilogue[i] = {product.bias, product.activation, product.n};
    rest.output[i] = product.c;
    rest.pitch[i] = row_pitch(product.pitch, product.n);
    rest.gemm_scales[i] = {.a = args.scales_rows() ? rest.scales[rest.peers.rank] : args.a_scale,
                           .b = product.b_scale,
                           .each = args.scales_rows(),
                           .m = shape.m,
                           .rows_per_shard = rest.rows_per_shard,
                           .shard_room = rest.scales_per_shard - rest.rows_per_shard,
                           .pitch = rest.scales_pitch};
  }
  parameters.add(maps_of(config, args));
  parameters.add(rest);
}

Key key_of(const GemmGatherArgs& args) {
  Key key = make_key(bucket_of(args.shape.m), args.columns(), args.shape.k, type_name(args.shape.type),
                     args.workspace->communicator->size());
  if (args.shape.fp8) {
    key.append(name_of(*args.shape.fp8));
  }
  return key;
}

int widest(const GemmGatherArgs& args) {
  return std::max_element(args.products.begin(), args.products.end(),
                          [](const GatheredProduct& a, const GatheredProduct& b) { return a.n < b.n; })
      ->n;
}

/// Wide enough for the widest product.
bool keeps(const GemmConfig& config, const CUstream& /*stream*/, const GemmGatherArgs& args) {
  return is_mostly_inside(config, bucket_of(args.shape.m), widest(args));
}

CudaVariant fp8_blocks_variant(const char* function, const GemmConfig& config) {
  CudaVariant variant = fp8_variant(function, config);
  variant.defines.emplace_back("BLOCK_SCALES", "1");
  return variant;
}

CudaVariant copied_variant(const char* function, const GemmConfig& config) {
  CudaVariant variant = gemm_variant(function, config);
  variant.defines.emplace_back("COPIED", "1");
  return variant;
}

template <typename Keep>
GemmGather::Definition definition(CudaVariant (*variant)(const char*, const GemmConfig&), const Keep& keep) {
  GemmGather::Definition definition;
  definition.source = with_gather_headers(gemm_source("gemm_gather.cu", source))
                          .header("gemm_gather_parameters.hpp", parameters_header);
  definition.variant = [variant](const GemmConfig& config) { return variant("hopper_gemm_gather", config); };
  definition.layout = layout;
  definition.parameters = add_parameters;
  definition.options.keep = keep;
  definition.options.key_names = {"M_BUCKET", "N", "K", "TYPE", "RANKS"};
  return definition;
}

}  // namespace

float* GemmGatherArgs::scales_of(int rank, int source) const noexcept {
  return reinterpret_cast<float*>(workspace->matrices_of(rank) + scales_offset(shape)) +
         static_cast<std::ptrdiff_t>(source) * scales_per_shard(*this);
}

int GemmGatherArgs::scales_pitch() const noexcept {
  // Whole pieces, so that each is copied as a whole.
  const int rows = RowPartition(shape.m, workspace->communicator->size()).rows_per_shard();
  return divide_up(rows, GatherPieces::rows) * GatherPieces::rows;
}

int GemmGatherArgs::columns() const noexcept {
  return std::accumulate(products.begin(), products.end(), 0,
                         [](int sum, const GatheredProduct& product) { return sum + product.n; });
}

ConfigSpace<GemmConfig> gemm_gather_space() {
  return gemm_space({0});
}

ConfigSpace<GemmConfig> gated_gather_space() {
  return gated_mlp_space({0});
}

ConfigSpace<GemmConfig> fp8_blocks_gather_space() {
  return promoted_space(fp8_blocks_gather_needs, {0})
      .constraint("buffers for rows", [](const GemmConfig& config) { return config.store_buffers == 2; });
}

GemmGather& gemm_gather() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel =
      new GemmGather(gathered_gemm_name, gemm_gather_space(), key_of, definition(gemm_variant, keeps));
  return *kernel;
}

GemmGather& copied_gather() {
  static auto* const kernel =
      new GemmGather(copied_gemm_name, gemm_gather_space(), key_of, definition(copied_variant, keeps));
  return *kernel;
}

GemmGather& fp8_gather() {
  static auto* const kernel = [] {
    GemmGather::Definition fp8 = definition(fp8_variant, keeps);
    fp8.options.key_names.emplace_back("SCALING");
    return new GemmGather(gathered_fp8_name, gemm_gather_space(), key_of, fp8);
  }();
  return *kernel;
}

GemmGather& fp8_blocks_gather() {
  static auto* const kernel = [] {
    GemmGather::Definition blocks = definition(
        fp8_blocks_variant, [](const GemmConfig& config, const CUstream&, const GemmGatherArgs& args) {
          return is_mostly_inside_fp8(config, bucket_of(args.shape.m), widest(args));
        });
    blocks.layout = [](const GemmConfig& config, const GemmGatherArgs& args) {
      CudaLayout all = layout(config, args);
      all.dynamic_shared_bytes = static_cast<unsigned>(fp8_blocks_gather_needs(config).shared_bytes);
      return all;
    };
    blocks.options.key_names.emplace_back("SCALING");
    return new GemmGather(gathered_fp8_blocks_name, fp8_blocks_gather_space(), key_of, blocks);
  }();
  return *kernel;
}

GemmGather& gated_gather() {
  static auto* const kernel = new GemmGather(
      gathered_gated_name, gated_gather_space(), key_of,
      definition(gated_variant, [](const GemmConfig& config, const CUstream&, const GemmGatherArgs& args) {
        return is_mostly_inside_gated(config, bucket_of(args.shape.m), args.columns());
      }));
  return *kernel;
}

}  // namespace contextual::kernels::cuda
