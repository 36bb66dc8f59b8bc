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

/// The properties of a tuning problem that are equal on every rank that launches it.
struct Problem {
  std::string name;      ///< of the kernel, or of the coupling
  std::string coupling;  ///< empty if the kernel is not coupled
  Key key;
  std::string key_text;
  Participation participation = Participation::all;
  std::size_t config_count = 1;
  std::uint64_t space_digest = 0;  ///< for coupled kernels, of the one that was launched first
  std::uint64_t identity = 0;      ///< a hash of what must be equal on all ranks
};

/// A config that failed on this rank in the current batch.
struct LocalRejection {
  std::size_t config_id = 0;
  std::size_t batch_iteration = 0;
  std::string reason;
};

/// A tuning problem as this rank's launches see it. Its address does not change during the run.
struct ProblemSlot {
  ProblemSlot(std::size_t position, const Problem& problem);

  // The members that every launch uses come first and together, because after a call of the driver little of
  // them is left in the nearest cache. Members without another comment are fixed once the problem is
  // discovered.
  std::size_t index;  ///< among the run's slots on this rank
  std::string coupling;
  std::vector<policy::Cell> cells;  ///< by batch iteration, fixed during a batch; empty before it joined
  std::unique_ptr<std::atomic<bool>[]> rejected;  ///< by config, including rejections that ranks agreed on
  std::atomic<std::int64_t> last_config{-1};
  bool has_prepare = false;
  /// By config, whether this rank has prepared it; fixed during a batch. A rank may begin to launch a problem
  /// whose configs other ranks have prepared before.
  std::vector<bool> prepared_here;
  Key key;

  // Fixed once discovered.
  std::string name;  ///< kernel, or coupling
  std::string key_text;
  Participation participation = Participation::all;
  std::size_t config_count;
  std::uint64_t space_digest = 0;
  std::optional<std::size_t> locked_config;  ///< the choice of an earlier run
  std::vector<bool> left_out;                ///< by config: `keep` left it out on some rank
  std::uint64_t identity = 0;                ///< a hash of name, key, participation and config space

  // Fixed during a batch; changed between batches by the thread of `run`.
  std::vector<std::shared_ptr<const KernelCore>>
      members;                             ///< the kernels launched here: one, several if coupled, or none
  std::optional<std::size_t> state_index;  ///< set once it has joined
  std::optional<std::size_t> best_so_far;
  std::vector<bool> settled;   ///< by config: launched in a batch that settled without an error
  std::vector<bool> prepared;  ///< by config: all ranks that launch it prepared it; used if `has_prepare`
  std::vector<LocalRejection> late_rejections;  ///< configs that failed to prepare here, for the next batch
  std::optional<std::size_t> published_choice;  ///< in the lock-in tables, as far as this run knows

  // Written by launches that fail.
  std::mutex mutex;
  std::vector<LocalRejection> rejections;  ///< of the current batch

  bool shared() const noexcept { return participation != Participation::local; }
};

}  // namespace contextual::detail
