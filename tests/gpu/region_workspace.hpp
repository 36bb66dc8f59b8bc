#pragma once

/// \file
/// The workspace of all ranks of a test.

#include "gpu/gpu_rank.hpp"

#include <contextual/kernels/cuda/peer_workspace.hpp>
#include <contextual/mpi.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>

namespace gpu_test {

/// Returns a workspace, or null, with the reason for ctest, where the ranks cannot use each other's memory.
/// Collective.
inline std::shared_ptr<contextual::kernels::cuda::PeerWorkspace> region_workspace(
    const Rank& rank, std::size_t bytes,
    const contextual::kernels::cuda::PeerWorkspaceOptions& options = {}) {
  auto workspace = std::make_shared<contextual::kernels::cuda::PeerWorkspace>(
      contextual::mpi_communicator(MPI_COMM_WORLD), bytes, options);
  if (workspace->problem().empty()) {
    return workspace;
  }
  if (rank.number == 0) {
    std::printf("skipped: %s\n", workspace->problem().c_str());
  }
  return nullptr;
}

}  // namespace gpu_test
