#pragma once

/// \file
/// The part of a tunable kernel that does not depend on its types.

#include <contextual/detail/config/space_view.hpp>
#include <contextual/detail/launch/lock_in_table.hpp>
#include <contextual/export.hpp>
#include <contextual/key.hpp>
#include <contextual/participation.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace contextual::detail {

/// What a kernel tells the engine about itself.
struct KernelTraits {
  std::string name;
  Participation participation = Participation::all;
  std::string coupling;
  std::vector<std::string> key_names;
  std::function<SpaceView()> space;                      ///< throws ConfigSpaceError
  std::function<void(std::size_t, const Key&)> prepare;  ///< may be empty
  std::function<void(std::size_t)> preload;              ///< may be empty
  bool takes_stream = false;                             ///< it launches on a CUDA stream
};

/// Shared by the kernel object, the registry and the runs that saw it, so that a kernel may be destroyed
/// while a run is active.
class CONTEXTUAL_API KernelCore : public std::enable_shared_from_this<KernelCore> {
 public:
  static constexpr int tuning = -1;  ///< `resolve`: this thread is inside a region that is being tuned
  /// `resolve` in a run with nothing to tune gives `first_watched - id`: the launch of config `id` is to be
  /// watched, since the run is told when a choice cannot be launched any more.
  static constexpr int first_watched = -2;

  explicit KernelCore(KernelTraits traits);
  ~KernelCore();

  /// The config of a launch outside of tuning, or `tuning`. Cost: one thread-local read, one table look-up
  /// by atomic loads; no lock, allocation or string. The first launch generates the config space.
  /// Throws ConfigSpaceError for a bad space, InvalidArgument when two living kernels have one name.
  int resolve(const Key& key) const;

  const KernelTraits& traits() const noexcept { return traits_; }
  /// Name and values of every config, in order. Throws ConfigSpaceError.
  const SpaceView& space() const;
  std::string key_text(const Key& key) const;

  /// Loads the first config that can be. Called between runs' batches only; never throws.
  void preload() const noexcept;
  /// What a problem's first launch uses where nothing is locked in: the default, unless that cannot be
  /// loaded.
  std::size_t first_config() const noexcept { return first_config_.load(std::memory_order_relaxed); }
  /// Why no config can be loaded, by config; empty where one can. Changed by `preload` alone.
  const std::vector<std::string>& preload_failures() const noexcept { return preload_failures_; }

  /// Another living kernel has this one's name.
  bool ambiguous() const noexcept { return ambiguous_.load(std::memory_order_acquire); }
  /// Throws InvalidArgument where it is ambiguous.
  void check_unambiguous() const;

  bool alive() const noexcept { return alive_.load(std::memory_order_acquire); }
  void mark_destroyed() noexcept { alive_.store(false, std::memory_order_release); }

  std::shared_ptr<LockInTable> table() const;

  // For LaunchRegistry, under its lock.
  void set_fast_path(bool enabled) noexcept;
  void set_ambiguous(bool ambiguous) noexcept { ambiguous_.store(ambiguous, std::memory_order_release); }

  std::atomic<std::uint64_t>& unguarded_launches() const noexcept { return unguarded_launches_; }

 private:
  int resolve_slowly(const Key& key) const;
  void make_ready() const;
  int look_up(const LockInTable& table, const Key& key) const noexcept;
  int look_up_in_pass(const LockInTable& table, const Key& key, int config_id) const noexcept;

  KernelTraits traits_;
  mutable std::atomic<const LockInTable*> fast_table_{
      nullptr};  ///< null: not ready, ambiguous, or a run is active
  mutable std::shared_ptr<LockInTable> table_;
  mutable SpaceView space_;
  mutable std::exception_ptr space_error_;
  mutable std::once_flag ready_once_;
  mutable std::atomic<bool> ready_{false};
  mutable std::atomic<std::uint64_t> unguarded_launches_{0};
  mutable std::atomic<std::size_t> first_config_{0};
  mutable std::vector<std::string> preload_failures_;
  std::atomic<bool> alive_{true};
  std::atomic<bool> ambiguous_{false};
};

}  // namespace contextual::detail
