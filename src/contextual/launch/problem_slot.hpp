#pragma once

/// \file
/// A tuning problem as this rank's launches see it, by who changes what and when.

#include "contextual/config/digested_words.hpp"
#include "contextual/policy/batch_plan.hpp"

#include <contextual/config.hpp>
#include <contextual/key.hpp>
#include <contextual/metrics.hpp>
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
struct ProblemSlot;

/// An alternative of a choice point, or a config of a function.
struct LaunchingAlternative {
  ProblemSlot* choice_point = nullptr;
  std::size_t config_id = 0;
};

/// The properties of a tuning problem that are equal on every rank that launches it.
struct Problem {
  std::string coupling;  ///< empty if the kernel is not coupled
  Key key;
  std::string name;      ///< of the kernel, or of the coupling
  std::string key_text;  ///< says the alternatives as well
  Participation participation = Participation::all;
  std::size_t config_count = 1;
  std::size_t refinement_count = 0;  ///< so many of the configs, at the end: see ConfigSpace::refine
  std::uint64_t space_digest = 0;    ///< for coupled kernels, of the one that was launched first
  std::uint64_t identity = 0;        ///< a hash of what must be equal on all ranks
  bool choice_point = false;  ///< its configs are alternatives, or those of a function that launches kernels
  std::uint64_t scope = 0;    ///< the alternatives around its launches, see scope_of; 0 for none
  int depth = 0;              ///< how many alternatives that are
};

/// What launches read during a batch. The thread of `run` replaces it as a whole between batches.
struct BatchView {
  std::vector<policy::Cell> cells;  ///< by batch iteration; empty before the problem has joined
  std::vector<bool> prepared;       ///< per config, on this rank; empty where nothing needs preparing
  std::optional<std::size_t> best_so_far;

  /// Returns true if the config needs preparing and this rank has not prepared it. That happens when this
  /// rank launches a problem for the first time after other ranks have prepared its configs.
  bool lacks_preparation(std::size_t config_id) const {
    return config_id < prepared.size() && !prepared[config_id];
  }

  bool operator==(const BatchView&) const = default;
};

/// A config that failed on this rank in the current batch, by itself or beside its neighbours.
struct LocalRejection {
  std::size_t config_id = 0;
  std::size_t batch_iteration = 0;
  std::string reason;
  /// True if the launch's result was wrong, which another kernel of the region may have caused: the
  /// assignment of configs is to blame.
  bool of_assignment = false;
  /// True for the default where it has not failed: `keep` does not allow it for some launch.
  bool left_out = false;
};

/// What launches write, on any thread.
struct LaunchWrites {
  explicit LaunchWrites(std::size_t config_count)
      : rejected(std::make_unique<std::atomic<bool>[]>(config_count)) {}

  std::unique_ptr<std::atomic<bool>[]> rejected;  ///< per config, agreed ones included
  std::atomic<std::int64_t> last_config{-1};
  std::atomic<bool> told_of_default{false};  ///< that it is launched though `keep` does not allow it
  std::mutex mutex;
  std::vector<LocalRejection> rejections;  ///< of the current batch; under the mutex
  static constexpr std::int64_t no_iteration = -1;
  /// The first tuning iteration whose launches said their work, and the sum of that; under the mutex. 0 where
  /// nobody says it.
  std::atomic<std::int64_t> work_iteration{no_iteration};
  KernelWork work;
};

/// What the problem's first launches in a run reveal; written under the run's lock. When the problem joins,
/// the ranks' agreement about it is the last change. Only the members may change later.
struct Discovery {
  explicit Discovery(std::size_t config_count) : left_out(config_count, false) {}

  /// The kernels launched here: one, several if coupled, or none. A kernel that is made anew replaces its
  /// predecessor.
  std::vector<std::shared_ptr<const KernelCore>> members;
  std::vector<KeyWord> key_words{};  ///< also of a long key; empty if it is not launched here
  bool needs_loading = false;        ///< some member on some rank has a `load`
  bool has_verify = false;           ///< an object on some rank judges its results, see RegisteredChecks
  bool told_of_inner = false;        ///< this rank has warned of a launch within a launch of the problem
  std::optional<std::size_t> locked_config;  ///< the choice of an earlier run, or a pinned one
  std::string pinned_by;                     ///< the file that pins it; empty: none
  std::vector<bool> left_out;                ///< by config: `keep` left it out for some launch on some rank
  /// The configs as names and values, known on all ranks from when the problem joins; null for a coupled one.
  std::shared_ptr<const std::vector<Config>> configs{};
};

/// A tuning problem as this rank's launches see it. Its address does not change during the run. The members
/// that every launch uses come first and together, because after a call of the driver little of them is left
/// in the nearest cache.
struct ProblemSlot {
  ProblemSlot(std::size_t position, Problem what)
      : index(position), launched(what.config_count), problem(std::move(what)), found(problem.config_count) {}

  const std::size_t index;  ///< among the run's slots on this rank
  BatchView batch;
  LaunchWrites launched;
  Problem problem;  ///< changes only in RunContext::make_choice_point, before it has joined
  Discovery found;

  /// Returns true from the batch after its discovery on.
  bool joined() const noexcept { return !batch.cells.empty(); }
};

}  // namespace contextual::detail
