#pragma once

/// \file
/// The parts of an ExpertRouting, for the kernels that use it.

#include "kernels/cuda/expert_tables.hpp"
#include "kernels/cuda/peers/routing_gather_parameters.hpp"

#include <contextual/communicator.hpp>
#include <contextual/kernels/cuda/expert_routing.hpp>

namespace contextual::kernels::cuda {

/// On the device, in one allocation.
struct ExpertRouting::Tables {
  ExpertRoutingParameters parameters{};  ///< those of the last preparation
  RowChoices gathered{};                 ///< from the ranks, if one was asked for with own rows'
  void* memory = nullptr;

  Tables() = default;
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables();

  const ExpertTables& tables() const noexcept { return parameters.tables; }
};

/// Returns the list of tiles of this height: one of 64, 128 and 256 rows.
constexpr int expert_tile_list(int height) {
  int list = 0;
  while (ExpertTables::least_height << list < height) {
    ++list;
  }
  return list;
}

/// Throws InvalidArgument, whose text begins with `who`, for sizes that no routing has.
void check_expert_sizes(const char* who, int rows, int top_k, int experts);
/// Throws InvalidArgument, whose text begins with `who`, for a null pointer.
void check_routing(const char* who, const ExpertRouting* routing);
/// And unless it is of these sizes.
void check_routing(const char* who, const ExpertRouting* routing, int rows, int top_k, int experts);

/// Throws InvalidArgument, whose text begins with `who`, for a routing of other ranks.
void check_routing_ranks(const char* who, const RoutingRanks& ranks, const Communicator& communicator);

/// The header of kernels that use a routing.
extern const char* const expert_tables_header;

}  // namespace contextual::kernels::cuda
