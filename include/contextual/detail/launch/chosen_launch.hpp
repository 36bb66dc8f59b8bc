#pragma once

/// \file
/// One launch outside of tuning, with the config that is chosen for it.

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/error.hpp>
#include <contextual/export.hpp>
#include <contextual/key.hpp>
#include <contextual/launch_status.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual::detail {

/// Call it when the config that KernelCore::resolve has returned on this thread has failed before it had any
/// effect. Returns true if the caller is to launch the default in its place, which is then what later
/// launches use: a warning on stderr says so. Where other ranks launch the kernel with this key, or a coupled
/// partner does, another config on this side would not match theirs: it returns false, and the ranks leave
/// the region's choices out when they meet next. In a run with nothing to tune it tells the run, and all
/// ranks tune afterwards; there it throws Error, which names the file, if the config is pinned.
CONTEXTUAL_API bool falls_back(const KernelCore& core, const Key& key, std::size_t config_id,
                               const std::string& reason);

/// Why a config is not launched that `keep` does not allow.
inline constexpr const char* refused_text =
    "`keep` does not allow it for the arguments of a launch with this key";

/// Call it when `keep` does not allow the config that KernelCore::resolve has returned on this thread for the
/// arguments of the launch. If it returns, the caller launches the default in its place, this time; a warning
/// on stderr says so once. It returns true if the region's problem counts as new, so that this process alone
/// may tune it again. Throws ConfigRejected where `falls_back` returns false, and Error where that throws. A
/// default that is not allowed is launched all the same: see tell_of_refused_default.
CONTEXTUAL_API bool replace_refused(const KernelCore& core, const Key& key, std::size_t config_id);

/// What stderr and logs say of a default that is launched though `keep` does not allow it.
std::string refused_default_text(const KernelCore& core, const std::string& key_text);

/// Call it before a launch outside of tuning that uses such a default: stderr says so, once a problem.
CONTEXTUAL_API void tell_of_refused_default(const KernelCore& core, const Key& key);

/// The same as `falls_back`, as an object. Inlined, so that nothing of it is in memory while the config is
/// launched.
struct FallsBack {
  const KernelCore& core;
  const Key& key;
  std::size_t config_id;
  [[gnu::always_inline]] bool operator()(const std::string& reason) const {
    return falls_back(core, key, config_id, reason);
  }
};

/// Launches the config, and the default if that fails and `fall_back(reason)` returns true. What fails then,
/// or where the device is lost, reaches the caller. Costs nothing but a look at the result if the launch
/// succeeds; a call of its own would cost 1.5 ns.
template <typename R, typename Launch, typename FallBack>
[[gnu::always_inline]] inline R launch_chosen(std::size_t config_id, const Launch& launch,
                                              const FallBack& fall_back) {
  try {
    if constexpr (std::is_void_v<R>) {
      return launch(config_id);
    } else {
      R result = launch(config_id);
      const auto failure = launch_failure(result);
      if (!failure || device_failure(result) || !fall_back(*failure)) [[likely]] {
        return std::forward<R>(result);
      }
    }
  } catch (const ConfigRejected& rejected) {
    if (!fall_back(rejected.what())) {
      throw;
    }
  }
  return launch(0);
}

}  // namespace contextual::detail
