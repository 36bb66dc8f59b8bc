#include "kernels/cuda/grouped_gemm.hpp"

#include "kernels/cuda/expert_routing.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/gemm_tensor_map.hpp"
#include "kernels/cuda/grouped_gemm_parameters.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/gated_mlp.hpp>
#include <contextual/kernels/cuda/grouped_gemm.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/grouped_gemm.cu.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/grouped_gemm_parameters.hpp.inc"
    ;
constexpr const char* pipeline_header =
#include "embedded/grouped_pipeline.cuh.inc"
    ;
constexpr const char* sum_header =
#include "embedded/expert_sum.cuh.inc"
    ;
constexpr const char* sum_source =
#include "embedded/expert_sum.cu.inc"
    ;

int positions_of(const ExpertRouting& routing) {
  return routing.rows() * routing.top_k();
}

/// Throws InvalidArgument.
void check(const char* who, const GroupedGemmArgs& args) {
  check_routing(who, args.routing);
  check_gemm_matrices(
      who,
      {.a = args.a, .b = args.weights, .c = args.c, .m = args.routing->rows(), .n = args.n, .k = args.k});
}

GroupedGemm* make_kernel(const char* name, bool gated) {
  GroupedGemm::Definition definition;
  definition.source = grouped_source("grouped_gemm.cu", source);
  definition.variant = [gated](const GemmConfig& config) {
    return gated ? gated_variant("hopper_grouped_gemm", config) : gemm_variant("hopper_grouped_gemm", config);
  };
  definition.layout = [name, gated](const GemmConfig& config, const GroupedGemmArgs& args) {
    check(name, args);
    return grouped_layout(config, args, gated);
  };
  definition.parameters = [gated](CudaParameters& parameters, const GemmConfig& config,
                                  const GroupedGemmArgs& args) {
    parameters.add(grouped_maps(config, args, gated));
    parameters.add(grouped_parameters(config, args));
  };
  definition.options.keep = [gated](const GemmConfig& config, const CUstream&, const GroupedGemmArgs& args) {
    return is_mostly_inside_grouped(config, args, gated);
  };
  definition.options.key_names = {"M_BUCKET", "TOP_K", "EXPERTS", "N", "K", "TYPE", "A_BY_POSITION"};
  return new GroupedGemm(
      name, gated ? grouped_gated_mlp_space() : grouped_gemm_space(),
      [name](const GroupedGemmArgs& args) {
        check_routing(name, args.routing);
        return make_key(bucket_of(args.routing->rows()), args.routing->top_k(), args.routing->experts(),
                        args.n, args.k, type_name(args.type), args.a_by_position);
      },
      definition);
}

CudaLayout sum_layout(const ExpertSumConfig& config, const ExpertSumArgs& args) {
  constexpr int values = 8;  // of a vector
  check_routing(expert_sum_name, args.routing);
  if (args.n < 1 || args.n % values != 0) {
    throw InvalidArgument("cuda_expert_sum: n must be a multiple of 8, not " + std::to_string(args.n));
  }
  if (args.topk_weights == nullptr || !is_aligned(args.y) || !is_aligned(args.out)) {
    throw InvalidArgument(
        "cuda_expert_sum: y and out must be multiples of 16 bytes, and they and topk_weights not null");
  }
  constexpr std::int64_t most_blocks = 1 << 20;
  const std::int64_t pieces = std::int64_t{args.routing->rows()} * divide_up(args.n / values, config.vectors);
  return {
      .grid = {static_cast<unsigned>(std::min((pieces + config.threads - 1) / config.threads, most_blocks))},
      .block = {static_cast<unsigned>(config.threads)}};
}

void add_sum_parameters(CudaParameters& parameters, const ExpertSumConfig& /*config*/,
                        const ExpertSumArgs& args) {
  parameters.add(ExpertSumParameters{.positions = args.routing->positions(),
                                     .topk_weights = args.topk_weights,
                                     .y = args.y,
                                     .out = args.out,
                                     .rows = args.routing->rows(),
                                     .positions_of_rows = positions_of(*args.routing),
                                     .top_k = args.routing->top_k(),
                                     .n = args.n,
                                     .fp16 = args.type == GemmType::fp16});
}

ConfigSpace<GemmConfig> of_low_tiles(ConfigSpace<GemmConfig> space) {
  // A thread that brings rows keeps where they are in registers.
  // Without clusters less of an expert's last tile is empty.
  return std::move(space)
      .constraint("rows of a thread", [](const GemmConfig& config) { return config.block_m <= 128; })
      .default_config({.cluster = 1});
}

}  // namespace

GroupedMaps grouped_maps(const GemmConfig& config, const GroupedGemmArgs& args, bool gated) {
  const bool bf16 = args.type == GemmType::bf16;
  const ExpertRouting& routing = *args.routing;
  const RowsOfB rows = gated ? gated_rows_of_b(args.n) : rows_of_b(config, args.n);
  const int a_rows = args.a_by_position ? positions_of(routing) : routing.rows();
  GroupedMaps maps{};
  maps.a = tensor_map({args.a, a_rows, args.k, bf16}, config.block_m);
  maps.b = tensor_map({args.weights, routing.experts() * rows.rows, args.k, bf16}, rows.rows_of_box);
  for (int map = 0; map < grouped_store_maps; ++map) {
    maps.c[static_cast<std::size_t>(map)] =
        tensor_map({args.c, positions_of(routing), args.n, bf16}, 1 << map);
  }
  return maps;
}

GroupedGemmParameters grouped_parameters(const GemmConfig& config, const GroupedGemmArgs& args) {
  const ExpertTables& tables = args.routing->tables().tables();
  const int list = expert_tile_list(config.block_m * config.cluster);
  return {.tiles = tables.tiles[list],
          .tile_count = tables.tile_count + list,
          .rows = args.a_by_position ? nullptr : tables.rows,
          .a = args.a,
          .a_rows = args.routing->rows(),
          .n = args.n,
          .k = args.k,
          .fp16 = args.type == GemmType::fp16,
          .activation = args.activation};
}

CudaLayout grouped_layout(const GemmConfig& config, const GroupedGemmArgs& args, bool gated) {
  const int tiles =  // of clusters, one below the other, at most
      positions_of(*args.routing) / (config.block_m * config.cluster) + args.routing->experts();
  return gemm_layout(config, tiles * config.cluster, gated ? 2 * args.n : args.n);
}

CudaSource grouped_source(const char* file, const char* text) {
  return gemm_source(file, text)
      .header("kernels/cuda/expert_tables.hpp", expert_tables_header)
      .header("kernels/cuda/grouped_gemm_parameters.hpp", parameters_header)
      .header("grouped_pipeline.cuh", pipeline_header);
}

bool is_mostly_inside_grouped(const GemmConfig& config, const GroupedGemmArgs& args, bool gated) {
  const int rows =
      divide_up(bucket_of(args.routing->rows()) * args.routing->top_k(), args.routing->experts());
  return gated ? is_mostly_inside_gated(config, rows, args.n) : is_mostly_inside(config, rows, args.n);
}

ConfigSpace<GemmConfig> grouped_gemm_space() {
  return of_low_tiles(gemm_space({0}));
}

ConfigSpace<GemmConfig> grouped_gated_mlp_space() {
  return of_low_tiles(gated_mlp_space({0}));
}

ConfigSpace<ExpertSumConfig> expert_sum_space() {
  return {{"THREADS", &ExpertSumConfig::threads, {256, 128, 512}},
          {"VECTORS", &ExpertSumConfig::vectors, {1, 2, 4}}};
}

GroupedGemm& grouped_gemm() {
  // Never destroyed: they may be launched while the process exits.
  static auto* const kernel = make_kernel(grouped_gemm_name, false);
  return *kernel;
}

GroupedGemm& grouped_gated_mlp() {
  static auto* const kernel = make_kernel(grouped_gated_mlp_name, true);
  return *kernel;
}

ExpertSum& expert_sum() {
  static auto* const kernel = [] {
    ExpertSum::Definition definition;
    definition.source = with_epilogue_headers(CudaSource::text("expert_sum.cu", sum_source))
                            .header("expert_sum.cuh", sum_header)
                            .header("kernels/cuda/expert_tables.hpp", expert_tables_header);
    definition.variant = [](const ExpertSumConfig& config) {
      return CudaVariant{.function = "expert_sum",
                         .defines = {{"THREADS", std::to_string(config.threads)},
                                     {"VECTORS", std::to_string(config.vectors)}}};
    };
    definition.layout = sum_layout;
    definition.parameters = add_sum_parameters;
    definition.options.key_names = {"M_BUCKET", "TOP_K", "N", "TYPE"};
    return new ExpertSum(
        expert_sum_name, expert_sum_space(),
        [](const ExpertSumArgs& args) {
          check_routing(expert_sum_name, args.routing);
          return make_key(bucket_of(args.routing->rows()), args.routing->top_k(), args.n,
                          type_name(args.type));
        },
        definition);
  }();
  return *kernel;
}

}  // namespace contextual::kernels::cuda
