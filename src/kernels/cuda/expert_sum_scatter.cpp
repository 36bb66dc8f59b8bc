#include "kernels/cuda/expert_sum_scatter.hpp"

#include "kernels/cuda/expert_routing.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/peers/expert_sum_scatter_parameters.hpp"
#include "kernels/cuda/peers/peer_source.hpp"

#include <contextual/kernels/row_partition.hpp>

#include <algorithm>
#include <string>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/expert_sum_scatter.cu.inc"
    ;
constexpr const char* sum_header =
#include "embedded/expert_sum.cuh.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/expert_sum_scatter_parameters.hpp.inc"
    ;
constexpr const char* units_header =
#include "embedded/row_units.hpp.inc"
    ;
constexpr const char* order_header =
#include "embedded/gemm_order.hpp.inc"
    ;
constexpr const char* ptx_header =
#include "embedded/hopper_ptx.cuh.inc"
    ;

RowUnits units_of(const ExpertSumScatterConfig& config, const MoeScatterArgs& args) {
  const Communicator& communicator = *args.workspace->communicator;
  const RowPartition partition(args.shape.m, communicator.size());
  return {config.unit_rows, communicator.rank(), communicator.size(), partition.rows_per_shard(),
          args.shape.m};
}

CudaLayout layout(const ExpertSumScatterConfig& config, const MoeScatterArgs& args) {
  constexpr int threads_of_multiprocessor = 2048;
  const int most_blocks = multiprocessors() * (threads_of_multiprocessor / config.threads);
  return {.grid = {static_cast<unsigned>(std::min(units_of(config, args).count(), most_blocks))},
          .block = {static_cast<unsigned>(config.threads)}};
}

void add_parameters(CudaParameters& parameters, const ExpertSumScatterConfig& config,
                    const MoeScatterArgs& args) {
  const PeerWorkspace::Parts& workspace = *args.workspace;
  const MoeReduceScatterShape& shape = args.shape;
  const PeerBegin peers = workspace.begin();
  const ScatterLayout slots = layout_of(shape, peers.ranks).sums;
  ExpertSumScatterParameters all{.peers = peers,
                                 .units = units_of(config, args),
                                 .flags = {},
                                 .slots = {},
                                 .own_slots = workspace.matrices_of(peers.rank),
                                 .sum = {.positions = args.call.routing->positions(),
                                         .topk_weights = args.call.topk_weights,
                                         .y = products_of(args),
                                         .out = args.call.c_rows,
                                         .rows = shape.m,
                                         .positions_of_rows = shape.m * shape.top_k,
                                         .top_k = shape.top_k,
                                         .n = shape.n,
                                         .fp16 = shape.type == GemmType::fp16}};
  for (int owner = 0; owner < peers.ranks; ++owner) {
    all.flags[owner] = workspace.flags_of(owner);
    all.slots[owner] = workspace.matrices_of(owner) + slots.slot(peers.rank);
  }
  parameters.add(all);
}

}  // namespace

GemmReduceScatterShape sum_shape(const MoeReduceScatterShape& shape) {
  return {.m = shape.m, .n = shape.n, .k = shape.k, .type = shape.type};
}

MoeScatterLayout layout_of(const MoeReduceScatterShape& shape, int ranks) {
  return {layout_of(sum_shape(shape), ranks),
          static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.top_k)};
}

std::byte* products_of(const MoeScatterArgs& args) {
  const Communicator& communicator = *args.workspace->communicator;
  return args.workspace->matrices_of(communicator.rank()) +
         layout_of(args.shape, communicator.size()).products();
}

ConfigSpace<ExpertSumScatterConfig> expert_sum_scatter_space() {
  return {{"THREADS", &ExpertSumScatterConfig::threads, {256, 128, 512}},
          {"UNIT_ROWS", &ExpertSumScatterConfig::unit_rows, {16, 8, 32, 64}}};
}

ExpertSumScatter& expert_sum_scatter() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = [] {
    ExpertSumScatter::Definition definition;
    definition.source =
        with_peer_headers(with_epilogue_headers(CudaSource::text("expert_sum_scatter.cu", source)))
            .header("expert_sum.cuh", sum_header)
            .header("expert_sum_scatter_parameters.hpp", parameters_header)
            .header("kernels/cuda/expert_tables.hpp", expert_tables_header)
            .header("gemm_order.hpp", order_header)
            .header("hopper_ptx.cuh", ptx_header)
            .header("kernels/cuda/row_units.hpp", units_header);
    definition.variant = [](const ExpertSumScatterConfig& config) {
      return CudaVariant{.function = "expert_sum_scatter",
                         .defines = {{"THREADS", std::to_string(config.threads)}}};
    };
    definition.layout = layout;
    definition.parameters = add_parameters;
    definition.options.key_names = {"M_BUCKET", "TOP_K", "N", "TYPE", "RANKS"};
    return new ExpertSumScatter(
        scattered_sum_name, expert_sum_scatter_space(),
        [](const MoeScatterArgs& args) {
          return make_key(bucket_of(args.shape.m), args.shape.top_k, args.shape.n, type_name(args.shape.type),
                          args.workspace->communicator->size());
        },
        definition);
  }();
  return *kernel;
}

}  // namespace contextual::kernels::cuda
