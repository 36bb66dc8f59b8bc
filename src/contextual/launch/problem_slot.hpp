#pragma once

/// \file
/// A tuning problem as this rank's launches see it.

#include "contextual/policy/tuning_state.hpp"

#include <contextual/key.hpp>
#include <contextual/participation.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace contextual::detail {

class KernelCore;

/// What a tuning problem is, on every rank that launches it.
struct Problem {
  std::string name;      ///< of the kernel, or of the coupling
  std::string coupling;  ///< empty: not coupled
  Key key;
  std::string key_text;
  Participation participation = Participation::all;
  std::size_t config_count = 1;
  std::uint64_t space_digest = 0;  ///< where kernels are coupled, of the one that was seen first
  std::uint64_t identity = 0;      ///< hash of what is to be equal on all ranks
};

/// A config that failed on this rank in the current batch.
struct LocalRejection {
  std::size_t config_id = 0;
  std::size_t batch_iteration = 0;
  std::string reason;
};

/// A tuning problem as this rank's launches see it. Stable in memory for the whole run.
struct ProblemSlot {
  ProblemSlot(std::size_t position, const Problem& problem);

  // What every launch reads and writes comes first and together: a launch finds little of it in the nearest
  // cache when the driver has just run. What has no other comment is fixed once discovered.
  std::size_t index;  ///< among the run's slots on this rank
  std::string coupling;
  std::vector<policy::Cell> cells;  ///< by batch iteration, fixed during one; empty until joined
  std::unique_ptr<std::atomic<bool>[]> rejected;  ///< per config, agreed ones included
  std::atomic<std::int64_t> last_config{-1};
  bool has_prepare = false;
  /// Fixed during a batch: a rank may begin to launch what others have prepared before.
  std::vector<bool> prepared_here;
  Key key;

  // Fixed once discovered.
  std::string name;  ///< kernel, or coupling
  std::string key_text;
  Participation participation = Participation::all;
  std::size_t config_count;
  std::uint64_t space_digest = 0;
  std::optional<std::size_t> locked_config;  ///< by an earlier run
  std::vector<bool> left_out;                ///< per config: no candidate, said `keep` on some rank
  std::uint64_t identity = 0;                ///< hash of name, key, participation and config space

  // Fixed during a batch; changed between batches by the thread of `run`.
  std::vector<std::shared_ptr<const KernelCore>>
      members;                             ///< one, or the coupled kernels seen; not on ranks without it
  std::optional<std::size_t> state_index;  ///< once joined
  std::optional<std::size_t> best_so_far;
  std::vector<bool> settled;   ///< per config: launched in a batch that settled well
  std::vector<bool> prepared;  ///< per config, on all ranks that launch it; only where `has_prepare`
  std::vector<LocalRejection> late_rejections;  ///< what could not be prepared here; for the next batch
  std::optional<std::size_t> published_choice;  ///< in the lock-in tables, as far as this run knows

  // Written by launches that fail.
  std::mutex mutex;
  std::vector<LocalRejection> rejections;  ///< of the current batch

  bool shared() const noexcept { return participation != Participation::local; }
};

}  // namespace contextual::detail
