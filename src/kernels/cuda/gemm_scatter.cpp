#include "kernels/cuda/gemm_scatter.hpp"

#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/gemm_tensor_map.hpp"
#include "kernels/cuda/peers/gemm_scatter_parameters.hpp"
#include "kernels/cuda/peers/peer_source.hpp"

#include <contextual/kernels/row_partition.hpp>

#include <algorithm>
#include <array>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/gemm_scatter.cu.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/gemm_scatter_parameters.hpp.inc"
    ;

RowPartition partition_of(const GemmScatterArgs& args) {
  return {args.shape.m, args.workspace->communicator->size()};
}

CudaLayout layout(const GemmConfig& config, const GemmScatterArgs& args) {
  const RowPartition partition = partition_of(args);
  const int rows = config.block_m * (config.split_k ? 1 : config.cluster);
  const int below = divide_up(partition.rows_per_shard(), rows) * partition.ranks();
  CudaLayout result = gemm_layout(config, below * config.cluster, args.shape.n);
  if (config.split_k) {
    // As many tiles for each cluster: one that is left over when all others' tiles are taken would wait with
    // its first own tile until they have come, and be late with its next one.
    const int tiles = below * divide_up(args.shape.n, config.block_n);
    const int rounds = divide_up(tiles, static_cast<int>(result.grid.x) / config.cluster);
    result.grid.x = static_cast<unsigned>(divide_up(tiles, rounds) * config.cluster);
  }
  return result;
}

/// As gemm_scatter.cu has them.
struct Maps {
  CUtensorMap a;
  CUtensorMap b;
  CUtensorMap slots;
  CUtensorMap residual;
  std::array<CUtensorMap, PeerControl::most_ranks> of_owner;
};

Maps maps_of(const GemmConfig& config, const GemmScatterArgs& args) {
  const GemmReduceScatterShape& shape = args.shape;
  const GemmReduceScatterCall& call = args.call;
  const bool bf16 = shape.type == GemmType::bf16;
  const RowPartition partition = partition_of(args);
  const ScatterLayout slots = layout_of(shape, partition.ranks());
  const int rank = args.workspace->communicator->rank();
  const auto of_parts = [&](void* data, int rows) {
    return tensor_map({data, rows, shape.n, bf16}, gemm_store_rows);
  };
  Maps maps{};
  maps.a = tensor_map({call.a, shape.m, shape.k, bf16, call.a_pitch}, config.block_m);
  maps.b = tensor_map({call.b, shape.n, shape.k, bf16}, config.block_n / config.cluster);
  maps.slots = of_parts(args.workspace->matrices_of(rank), partition.rows_per_shard() * partition.ranks());
  for (int owner = 0; owner < partition.ranks(); ++owner) {
    const int rows = partition.shard(owner).count();
    if (owner != rank && rows > 0) {
      maps.of_owner[static_cast<std::size_t>(owner)] =
          of_parts(args.workspace->matrices_of(owner) + slots.slot(rank), rows);
    }
  }
  if (const int rows = partition.shard(rank).count(); rows > 0) {
    maps.of_owner[static_cast<std::size_t>(rank)] =
        tensor_map({call.c_rows, rows, shape.n, bf16, call.c_pitch}, gemm_store_rows);
    if (call.residual != nullptr) {
      maps.residual = tensor_map({call.residual, rows, shape.n, bf16, call.residual_pitch}, gemm_store_rows);
    }
  }
  return maps;
}

void add_parameters(CudaParameters& parameters, const GemmConfig& config, const GemmScatterArgs& args) {
  const GemmReduceScatterShape& shape = args.shape;
  const GemmReduceScatterCall& call = args.call;
  const PeerWorkspace::Parts& workspace = *args.workspace;
  const RowPartition partition = partition_of(args);
  const PeerBegin peers = workspace.begin();
  const int own_rows = partition.shard(peers.rank).count();
  GemmScatterParameters rest{
      .peers = peers,
      .flags = {},
      .flags_per_source = workspace.flags_per_source(partition.rows_per_shard(), shape.n),
      .rows_per_shard = partition.rows_per_shard(),
      .m = shape.m,
      .n = shape.n,
      .k = shape.k,
      .fp16 = shape.type == GemmType::fp16,
      .epilogue = {call.bias, call.activation, shape.n},
      .has_residual = call.residual != nullptr && own_rows > 0,
      .output = call.c_rows,
      .pitch = row_pitch(call.c_pitch, shape.n),
      .own_rows = own_rows};
  for (int owner = 0; owner < peers.ranks; ++owner) {
    rest.flags[owner] = workspace.flags_of(owner);
  }
  parameters.add(maps_of(config, args));
  parameters.add(rest);
}

constexpr int splits_of_few_rows = 8;  // n = 2048 in tiles of 128 columns: 128 blocks

/// So that nobody multiplies less because a tile waits for its turn to be sent, and a tile that has its turn
/// waits for nobody.
bool holds_a_tile(const GemmConfig& config) {
  constexpr int consumers = 2;
  return config.store_buffers ==
         divide_up(config.block_m * config.block_n, consumers * gemm_store_rows * gemm_store_columns);
}

/// Only the largest tiles, of which a halved one still has the least to load for what it multiplies.
bool may_split(const GemmConfig& config) {
  const GemmConfig defaults;
  return !config.split_k ||
         (config.cluster == 2 && config.block_m == 128 && config.block_n == defaults.block_n &&
          config.group == defaults.group && config.along_n == defaults.along_n);
}

/// There is a half of k for each of two blocks.
bool has_halves(const GemmScatterArgs& args) {
  constexpr int block_k = 64;
  return args.shape.k > block_k;
}

}  // namespace

std::size_t ScatterLayout::bytes() const noexcept {
  const int rows =
      std::min(ranks * std::min(rows_of_owner, rows_of_splits), rows_of_splits / splits_of_few_rows);
  return std::max(slot(all_rows ? 1 : ranks + 1), row(rows * splits_of_few_rows));
}

ScatterLayout layout_of(const GemmReduceScatterShape& shape, int ranks) {
  constexpr std::size_t value_bytes = 2;
  return {.ranks = ranks,
          .rows_of_owner = shape.all_rows ? shape.m : RowPartition(shape.m, ranks).rows_per_shard(),
          .row_bytes = static_cast<std::size_t>(shape.n) * value_bytes,
          .all_rows = shape.all_rows};
}

int most_splits(const GemmReduceScatterShape& shape, int ranks) {
  GemmReduceScatterShape largest = shape;
  largest.m = bucket_of(shape.m);
  const int rows = layout_of(largest, ranks).rows_of_owner;
  int splits = splits_of_few_rows;
  while (splits > 0 && splits * ranks > ScatterLayout::rows_of_splits / rows) {
    splits /= 2;
  }
  return splits;
}

ConfigSpace<GemmConfig> gemm_scatter_space() {
  return gemm_space_with({"SPLIT_K", &GemmConfig::split_k, {false, true}}, {.stages = 3, .store_buffers = 4},
                         holds_a_tile)
      .constraint("halves of k", may_split);
}

GemmScatter& gemm_scatter() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    GemmScatter::Definition definition;
    definition.source = with_peer_headers(gemm_source("gemm_scatter.cu", source))
                            .header("gemm_scatter_parameters.hpp", parameters_header);
    definition.variant = [](const GemmConfig& config) {
      CudaVariant variant = gemm_variant("hopper_gemm_scatter", config);
      variant.defines.emplace_back("SPLIT_K", config.split_k ? "1" : "0");
      return variant;
    };
    definition.layout = layout;
    definition.parameters = add_parameters;
    definition.options.keep = [](const GemmConfig& config, const CUstream&, const GemmScatterArgs& args) {
      const RowPartition partition(bucket_of(args.shape.m), args.workspace->communicator->size());
      return is_mostly_inside(config, partition.rows_per_shard(), args.shape.n) &&
             (!config.split_k || (has_halves(args) && !args.workspace->options.equal_bits));
    };
    definition.options.key_names = {"M_BUCKET", "N", "K", "TYPE", "RANKS", "BITS"};
    return new GemmScatter(
        scattered_gemm_name, gemm_scatter_space(),
        [](const GemmScatterArgs& args) {
          return make_key(bucket_of(args.shape.m), args.shape.n, args.shape.k, type_name(args.shape.type),
                          args.workspace->communicator->size(),
                          args.workspace->options.equal_bits ? "equal" : "any");
        },
        definition);
  }();
  return *kernel;
}

}  // namespace contextual::kernels::cuda
