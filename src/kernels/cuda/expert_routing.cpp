#include "kernels/cuda/expert_routing.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"

#include <contextual/cuda.hpp>
#include <contextual/error.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/expert_routing.cu.inc"
    ;

struct Config {
  int threads = ExpertRoutingParameters::threads;
};
using Kernel = CudaKernel<Config, ExpertRoutingParameters>;

int blocks_of(int count) {
  return divide_up(count, ExpertRoutingParameters::entries);
}

template <const char* const& function>
Kernel& kernel() {
  // Never destroyed: it may be launched while the process exits.
  static auto* const one = [] {
    Kernel::Definition definition;
    definition.source = CudaSource::text("expert_routing.cu", source)
                            .header("kernels/cuda/expert_tables.hpp", expert_tables_header);
    definition.variant = [](const Config&) { return CudaVariant{.function = function}; };
    definition.layout = [](const Config& config, const ExpertRoutingParameters& parameters) {
      return CudaLayout{.grid = {static_cast<unsigned>(blocks_of(parameters.count))},
                        .block = {static_cast<unsigned>(config.threads)}};
    };
    return new Kernel(
        std::string("cuda_") + function, {{"THREADS", &Config::threads, {Config{}.threads}}},
        [](const ExpertRoutingParameters&) { return single_problem(); }, definition);
  }();
  return *one;
}
constexpr const char* count_experts = "count_experts";
constexpr const char* place_rows = "place_rows";

/// Parts of one allocation, one behind the other.
class Room {
 public:
  template <typename T>
  std::size_t take(std::size_t count) {
    constexpr std::size_t alignment = 256;
    const std::size_t begin = bytes_;
    bytes_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
    return begin;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

/// Throws InvalidArgument.
void check(int rows, int top_k, int experts) {
  if (rows < 1 || top_k < 1 || experts < 1 || experts > ExpertTables::most_experts ||
      rows > std::numeric_limits<int>::max() / top_k) {
    throw InvalidArgument("ExpertRouting: rows and top_k must be at least 1, experts from 1 to " +
                          std::to_string(ExpertTables::most_experts) + ", not " + std::to_string(rows) +
                          ", " + std::to_string(top_k) + ", " + std::to_string(experts));
  }
}

}  // namespace

const char* const expert_tables_header =
#include "embedded/expert_tables.hpp.inc"
    ;

ExpertRouting::ExpertRouting(int rows, int top_k, int experts)
    : most_rows_(rows), rows_(rows), top_k_(top_k), experts_(experts) {
  check(rows, top_k, experts);
  const auto pairs = static_cast<std::size_t>(rows) * static_cast<std::size_t>(top_k);
  const auto all = static_cast<std::size_t>(experts);
  Room room;
  const std::size_t done = room.take<unsigned>(1);
  const std::size_t tile_count = room.take<int>(ExpertTables::lists);
  const std::size_t offsets = room.take<int>(all + 1);
  const std::size_t rows_at = room.take<int>(pairs);
  const std::size_t positions = room.take<int>(pairs);
  const std::size_t of_blocks = room.take<int>(static_cast<std::size_t>(blocks_of(rows * top_k)) * all);
  std::size_t tiles[ExpertTables::lists];
  for (int list = 0; list < ExpertTables::lists; ++list) {
    const auto height = static_cast<std::size_t>(ExpertTables::least_height) << list;
    tiles[list] = room.take<ExpertTile>(pairs / height + all);
  }
  void* memory = nullptr;
  CONTEXTUAL_KERNELS_CUDA(cudaMalloc(&memory, room.bytes()));
  const auto at = [memory]<typename T>(T*& pointer, std::size_t offset) {
    pointer = reinterpret_cast<T*>(static_cast<std::byte*>(memory) + offset);
  };
  tables_ = std::make_unique<Tables>();
  tables_->memory = memory;
  tables_->tables.experts = experts;
  tables_->tables.top_k = top_k;
  at(tables_->done, done);
  at(tables_->of_blocks, of_blocks);
  at(tables_->tables.tile_count, tile_count);
  at(tables_->tables.offsets, offsets);
  at(tables_->tables.rows, rows_at);
  at(tables_->tables.positions, positions);
  for (int list = 0; list < ExpertTables::lists; ++list) {
    at(tables_->tables.tiles[list], tiles[list]);
  }
  CONTEXTUAL_KERNELS_CUDA(cudaMemset(memory, 0, room.bytes()));
  CONTEXTUAL_KERNELS_CUDA(cudaDeviceSynchronize());
  kernel<count_experts>().load();
  kernel<place_rows>().load();
}

ExpertRouting::~ExpertRouting() {
  cudaFree(tables_->memory);
}

void ExpertRouting::prepare(CUstream stream, const int* ids, int rows) {
  rows = rows_of_call("ExpertRouting", rows, most_rows_);
  if (ids == nullptr) {
    throw InvalidArgument("ExpertRouting: ids must not be null");
  }
  const ExpertRoutingParameters parameters{tables_->tables, ids, rows * top_k_, tables_->of_blocks,
                                           tables_->done};
  CONTEXTUAL_KERNELS_CUDA(kernel<count_experts>().launch_config(0, stream, parameters));
  CONTEXTUAL_KERNELS_CUDA(kernel<place_rows>().launch_config(0, stream, parameters));
  rows_ = rows;
}

const int* ExpertRouting::offsets() const noexcept {
  return tables_->tables.offsets;
}

const int* ExpertRouting::row_of_position() const noexcept {
  return tables_->tables.rows;
}

const int* ExpertRouting::positions() const noexcept {
  return tables_->tables.positions;
}

}  // namespace contextual::kernels::cuda
