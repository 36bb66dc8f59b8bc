#pragma once

/// \file
/// The part of a tunable kernel that does not depend on its types.

#include <contextual/detail/config/space_view.hpp>
#include <contextual/detail/launch/lock_in_table.hpp>
#include <contextual/export.hpp>
#include <contextual/key.hpp>
#include <contextual/participation.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::detail {

class KernelPins;

/// What the engine knows about a kernel.
struct KernelTraits {
  std::string name;
  Participation participation = Participation::all;
  std::string coupling;
  std::vector<std::string> key_names;
  std::function<SpaceView()> space;     ///< throws ConfigSpaceError
  std::string version;                  ///< KernelOptions::version
  const void* code = nullptr;           ///< in the module that defines the kernel; null: unknown
  std::function<std::string()> source;  ///< what stands for its source code; may be empty, throws nothing
  /// Makes a config launchable for a key; null: for the first launch, whose key is not known. May be empty.
  std::function<void(std::size_t, const Key*)> load;
  bool load_needs_key = false;  ///< true if it does nothing without one
  bool takes_stream = false;    ///< true if a launch works on a CUDA stream: one that it gets or the default
  bool has_check = false;       ///< true if KernelOptions::check is given
  bool choice_point = false;    ///< true if its configs are alternatives
  /// True for a tuned function: it becomes a choice point in a run in which it launches tunable kernels.
  bool function = false;

  /// Returns true if it is a kernel on a CUDA stream itself, and not a choice between such.
  bool works_on_stream() const noexcept { return takes_stream && !choice_point; }
};

/// Shared by the kernel object, the registry and the runs that launched the kernel, so that a kernel may be
/// destroyed while a run is active.
class CONTEXTUAL_API KernelCore : public std::enable_shared_from_this<KernelCore> {
 public:
  static constexpr int tuning = -1;  ///< result of `resolve` inside a region that is being tuned
  /// In a run with nothing to tune, `resolve` returns `first_watched - id` for config `id`. Its launch must
  /// be watched, because the run has to know if a choice cannot be launched any more.
  static constexpr int first_watched = -2;
  /// Returns the config's id, of any other result than `tuning`.
  static constexpr std::size_t resolved_id(int resolved) noexcept {
    return static_cast<std::size_t>(resolved <= first_watched ? first_watched - resolved : resolved);
  }

  explicit KernelCore(KernelTraits traits);
  ~KernelCore();

  /// Returns the id of the config to launch, or one of the negative values above. Cost: one thread-local read
  /// and one table look-up by atomic loads; no lock, allocation or string. The first launch generates the
  /// config space. Throws ConfigSpaceError for a bad space, and InvalidArgument if two living kernels have
  /// one name, and as `check_device`.
  int resolve(const Key& key) const;

  const KernelTraits& traits() const noexcept { return traits_; }
  std::uint64_t name_hash() const noexcept { return name_hash_; }  ///< equal on all ranks
  static std::uint64_t hash_of(std::string_view name) noexcept;    ///< of the kernel of this name
  /// Returns the names and values of all configs in order. Throws ConfigSpaceError.
  const SpaceView& space() const;
  /// Returns what choices are kept for: a digest of the space and of `code_identity`. Throws as `space`.
  std::uint64_t table_digest() const;
  /// Returns what a kept choice belongs to, beside the config space: the version, or else the module that
  /// defines the kernel; and its source code. The first call for a module reads what it is.
  std::string code_identity() const;
  /// Returns the version or the module for people, such as "version 2" or "train 1f3a5c7e".
  std::string origin() const;
  std::string key_text(const Key& key) const;

  /// Calls the kernel's `load`, without a key, for its configs in order until one can be loaded. Called only
  /// while no region runs.
  void load_first() const noexcept;
  /// Returns the config of a problem's first launch if nothing is locked in: the first one that `load_first`
  /// could load, usually the default.
  std::size_t first_config() const noexcept { return first_config_.load(std::memory_order_relaxed); }
  /// Returns, by config, why it cannot be loaded, or nothing if one can. Thread-safe, as `load_first`, since
  /// several threads may begin runs at once.
  std::vector<std::string> load_failures() const;

  /// Throws InvalidArgument if the calling thread's current device is of another kind than those that this
  /// process launches on.
  void check_device() const;
  /// Another living kernel has this one's name.
  bool ambiguous() const noexcept { return ambiguous_.load(std::memory_order_acquire); }
  /// Throws InvalidArgument where it is ambiguous.
  void check_unambiguous() const;

  bool alive() const noexcept { return alive_.load(std::memory_order_acquire); }
  void mark_destroyed() noexcept { alive_.store(false, std::memory_order_release); }

  std::shared_ptr<LockInTable> table() const;

  /// Returns the id of the config that a file pins for such a launch, or LockInTable::none. Throws
  /// InvalidArgument, which names the file, if this kernel has no such config.
  int pinned(std::uint32_t region, const Key& key, std::uint64_t scope) const {
    const KernelPins* pins = pins_.load(std::memory_order_acquire);
    return pins == nullptr ? LockInTable::none : pinned_by(*pins, region, key, scope);
  }
  /// From now on, such a launch uses the default in place of what is pinned for it.
  void unpin(std::uint32_t region, const Key& key, std::uint64_t scope) const;
  /// Returns that file with its path; empty if nothing is pinned.
  std::string pinning_file(std::uint32_t region, const Key& key, std::uint64_t scope) const;

  // For LaunchRegistry, under its lock.
  void set_fast_path(bool enabled) noexcept;
  void set_pins(const KernelPins* pins) noexcept { pins_.store(pins, std::memory_order_release); }
  void set_ambiguous(bool ambiguous) noexcept { ambiguous_.store(ambiguous, std::memory_order_release); }

  std::atomic<std::uint64_t>& unguarded_launches() const noexcept { return unguarded_launches_; }

 private:
  int resolve_slowly(const Key& key) const;
  void make_ready() const;
  int pinned_by(const KernelPins& pins, std::uint32_t region, const Key& key, std::uint64_t scope) const;
  int look_up(const LockInTable& table, const Key& key) const noexcept;
  int look_up_in_pass(const LockInTable& table, const Key& key, int config_id) const noexcept;

  KernelTraits traits_;
  std::uint64_t name_hash_;
  mutable std::atomic<const LockInTable*> fast_table_{
      nullptr};  ///< null if the kernel is not ready, has a namesake or a pin, a run is active, or devices
                 ///< are checked
  std::atomic<const KernelPins*> pins_{nullptr};  ///< null if nothing of it is pinned
  mutable std::shared_ptr<LockInTable> table_;
  mutable SpaceView space_;
  mutable std::uint64_t table_digest_ = 0;
  mutable std::exception_ptr space_error_;
  mutable std::once_flag ready_once_;
  mutable std::atomic<bool> ready_{false};
  mutable std::atomic<std::uint64_t> unguarded_launches_{0};
  mutable std::atomic<std::size_t> first_config_{0};
  mutable std::mutex load_mutex_;
  mutable std::vector<std::string> load_failures_;  ///< under the mutex
  std::atomic<bool> alive_{true};
  std::atomic<bool> ambiguous_{false};
};

}  // namespace contextual::detail
