#pragma once

/// \file
/// A tuning problem as this rank's launches see it, by who changes what and when.

#include "contextual/policy/batch_plan.hpp"

#include <contextual/key.hpp>
#include <contextual/participation.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::detail {

class KernelCore;

/// What a tuning problem is, on every rank that launches it.
struct Problem {
  std::string coupling;  ///< empty: not coupled
  Key key;
  std::string name;  ///< of the kernel, or of the coupling
  std::string key_text;
  Participation participation = Participation::all;
  std::size_t config_count = 1;
  std::uint64_t space_digest = 0;  ///< where kernels are coupled, of the one that was seen first
  std::uint64_t identity = 0;      ///< hash of what is to be equal on all ranks
};

/// What launches go by during a batch. The thread of `run` replaces it as a whole between batches.
struct BatchView {
  std::vector<policy::Cell> cells;  ///< by batch iteration; empty before the problem has joined
  std::vector<bool> prepared;       ///< per config, on this rank; empty where nothing needs preparing
  std::optional<std::size_t> best_so_far;

  /// The config needs preparing, and has not been prepared here: others may launch what this rank meets
  /// first in this batch.
  bool lacks_preparation(std::size_t config_id) const {
    return config_id < prepared.size() && !prepared[config_id];
  }
};

/// A config that failed on this rank in the current batch.
struct LocalRejection {
  std::size_t config_id = 0;
  std::size_t batch_iteration = 0;
  std::string reason;
};

/// What launches write, on any thread.
struct LaunchWrites {
  explicit LaunchWrites(std::size_t config_count)
      : rejected(std::make_unique<std::atomic<bool>[]>(config_count)) {}

  std::unique_ptr<std::atomic<bool>[]> rejected;  ///< per config, agreed ones included
  std::atomic<std::int64_t> last_config{-1};
  std::mutex mutex;
  std::vector<LocalRejection> rejections;  ///< of the current batch; under the mutex
};

/// What is found out when a kernel launches the problem for the first time in a run, under the run's lock.
/// What is agreed with the other ranks when the problem joins is the last change, but for the members.
struct Discovery {
  explicit Discovery(std::size_t config_count) : left_out(config_count, false) {}

  /// One, or the coupled kernels seen; none on ranks without it. A kernel that is made anew replaces itself.
  std::vector<std::shared_ptr<const KernelCore>> members;
  bool has_prepare = false;                  ///< of some member, on some rank
  std::optional<std::size_t> locked_config;  ///< by an earlier run
  std::vector<bool> left_out;                ///< per config: no candidate, said `keep` on some rank
};

/// Stable in memory for the whole run. What every launch reads and writes comes first and together: a launch
/// finds little of it in the nearest cache when the driver has just run.
struct ProblemSlot {
  ProblemSlot(std::size_t position, Problem what)
      : index(position), launched(what.config_count), problem(std::move(what)), found(problem.config_count) {}

  const std::size_t index;  ///< among the run's slots on this rank
  BatchView batch;
  LaunchWrites launched;
  const Problem problem;
  Discovery found;

  bool shared() const noexcept { return problem.participation != Participation::local; }
  /// The ranks, or this rank alone, decide it in this batch; not before the batch after its discovery.
  bool joined() const noexcept { return !batch.cells.empty(); }
};

}  // namespace contextual::detail
