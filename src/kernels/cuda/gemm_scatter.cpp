#include "kernels/cuda/gemm_scatter.hpp"

#include "kernels/cuda/gemm_parts.hpp"
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
  const int clusters =
      divide_up(partition.rows_per_shard(), config.block_m * config.cluster) * partition.ranks();
  return gemm_layout(config, clusters * config.cluster, args.shape.n);
}

void add_parameters(CudaParameters& parameters, const GemmConfig& config, const GemmScatterArgs& args) {
  const GemmReduceScatterShape& shape = args.shape;
  const PeerWorkspace::Parts& workspace = *args.workspace;
  const RowPartition partition = partition_of(args);
  const ScatterLayout slots = layout_of(shape, partition.ranks());
  const PeerBegin peers = workspace.begin();
  const bool bf16 = shape.type == GemmType::bf16;
  parameters.add(tensor_map({args.a, shape.m, shape.k, bf16}, config.block_m));
  parameters.add(tensor_map({args.b, shape.n, shape.k, bf16}, config.block_n / config.cluster));
  parameters.add(
      tensor_map({workspace.matrices_of(peers.rank), partition.rows_per_shard() * peers.ranks, shape.n, bf16},
                 gemm_store_rows));
  std::array<CUtensorMap, PeerControl::most_ranks> maps{};
  GemmScatterParameters rest{
      .peers = peers,
      .flags = {},
      .flags_per_source = workspace.flags_per_source(partition.rows_per_shard(), shape.n),
      .rows_per_shard = partition.rows_per_shard(),
      .m = shape.m,
      .n = shape.n,
      .k = shape.k,
      .fp16 = !bf16,
      .output = args.output,
      .count = 0};
  for (int owner = 0; owner < peers.ranks; ++owner) {
    const int rows = partition.shard(owner).count();
    rest.flags[owner] = workspace.flags_of(owner);
    if (rows == 0) {
      continue;
    }
    void* const to =
        owner == peers.rank ? args.output : workspace.matrices_of(owner) + slots.slot(peers.rank);
    maps[static_cast<std::size_t>(owner)] = tensor_map({to, rows, shape.n, bf16}, gemm_store_rows);
    if (owner == peers.rank) {
      rest.count = static_cast<unsigned long long>(rows) * static_cast<unsigned long long>(shape.n);
    }
  }
  parameters.add(maps);
  parameters.add(rest);
}

constexpr int splits_of_few_rows = 8;  // n = 2048 in tiles of 128 columns: 128 blocks

/// So that nobody multiplies less because a tile waits for its turn to be sent, and a tile that has its turn
/// waits for nobody.
bool holds_a_tile(const GemmConfig& config) {
  constexpr int consumers = 2;
  return config.store_buffers * consumers * gemm_store_rows * gemm_store_columns ==
         config.block_m * config.block_n;
}

}  // namespace

int ScatterLayout::most_splits() const noexcept {
  int splits = splits_of_few_rows;
  while (splits > 0 && splits * ranks > rows_of_splits / rows_of_owner) {
    splits /= 2;
  }
  return splits;
}

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

ConfigSpace<GemmConfig> gemm_scatter_space() {
  return gemm_space_with({0}, {.stages = 3, .store_buffers = 4}, holds_a_tile);
}

GemmScatter& gemm_scatter() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    GemmScatter::Definition definition;
    definition.source = with_peer_headers(gemm_source("gemm_scatter.cu", source))
                            .header("gemm_scatter_parameters.hpp", parameters_header);
    definition.variant = [](const GemmConfig& config) { return gemm_variant("hopper_gemm_scatter", config); };
    definition.layout = layout;
    definition.parameters = add_parameters;
    definition.options.keep = [](const GemmConfig& config, const CUstream&, const GemmScatterArgs& args) {
      return is_mostly_inside(config, partition_of(args).rows_per_shard(), args.shape.n);
    };
    definition.options.key_names = {"M", "N", "K", "TYPE", "RANKS"};
    return new GemmScatter(
        scattered_gemm_name, gemm_scatter_space(),
        [](const GemmScatterArgs& args) {
          return make_key(args.shape.m, args.shape.n, args.shape.k,
                          args.shape.type == GemmType::bf16 ? "bf16" : "fp16",
                          args.workspace->communicator->size());
        },
        definition);
  }();
  return *kernel;
}

}  // namespace contextual::kernels::cuda
