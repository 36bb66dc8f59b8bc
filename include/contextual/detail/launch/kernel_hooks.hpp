#pragma once

#include <contextual/detail/config/erased_callable.hpp>
#include <contextual/key.hpp>
#include <contextual/metrics.hpp>
#include <contextual/participation.hpp>

#include <string>
#include <vector>

namespace contextual::detail {

/// A kernel's key function and KernelOptions without its signature: see there. A hook gets the addresses of
/// its arguments.
struct CONTEXTUAL_API KernelHooks {
  /// Moves the key function, and the members out of KernelOptions. They are given one by one, because their
  /// user's compiler then generates nothing but a call.
  template <typename Options>
  static KernelHooks of(PackedResult<Key>& key, Options& options) {
    return {key,
            options.load,
            options.load.needs_key(),
            options.keep,
            options.before_launch,
            options.after_launch,
            options.reset,
            options.check,
            options.work,
            options.participation,
            options.coupling,
            options.version,
            options.key_names};
  }
  KernelHooks(PackedResult<Key>& key, PackedResult<void>& load, bool load_needs_key, PackedResult<bool>& keep,
              PackedResult<void>& before_launch, PackedResult<void>& after_launch, PackedResult<void>& reset,
              PackedResult<bool>& check, PackedResult<KernelWork>& work, Participation participation,
              std::string& coupling, std::string& version, std::vector<std::string>& key_names);
  KernelHooks(const KernelHooks&) = delete;
  KernelHooks(KernelHooks&&) noexcept;
  KernelHooks& operator=(const KernelHooks&) = delete;
  ~KernelHooks();

  PackedResult<Key> key;
  PackedResult<void> load;
  bool load_needs_key;
  PackedResult<bool> keep;
  PackedResult<void> before_launch;
  PackedResult<void> after_launch;
  PackedResult<void> reset;
  PackedResult<bool> check;
  PackedResult<KernelWork> work;
  PackedResult<void> meet{};  ///< gets every config that a problem's first launch in a run may use
  Participation participation;
  std::string coupling;
  std::string version;
  std::vector<std::string> key_names;
};

}  // namespace contextual::detail
