#pragma once

/// \file
/// Optional members of a tunable kernel.

#include <contextual/detail/launch/checked_function.hpp>
#include <contextual/detail/launch/kernel_arguments.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/key.hpp>
#include <contextual/participation.hpp>
#include <contextual/timer.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace contextual {

/// Everything is optional. `Signature` is `R(const C&, Args...)`, as the launcher's. The callables are as
/// std::function of the signature that is written here; what does not fit is named by the compiler.
///
/// Arguments are this launch's, as lvalues. Hooks run on the launching thread, outside the timed interval,
/// and only while tuning, except where said. They obey the rule of the interception: never wait for a
/// device, never communicate. What they throw, other than ConfigRejected, is the region's own error.
template <typename Signature>
struct KernelOptions : detail::NotALauncher<Signature> {};

template <typename R, typename C, typename... Args>
struct KernelOptions<R(const C&, Args...)> {
  /// Compile, load, set attributes: everything that must not happen inside the region. Called once a config
  /// and run, before its launch is due, on the thread of `run`, with no region work in flight; never for
  /// launches outside of tuning. ConfigRejected, or any other exception, rejects the config on all ranks.
  ///
  /// A problem's first launches in a run come before its kernel is known, with the default or what was locked
  /// in: these must be launchable without it, or by `preload`.
  detail::CheckedFunction<detail::PrepareFits, void(const C&)> prepare{};
  /// The same, for one problem's launches of a config; called after `prepare` where both are given. For a
  /// kernel whose preparing depends on sizes.
  detail::CheckedFunction<detail::PrepareForFits, void(const C&, const Key&)> prepare_for{};
  /// What a first launch needs to be loaded, so that it does not load code beside a kernel that waits for it.
  /// Called at the begin of every run for the default config of every living kernel, on the thread of `run`,
  /// before any region work: whether it is needed by this region is not known then. Returns at once where all
  /// is done. When it throws, the next config is tried, and the region's first run launches the first one
  /// that could be loaded.
  detail::CheckedFunction<detail::PreloadFits, void(const C&)> preload{};
  /// True: this config is a candidate for such a launch. Asked once for each config of a problem, at its
  /// first launch, and for the default too: where that is left out, it still is what the first launch and a
  /// fallback use, but is not chosen. What one rank leaves out is left out on all; where nothing is left, the
  /// default stays. The same sense as ConfigSpace::constraint, which does not know the launch's arguments.
  detail::CheckedFunction<detail::KeepFits, bool(const C&, const std::remove_reference_t<Args>&...)> keep{};
  detail::CheckedFunction<detail::HookFits, void(const LaunchInfo&, Args&...)> before_launch{};
  detail::CheckedFunction<detail::HookFits, void(const LaunchInfo&, Args&...)> after_launch{};
  /// Puts state back that a candidate leaves behind (a workspace whose layout depends on the config, an
  /// output that is accumulated into): called before a launch whose config differs from the problem's
  /// previous launch, and before a fallback.
  detail::CheckedFunction<detail::ResetFits, void(Args&...)> reset{};
  /// Is the result right? Asked on each config's first use (every warm-up). False, or ConfigRejected with a
  /// reason, rejects the config; with `reset` the same call then launches the fallback.
  detail::CheckedFunction<detail::CheckFits, bool(const C&, Args&...)> check{};
  Participation participation = Participation::all;
  /// Kernels with the same non-empty name are one tuning problem: they have config spaces of equal size and
  /// use the same config id, and compute equal keys. Also for one kernel that waits for its peers on other
  /// ranks. A coupled launch that fails ends the run with an error: a fallback would not match its partner.
  std::string coupling{};
  /// Names of the key's parts, for logs: {"M", "N", "K"}.
  std::vector<std::string> key_names{};
};

}  // namespace contextual
