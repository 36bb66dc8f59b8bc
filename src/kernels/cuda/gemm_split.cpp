#include "kernels/cuda/gemm_split.hpp"

#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_resources.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/gemm_tensor_map.hpp"
#include "kernels/cuda/peers/gemm_split_parameters.hpp"
#include "kernels/cuda/peers/peer_source.hpp"
#include "kernels/cuda/split_order.hpp"

#include <array>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/gemm_split.cu.inc"
    ;
constexpr const char* order_header =
#include "embedded/split_order.hpp.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/gemm_split_parameters.hpp.inc"
    ;

/// As gemm_split.cu has them.
struct Maps {
  std::array<CUtensorMap, PeerControl::most_ranks> slots;
};

SplitWalk walk_of(const GemmSplitConfig& config, const GemmScatterArgs& args) {
  const GemmConfig tile = config.tile();
  const TileOrder order{tile.block_m, tile.block_n, tile.cluster, tile.group, tile.along_n};
  return {order, config.splits, args.shape.m, args.shape.n,
          layout_of(args.shape, args.workspace->communicator->size()).rows_of_owner};
}

CudaLayout layout(const GemmSplitConfig& config, const GemmScatterArgs& args) {
  return gemm_layout(config.tile(), walk_of(config, args).tiles() * config.cluster, config.block_n);
}

void add_parameters(CudaParameters& parameters, const GemmSplitConfig& config, const GemmScatterArgs& args) {
  const GemmReduceScatterShape& shape = args.shape;
  const PeerWorkspace::Parts& workspace = *args.workspace;
  const SplitWalk walk = walk_of(config, args);
  const bool bf16 = shape.type == GemmType::bf16;
  Maps maps{};
  GemmSplitParameters rest{.peers = workspace.begin(),
                           .flags = {},
                           .slots = workspace.matrices_of(workspace.communicator->rank()),
                           .rows_of_owner = walk.rows_of_owner,
                           .all_rows = shape.all_rows,
                           .splits = config.splits,
                           .m = shape.m,
                           .n = shape.n,
                           .k = shape.k,
                           .fp16 = !bf16,
                           .epilogue = {args.call.bias, args.call.activation, shape.n},
                           .residual = args.call.residual,
                           .residual_pitch = row_pitch(args.call.residual_pitch, shape.n),
                           .output = args.call.c_rows,
                           .pitch = row_pitch(args.call.c_pitch, shape.n)};
  for (int rank = 0; rank < rest.peers.ranks; ++rank) {
    rest.flags[rank] = workspace.flags_of(rank);
    if (const int rows = walk.rows_of(shape.all_rows ? 0 : rank); rows > 0) {
      maps.slots[static_cast<std::size_t>(rank)] = tensor_map({.data = workspace.matrices_of(rank),
                                                               .rows = rows,
                                                               .columns = shape.n,
                                                               .bf16 = bf16,
                                                               .matrices = rest.peers.ranks * config.splits,
                                                               .rows_to_next = walk.rows_of_owner},
                                                              gemm_store_rows);
    }
  }
  parameters.add(tensor_map({args.call.a, shape.m, shape.k, bf16, args.call.a_pitch}, config.block_m));
  parameters.add(tensor_map({args.call.b, shape.n, shape.k, bf16}, config.block_n / config.cluster));
  parameters.add(maps);
  parameters.add(rest);
}

}  // namespace

GemmConfig GemmSplitConfig::tile() const noexcept {
  GemmConfig config{.block_m = block_m, .block_n = block_n, .stages = 8, .cluster = cluster, .group = 1};
  while (!fits_shared_memory(config)) {
    --config.stages;
  }
  return config;
}

ResourceNeeds gemm_split_needs(const GemmSplitConfig& config) {
  return gemm_needs(config.tile());
}

bool may_be_chosen(const GemmSplitConfig& config, const GemmScatterArgs& args) {
  constexpr int blocks_of_device = 132;  // more splits than fill it only add work
  constexpr int block_k = 64;
  GemmScatterArgs largest = args;
  largest.shape.m = bucket_of(args.shape.m);
  const SplitWalk walk = walk_of(config, largest);
  GemmConfig block = config.tile();
  block.cluster = 1;
  const int splits =
      args.workspace->options.equal_bits ? 1 : most_splits(args.shape, args.workspace->communicator->size());
  return is_mostly_inside(block, walk.rows_of_owner, args.shape.n) &&
         config.cluster <= walk.owners * walk.tiles_of_owner && config.splits <= splits &&
         config.splits <= divide_up(args.shape.k, block_k) &&
         (config.splits == 1 || walk.tiles() * config.cluster / 2 < blocks_of_device);
}

ConfigSpace<GemmSplitConfig> gemm_split_space() {
  return ConfigSpace<GemmSplitConfig>{{"BLOCK_M", &GemmSplitConfig::block_m, {64, 128, 256}},
                                      {"BLOCK_N", &GemmSplitConfig::block_n, {128, 192, 256}},
                                      {"CLUSTER", &GemmSplitConfig::cluster, {1, 2}},
                                      {"SPLITS", &GemmSplitConfig::splits, {1, 2, 4, 8}}}
      .constraint("registers", [](const GemmSplitConfig& config) { return fits_registers(config.tile()); });
}

GemmSplit& gemm_split() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    GemmSplit::Definition definition;
    definition.source = with_peer_headers(gemm_source("gemm_split.cu", source))
                            .header("split_order.hpp", order_header)
                            .header("gemm_split_parameters.hpp", parameters_header);
    definition.variant = [](const GemmSplitConfig& config) {
      return gemm_variant("hopper_gemm_split", config.tile());
    };
    definition.layout = layout;
    definition.parameters = add_parameters;
    definition.options.keep = [](const GemmSplitConfig& config, const CUstream&,
                                 const GemmScatterArgs& args) { return may_be_chosen(config, args); };
    definition.options.key_names = {"M_BUCKET", "N", "K", "TYPE", "RANKS", "ROWS", "BITS"};
    return new GemmSplit(
        split_gemm_name, gemm_split_space(),
        [](const GemmScatterArgs& args) {
          return make_key(bucket_of(args.shape.m), args.shape.n, args.shape.k, type_name(args.shape.type),
                          args.workspace->communicator->size(), args.shape.all_rows ? "all" : "own",
                          args.workspace->options.equal_bits ? "equal" : "any");
        },
        definition);
  }();
  return *kernel;
}

}  // namespace contextual::kernels::cuda
