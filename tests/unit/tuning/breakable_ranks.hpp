#pragma once

/// \file
/// A choice of several ranks that breaks on one of them after it was made.

#include "support/ranks.hpp"

#include <atomic>

namespace contextual::test {

/// A kernel of three configs on each rank, of which the last one is fastest. On rank 1 that one refuses to
/// launch while `broken`.
struct BreakableRanks {
  BreakableRanks(int ranks, const std::string& name, const RankKernel::Options& options = {})
      : tried(static_cast<std::size_t>(ranks)), kernels(kernel_per_rank(ranks, [&](int rank) {
          return rank_kernel(name, 3, options, [this, rank](const TileConfig& config, int&) {
            tried[rank].push_back(config.tile);
            throw_if<ConfigRejected>(broken && rank == 1 && config.tile == 3, "no memory left for it");
          });
        })) {}
  BreakableRanks(const BreakableRanks&) = delete;
  BreakableRanks& operator=(const BreakableRanks&) = delete;
  ~BreakableRanks() = default;

  /// Called by all ranks: while they wait for each other it becomes so.
  void set_broken(Communicator& communicator, bool now) {
    communicator.all_gather("", Deadline::after(std::chrono::seconds(20)));
    broken = now;
    communicator.all_gather("", Deadline::after(std::chrono::seconds(20)));
  }

  std::atomic<bool> broken{false};
  PerRank<std::vector<int>> tried;  ///< tiles
  RankKernels kernels;
};

}  // namespace contextual::test
