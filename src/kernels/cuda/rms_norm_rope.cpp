#include "kernels/cuda/rms_norm_rope.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/rms_norm_rope.cu.inc"
    ;

constexpr int element_bytes = 2;

long long stride_or_dense(long long stride, const RmsNormRopeArgs& args) {
  return stride != 0 ? stride : static_cast<long long>(args.heads) * args.head_dim;
}

/// The most elements of a load that every half of every row of x, y and weight is aligned for.
int widest_load(const RmsNormRopeArgs& args) {
  const int half = args.head_dim / 2;
  const auto addresses = reinterpret_cast<std::uintptr_t>(args.x) | reinterpret_cast<std::uintptr_t>(args.y) |
                         reinterpret_cast<std::uintptr_t>(args.weight);
  const long long elements = stride_or_dense(args.x_token_stride, args) |
                             stride_or_dense(args.y_token_stride, args) | args.head_dim | half;
  for (const int width : {8, 4}) {
    if (addresses % static_cast<std::uintptr_t>(width * element_bytes) == 0 && elements % width == 0) {
      return width;
    }
  }
  return 1;
}

CudaLayout layout_of(const RmsNormRopeConfig& config, const RmsNormRopeArgs& args) {
  if (args.head_dim < 1 || (args.positions != nullptr && args.head_dim % 2 != 0)) {
    throw InvalidArgument("cuda_rms_norm_rope: rows of " + std::to_string(args.head_dim) +
                          " elements; they must not be empty, and even to be rotated");
  }
  const long long rows = static_cast<long long>(args.tokens) * args.heads;
  if (rows > std::numeric_limits<int>::max()) {
    throw InvalidArgument("cuda_rms_norm_rope: " + std::to_string(rows) + " rows");
  }
  const long long blocks = (rows + config.rows_per_block - 1) / config.rows_per_block;
  return {.grid = {static_cast<unsigned>(blocks)},
          .block = {static_cast<unsigned>(config.threads_per_row * config.rows_per_block)}};
}

void add_parameters(CudaParameters& parameters, const RmsNormRopeConfig&, const RmsNormRopeArgs& args) {
  const int half = args.head_dim / 2;
  parameters.add(args.y);
  parameters.add(args.x);
  parameters.add(args.weight);
  parameters.add(args.positions);
  parameters.add(args.tokens * args.heads);
  parameters.add(args.heads);
  parameters.add(args.head_dim);
  parameters.add(stride_or_dense(args.x_token_stride, args));
  parameters.add(stride_or_dense(args.y_token_stride, args));
  parameters.add(args.eps);
  parameters.add(args.positions == nullptr ? 0.0F : std::log2(args.theta) / static_cast<float>(half));
  parameters.add(args.type == NormType::bf16);
  parameters.add(widest_load(args));
}

RmsNormRope::Definition definition() {
  RmsNormRope::Definition definition;
  definition.source = CudaSource::text("rms_norm_rope.cu", source);
  definition.variant = [](const RmsNormRopeConfig& config) {
    return CudaVariant{.function = "rms_norm_rope",
                       .defines = {{"THREADS_PER_ROW", std::to_string(config.threads_per_row)},
                                   {"ROWS_PER_BLOCK", std::to_string(config.rows_per_block)},
                                   {"VECTOR", std::to_string(config.vector)}}};
  };
  definition.layout = layout_of;
  definition.parameters = add_parameters;
  definition.options.keep = [](const RmsNormRopeConfig& config, const CUstream&,
                               const RmsNormRopeArgs& args) { return suits(config, args); };
  definition.options.key_names = {"TOKENS", "HEADS", "HEAD_DIM", "TYPE", "ROTARY", "WIDEST_LOAD"};
  return definition;
}

}  // namespace

bool suits(const RmsNormRopeConfig& config, const RmsNormRopeArgs& args) {
  constexpr int most_slots_a_thread = 8;
  const int width = widest_load(args) >= config.vector ? config.vector : 1;
  const int slots = args.head_dim / 2 / width;
  return slots * 2 >= config.threads_per_row && slots <= most_slots_a_thread * config.threads_per_row;
}

ConfigSpace<RmsNormRopeConfig> rms_norm_rope_space() {
  using Config = RmsNormRopeConfig;
  return ConfigSpace<Config>::list({{"THREADS_PER_ROW", &Config::threads_per_row},
                                    {"ROWS_PER_BLOCK", &Config::rows_per_block},
                                    {"VECTOR", &Config::vector}},
                                   {{16, 8, 8},
                                    {8, 16, 8},
                                    {8, 32, 8},
                                    {32, 4, 8},
                                    {16, 16, 8},
                                    {16, 8, 4},
                                    {16, 16, 4},
                                    {32, 8, 8},
                                    {64, 2, 8},
                                    {64, 4, 8},
                                    {128, 1, 8},
                                    {256, 1, 8},
                                    {256, 1, 4},
                                    {512, 1, 4}});
}

RmsNormRope& rms_norm_rope() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const kernel = new RmsNormRope(
      "cuda_rms_norm_rope", rms_norm_rope_space(),
      [](const RmsNormRopeArgs& args) {
        return make_key(args.tokens, args.heads, args.head_dim, args.type == NormType::bf16 ? "bf16" : "fp16",
                        args.positions != nullptr, widest_load(args));
      },
      definition());
  return *kernel;
}

}  // namespace contextual::kernels::cuda
