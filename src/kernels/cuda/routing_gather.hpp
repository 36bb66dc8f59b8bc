#pragma once

/// \file
/// The experts that the rows of all ranks choose, gathered from what each rank knows of its own rows.

#include "kernels/cuda/peers/routing_gather_parameters.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <cuda.h>

#include <cstddef>

namespace contextual::kernels::cuda {

/// One call.
struct RoutingGather {
  PeerWorkspace::Parts* workspace = nullptr;
  const int* own_ids = nullptr;        ///< [own rows, top_k]
  const float* own_weights = nullptr;  ///< the same; or null
  int rows = 0;                        ///< of all ranks
  int top_k = 0;
  RowChoices gathered{};  ///< without weights on the ranks that have rows, those here are worth nothing
};

/// Returns how many bytes of the workspace a call takes. They are its last ones, behind own rows that wait at
/// its beginning for the next call.
std::size_t routing_gather_bytes(int rows, int top_k);

/// Throws InvalidArgument, whose text begins with `who`.
void check_routing_gather(const char* who, const RoutingGather& call);

/// Gathers in stream order, by a kernel where the ranks can use each other's memory, else by NCCL. A launch
/// of the kernel is a call on the workspace: it advances the epoch. Throws CudaError and CommunicationError.
void gather_routing(CUstream stream, const RoutingGather& call);
void gather_routing_by_nccl(CUstream stream, const RoutingGather& call);

/// Compiles and loads the kernel, as the first launch would.
void load_routing_gather();

}  // namespace contextual::kernels::cuda
