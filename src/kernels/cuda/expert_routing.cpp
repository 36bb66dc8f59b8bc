#include "kernels/cuda/expert_routing.hpp"

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/gemm_parts.hpp"
#include "kernels/cuda/gemm_sizes.hpp"
#include "kernels/cuda/routing_gather.hpp"
#include "kernels/cuda/untuned_kernel.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/row_partition.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>

namespace contextual::kernels::cuda {
namespace {

constexpr const char* source =
#include "embedded/expert_routing.cu.inc"
    ;

int blocks_of(int count) {
  return divide_up(count, ExpertRoutingParameters::entries);
}

constexpr const char* routing_name = "ExpertRouting";
constexpr const char* count_experts = "count_experts";
constexpr const char* place_rows = "place_rows";
constexpr const char* order_tiles = "order_tiles";

template <const char* const& function>
UntunedKernel<ExpertRoutingParameters>& kernel() {
  static auto* const kernel = new UntunedKernel<ExpertRoutingParameters>(
      function,
      CudaSource::text("expert_routing.cu", source)
          .header("kernels/cuda/expert_tables.hpp", expert_tables_header),
      ExpertRoutingParameters::threads, [](const ExpertRoutingParameters& parameters) {
        return function == order_tiles ? ExpertTables::lists : blocks_of(parameters.count);
      });
  return *kernel;
}

/// Parts of one allocation, one behind the other. Without memory it only counts.
struct Room {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;

  template <typename T>
  void take(T*& pointer, std::size_t count) {
    constexpr std::size_t alignment = 256;
    pointer = reinterpret_cast<T*>(memory + bytes);
    bytes += (count * sizeof(T) + alignment - 1) / alignment * alignment;
  }
};

/// Says where all tables are; returns how many bytes they take.
std::size_t lay_out(ExpertRouting::Tables& all, int rows, std::byte* memory) {
  ExpertRoutingParameters& parameters = all.parameters;
  ExpertTables& tables = parameters.tables;
  const int pairs = rows * tables.top_k;
  const auto all_pairs = static_cast<std::size_t>(pairs);
  const auto experts = static_cast<std::size_t>(tables.experts);
  Room room{memory};
  room.take(parameters.done, 1);
  room.take(parameters.of_blocks, static_cast<std::size_t>(blocks_of(pairs)) * experts);
  room.take(tables.tile_count, ExpertTables::lists);
  room.take(tables.offsets, experts + 1);
  room.take(tables.rows, all_pairs);
  room.take(tables.positions, all_pairs);
  room.take(all.gathered.ids, all_pairs);
  room.take(all.gathered.weights, all_pairs);
  for (int list = 0; list < ExpertTables::lists; ++list) {
    const std::size_t tiles = all_pairs / (std::size_t{ExpertTables::least_height} << list) + experts;
    room.take(tables.tiles[list], tiles);
    parameters.listed[list] = tables.tiles[list];
    if (parameters.ranks > 1) {
      room.take(parameters.listed[list], tiles);
    }
  }
  return room.bytes;
}

}  // namespace

const char* const expert_tables_header =
#include "embedded/expert_tables.hpp.inc"
    ;

ExpertRouting::ExpertRouting(int rows, int top_k, int experts, const RoutingRanks& ranks)
    : most_rows_(rows), rows_(rows), top_k_(top_k), experts_(experts), ranks_(ranks) {
  check_expert_sizes(routing_name, rows, top_k, experts);
  if (ranks.ranks < 1 || ranks.ranks > ExpertTables::most_ranks || ranks.rank < 0 ||
      ranks.rank >= ranks.ranks) {
    throw InvalidArgument("ExpertRouting: rank " + std::to_string(ranks.rank) + " of " +
                          std::to_string(ranks.ranks) + " ranks, of which there are 1 to " +
                          std::to_string(ExpertTables::most_ranks));
  }
  tables_ = std::make_unique<Tables>();
  ExpertRoutingParameters& parameters = tables_->parameters;
  parameters.rank = ranks.rank;
  parameters.ranks = ranks.ranks;
  parameters.tables.experts = experts;
  parameters.tables.top_k = top_k;
  const std::size_t bytes = lay_out(*tables_, rows, nullptr);
  CONTEXTUAL_KERNELS_CUDA(cudaMalloc(&tables_->memory, bytes));
  lay_out(*tables_, rows, static_cast<std::byte*>(tables_->memory));
  CONTEXTUAL_KERNELS_CUDA(cudaMemset(tables_->memory, 0, bytes));
  CONTEXTUAL_KERNELS_CUDA(cudaDeviceSynchronize());
  kernel<count_experts>().load();
  kernel<place_rows>().load();
  kernel<order_tiles>().load();
  load_routing_gather();
}

ExpertRouting::Tables::~Tables() {
  cudaFree(memory);
}

ExpertRouting::~ExpertRouting() = default;

void ExpertRouting::prepare(CUstream stream, const int* ids, int rows) {
  rows = rows_of_call(routing_name, rows, most_rows_);
  if (ids == nullptr) {
    throw InvalidArgument("ExpertRouting: ids must not be null");
  }
  ExpertRoutingParameters& parameters = tables_->parameters;
  parameters.ids = ids;
  parameters.count = rows * top_k_;
  parameters.rows_per_shard = RowPartition(rows, ranks_.ranks).rows_per_shard();
  kernel<count_experts>().launch(stream, parameters);
  kernel<place_rows>().launch(stream, parameters);
  if (ranks_.ranks > 1) {
    kernel<order_tiles>().launch(stream, parameters);
  }
  rows_ = rows;
  topk_weights_ = nullptr;
}

std::size_t ExpertRouting::workspace_bytes(int rows, int top_k) {
  check_expert_sizes(routing_name, rows, top_k, 1);
  return routing_gather_bytes(rows, top_k);
}

void ExpertRouting::prepare(CUstream stream, PeerWorkspace& workspace, const int* own_ids,
                            const float* own_weights, int rows) {
  PeerWorkspace::Parts& parts = workspace.parts();
  const RoutingGather call{
      &parts, own_ids, own_weights, rows_of_call(routing_name, rows, most_rows_), top_k_, tables_->gathered};
  check_routing_ranks(routing_name, ranks_, *parts.communicator);
  check_routing_gather(routing_name, call);
  parts.begin_call(stream);
  gather_routing(stream, call);
  prepare(stream, call.gathered.ids, call.rows);
  const bool has_rows = !RowPartition(call.rows, ranks_.ranks).shard(ranks_.rank).empty();
  topk_weights_ = has_rows && own_weights == nullptr ? nullptr : call.gathered.weights;
}

void check_expert_sizes(const char* who, int rows, int top_k, int experts) {
  constexpr int most_pairs = std::numeric_limits<int>::max() - ExpertRoutingParameters::entries;
  if (rows < 1 || top_k < 1 || experts < 1 || experts > ExpertTables::most_experts ||
      rows > most_pairs / top_k) {
    throw InvalidArgument(std::string(who) + ": rows and top_k must be at least 1, experts from 1 to " +
                          std::to_string(ExpertTables::most_experts) + ", not " + std::to_string(rows) +
                          ", " + std::to_string(top_k) + ", " + std::to_string(experts));
  }
}

void check_routing(const char* who, const ExpertRouting* routing) {
  if (routing == nullptr) {
    throw InvalidArgument(std::string(who) + ": routing must not be null");
  }
}

void check_routing(const char* who, const ExpertRouting* routing, int rows, int top_k, int experts) {
  check_routing(who, routing);
  if (routing->rows() != rows || routing->top_k() != top_k || routing->experts() != experts) {
    throw InvalidArgument(std::string(who) + ": rows, top_k and experts of the routing are " +
                          std::to_string(routing->rows()) + ", " + std::to_string(routing->top_k()) + ", " +
                          std::to_string(routing->experts()) + ", those of the call " + std::to_string(rows) +
                          ", " + std::to_string(top_k) + ", " + std::to_string(experts));
  }
}

void check_routing_ranks(const char* who, const RoutingRanks& ranks, const Communicator& communicator) {
  if (ranks.rank != communicator.rank() || ranks.ranks != communicator.size()) {
    throw InvalidArgument(std::string(who) + ": the routing is that of rank " + std::to_string(ranks.rank) +
                          " of " + std::to_string(ranks.ranks) + ", the workspace's rank is " +
                          std::to_string(communicator.rank()) + " of " + std::to_string(communicator.size()));
  }
}

const int* ExpertRouting::offsets() const noexcept {
  return tables_->tables().offsets;
}

const int* ExpertRouting::row_of_position() const noexcept {
  return tables_->tables().rows;
}

const int* ExpertRouting::positions() const noexcept {
  return tables_->tables().positions;
}

}  // namespace contextual::kernels::cuda
