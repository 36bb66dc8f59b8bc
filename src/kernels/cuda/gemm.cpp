#include "kernels/cuda/gemm_parameters.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_resources.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/gemm_tensor_map.hpp"

#include <contextual/kernels/cuda/gemm.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/gemm.cu.inc"
    ;
constexpr const char* activation_header =
#include "embedded/activation.hpp.inc"
    ;
constexpr const char* epilogue_header =
#include "embedded/gemm_epilogue.hpp.inc"
    ;
constexpr const char* epilogue_code =
#include "embedded/gemm_epilogue.cuh.inc"
    ;
constexpr const char* order_header =
#include "embedded/gemm_order.hpp.inc"
    ;
constexpr const char* parameters_header =
#include "embedded/gemm_parameters.hpp.inc"
    ;
constexpr const char* pipeline_header =
#include "embedded/gemm_pipeline.cuh.inc"
    ;
constexpr const char* promotion_header =
#include "embedded/gemm_promotion.cuh.inc"
    ;
constexpr const char* walk_header =
#include "embedded/gemm_walk.cuh.inc"
    ;
constexpr const char* ptx_header =
#include "embedded/hopper_ptx.cuh.inc"
    ;
constexpr const char* wgmma_header =
#include "embedded/hopper_wgmma.cuh.inc"
    ;

constexpr int stage_choices[] = {3, 4, 6};

/// No deeper pipeline of those offered fits.
bool is_deepest(const GemmConfig& config) {
  return std::none_of(std::begin(stage_choices), std::end(stage_choices), [&](int stages) {
    GemmConfig deeper = config;
    deeper.stages = stages;
    return stages > config.stages && fits_shared_memory(deeper);
  });
}

std::string number(const char* name, int value) {
  return std::string(name) + " = " + std::to_string(value);
}

/// Throws InvalidArgument.
void check_groups(const GemmArgs& args) {
  if (args.ready_flags == nullptr) {
    return;
  }
  if (args.rows_per_flag < 1) {
    throw InvalidArgument("cuda_gemm: with ready flags rows_per_flag must be at least 1, not " +
                          std::to_string(args.rows_per_flag));
  }
  const bool enough = args.flags_per_shard >= divide_up(args.rows_per_shard, args.rows_per_flag);
  if (args.rows_per_shard < 0 || (args.rows_per_shard > 0 && !enough)) {
    throw InvalidArgument("cuda_gemm: " + number("flags_per_shard", args.flags_per_shard) +
                          " is too small for " + number("rows_per_shard", args.rows_per_shard) + " and " +
                          number("rows_per_flag", args.rows_per_flag));
  }
}

/// Throws InvalidArgument.
void check(const GemmArgs& args) {
  check_gemm_matrices("cuda_gemm", args);
  check_groups(args);
  if (args.first_row < 0 || args.first_row >= args.m) {
    throw InvalidArgument("cuda_gemm: " + number("first_row", args.first_row) + " is no row of C; " +
                          size_text(args.m, args.n, args.k));
  }
}

CudaLayout layout(const GemmConfig& config, const GemmArgs& args) {
  check(args);
  return gemm_layout(config, divide_up(args.m, config.block_m), args.n);
}

void add_parameters(CudaParameters& parameters, const GemmConfig& config, const GemmArgs& args) {
  add_gemm_parameters(parameters, config, args, rows_of_b(config, args.n), {});
}

}  // namespace

void check_gemm_matrices(const char* who, const GemmArgs& args) {
  check_gemm_sizes(who, args.m, args.n, args.k);
  if (!is_aligned(args.a) || !is_aligned(args.b) || !is_aligned(args.c)) {
    throw InvalidArgument(std::string(who) + ": a, b and c must be multiples of 16 bytes and not null");
  }
  if (args.bias != nullptr && !is_aligned(args.bias)) {
    throw InvalidArgument(std::string(who) + ": a bias must be a multiple of 16 bytes");
  }
  check_pitch(who, "a_pitch", args.a_pitch, args.k);
  check_pitch(who, "c_pitch", args.c_pitch, args.n);
}

RowsOfB rows_of_b(const GemmConfig& config, int n) {
  return {n, config.block_n / config.cluster};
}

void add_gemm_parameters(CudaParameters& parameters, const GemmConfig& config, const GemmArgs& args,
                         const RowsOfB& b, const GemmScales& scales) {
  const bool bf16 = args.type == GemmType::bf16;
  parameters.add(tensor_map({args.a, args.m, args.k, bf16, args.a_pitch}, config.block_m));
  parameters.add(tensor_map({args.b, b.rows, args.k, bf16}, b.rows_of_box));
  parameters.add(tensor_map({args.c, args.m, args.n, bf16, args.c_pitch}, gemm_store_rows));
  const bool in_shards = args.rows_per_shard > 0;
  parameters.add(GemmParameters{.ready_flags = args.ready_flags,
                                .timed_out = args.timed_out,
                                .host_abort = args.host_abort,
                                .wait_budget_ns = args.wait_budget_ns,
                                .ready_value = args.ready_value,
                                .rows_per_flag = args.rows_per_flag,
                                .rows_per_shard = in_shards ? args.rows_per_shard : args.m,
                                .flags_per_shard = in_shards ? args.flags_per_shard : 0,
                                .first_row = args.first_row,
                                .m = args.m,
                                .n = args.n,
                                .k = args.k,
                                .fp16 = !bf16,
                                .epilogue = {args.bias, args.activation, args.n},
                                .scales = scales});
}

bool fits_shared_memory(const GemmConfig& config) {
  constexpr int most_bytes = 227 * 1024;
  return gemm_needs(config).shared_bytes <= most_bytes;
}

bool fits_registers(const GemmConfig& config) {
  const int columns = config.block_m == 64 ? config.block_n / 2 : config.block_n;
  return config.block_m * config.block_n <= 128 * 256 &&
         (columns % gemm_store_columns == 0 || config.block_m == 128);
}

bool is_worth_a_try(const GemmConfig& config) {
  const GemmConfig defaults;
  const int minor = (config.group != defaults.group) + (config.along_n != defaults.along_n);
  const int sms = config.num_sms != defaults.num_sms ? 1 : 0;
  const int size = config.block_m * config.block_n;
  const bool large = size == 128 * 256 && config.cluster == 2;
  const bool medium = size == 128 * 128 && config.block_m == 128 && config.cluster == 2;
  return minor + sms == 0 || (minor + sms == 1 && (large || (medium && sms == 1)));
}

bool is_aligned(const void* pointer) {
  constexpr std::uintptr_t copy_engine_bytes = 16;
  return pointer != nullptr && reinterpret_cast<std::uintptr_t>(pointer) % copy_engine_bytes == 0;
}

CudaSource with_epilogue_headers(CudaSource source) {
  return std::move(source)
      .header("contextual/kernels/cuda/activation.hpp", activation_header)
      .header("kernels/cuda/gemm_epilogue.hpp", epilogue_header)
      .header("gemm_epilogue.cuh", epilogue_code);
}

CudaSource gemm_source(const char* file, const char* text) {
  return with_epilogue_headers(CudaSource::text(file, text))
      .header("gemm_order.hpp", order_header)
      .header("kernels/cuda/gemm_parameters.hpp", parameters_header)
      .header("gemm_pipeline.cuh", pipeline_header)
      .header("gemm_promotion.cuh", promotion_header)
      .header("gemm_walk.cuh", walk_header)
      .header("hopper_ptx.cuh", ptx_header)
      .header("hopper_wgmma.cuh", wgmma_header);
}

CudaSource gemm_source() {
  return gemm_source("gemm.cu", source);
}

CudaVariant gemm_variant(const char* function, const GemmConfig& config) {
  return {.function = function,
          .defines = {{"BLOCK_M", std::to_string(config.block_m)},
                      {"BLOCK_N", std::to_string(config.block_n)},
                      {"STAGES", std::to_string(config.stages)},
                      {"CLUSTER", std::to_string(config.cluster)},
                      {"GROUP", std::to_string(config.group)},
                      {"ALONG_N", config.along_n ? "1" : "0"},
                      {"STORE_BUFFERS", std::to_string(config.store_buffers)}}};
}

CudaVariant fp8_variant(const char* function, const GemmConfig& config) {
  CudaVariant variant = gemm_variant(function, config);
  variant.defines.emplace_back("FP8", "1");
  return variant;
}

CudaLayout gemm_layout(const GemmConfig& config, int row_tiles, int n) {
  const int all = multiprocessors();
  const int wanted = config.num_sms > 0 ? config.num_sms : all + config.num_sms;
  const int used = std::clamp(wanted, 1, all);
  const std::int64_t tiles =
      std::int64_t{divide_up(row_tiles, config.cluster)} * divide_up(n, config.block_n);
  const auto clusters =
      static_cast<unsigned>(std::min<std::int64_t>(tiles, std::max(1, used / config.cluster)));
  const auto cluster = static_cast<unsigned>(config.cluster);
  const ResourceNeeds needs = gemm_needs(config);
  return {.grid = {clusters * cluster},
          .block = {static_cast<unsigned>(needs.threads)},
          .cluster = {cluster},
          .dynamic_shared_bytes = static_cast<unsigned>(needs.shared_bytes)};
}

bool is_mostly_inside(const GemmConfig& config, int m, int n) {
  constexpr int least_rows = 64;
  constexpr int least_columns = 128;
  const int blocks_below = config.split_k ? 1 : config.cluster;
  return config.block_m * blocks_below < 2 * std::max(m, least_rows) &&
         config.block_n < 2 * std::max(n, least_columns);
}

ConfigSpace<GemmConfig> gemm_space_with(const ConfigSpace<GemmConfig>::Parameter& last,
                                        const GemmConfig& defaults, bool (*has_room)(const GemmConfig&)) {
  return ConfigSpace<GemmConfig>{
      {"BLOCK_M", &GemmConfig::block_m, {64, 128, 256}},
      {"BLOCK_N", &GemmConfig::block_n, {128, 160, 192, 224, 240, 256}},
      {"STAGES", &GemmConfig::stages, std::vector<int>(std::begin(stage_choices), std::end(stage_choices))},
      {"CLUSTER", &GemmConfig::cluster, {1, 2}},
      {"GROUP", &GemmConfig::group, {1, 4, 8, 16}},
      {"ALONG_N", &GemmConfig::along_n, {true, false}},
      {"STORE_BUFFERS", &GemmConfig::store_buffers, {1, 2, 3, 4}},
      last}
      .default_config(defaults)
      .constraint("store buffers", has_room)
      .constraint("shared memory", fits_shared_memory)
      .constraint("registers", fits_registers)
      .constraint("as many stages as fit", is_deepest)
      .constraint("minor members one at a time", is_worth_a_try);
}

ConfigSpace<GemmConfig> gemm_space(const std::vector<int>& num_sms) {
  GemmConfig defaults;
  defaults.num_sms = num_sms.front();
  return gemm_space_with({"NUM_SMS", &GemmConfig::num_sms, num_sms}, defaults,
                         [](const GemmConfig& config) { return config.store_buffers == 2; });
}

Gemm::Definition gemm_definition() {
  Gemm::Definition definition;
  definition.source = gemm_source();
  definition.variant = [](const GemmConfig& config) { return gemm_variant("hopper_gemm", config); };
  definition.layout = layout;
  definition.parameters = add_parameters;
  definition.options.keep = [](const GemmConfig& config, const CUstream&, const GemmArgs& args) {
    return is_mostly_inside(config, args.m, args.n);
  };
  definition.options.key_names = {"M", "N", "K", "TYPE", "WAITS"};
  return definition;
}

Key gemm_key(const GemmArgs& args) {
  return make_key(args.m, args.n, args.k, type_name(args.type), args.ready_flags != nullptr);
}

Gemm& gemm() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = new Gemm("cuda_gemm", gemm_space(), gemm_key, gemm_definition());
  return *kernel;
}

}  // namespace contextual::kernels::cuda
