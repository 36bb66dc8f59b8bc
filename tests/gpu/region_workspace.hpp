#pragma once

/// \file
/// The workspace of all ranks of a test, and how they tune.

#include "gpu/gpu_rank.hpp"
#include "gpu/kernel_support.hpp"
#include "kernels/cuda/peers/workspace_parts.hpp"

#include <contextual/config.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/kernels/cuda/peer_workspace.hpp>
#include <contextual/mpi.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace contextual::test::gpu_test {

/// Returns a workspace, or null, with the reason for ctest, where the ranks cannot use each other's memory.
/// Collective.
inline std::shared_ptr<kernels::cuda::PeerWorkspace> region_workspace(
    const Rank& rank, std::size_t bytes, const kernels::cuda::PeerWorkspaceOptions& options = {}) {
  auto workspace =
      std::make_shared<kernels::cuda::PeerWorkspace>(mpi_communicator(MPI_COMM_WORLD), bytes, options);
  if (workspace->problem().empty()) {
    return workspace;
  }
  if (rank.number == 0) {
    std::printf("skipped: %s\n", workspace->problem().c_str());
  }
  return nullptr;
}

/// Every rank has a GPU. Collective.
inline bool ready_here() {
  return on_all_ranks(has_gpu());
}

/// The workspace's matrices hold NaN wherever nobody has written yet. Collective: nobody writes before
/// everybody has poisoned.
inline void poison(kernels::cuda::PeerWorkspace& workspace) {
  cuda_check(cudaMemset(workspace.parts().matrices_of(workspace.rank()), 0xff, workspace.bytes()));
  cuda_check(cudaDeviceSynchronize());
  on_all_ranks(true);
}

/// A short tuning of a region of all ranks. Many ranks share their GPUs, which then take turns: they try
/// fewer assignments.
inline Options region_tuning(const Rank& rank) {
  Options options{.n_warmup = 1,
                  .n_repeat = 2,
                  .search = SearchLevel::quick,
                  .communicator = mpi_communicator(MPI_COMM_WORLD)};
  options.search_settings.runs = rank.count > 4 ? 40 : 120;
  options.always_tune = true;
  options.log_directory = "";
  options.timer = cuda_timer;  // events under a tool that has CUPTI
  return options;
}

/// For Options::feasible: regions keep to this way.
inline auto only_way(const char* way) {
  return [way](std::span<const AssignedConfig> configs) {
    return std::all_of(configs.begin(), configs.end(), [way](const AssignedConfig& config) {
      return !config.kernel.ends_with("_ways") || config.config == nullptr ||
             config.config->get<std::string>("alternative") == way;
    });
  };
}

}  // namespace contextual::test::gpu_test
