#pragma once

/// \file
/// Optional members of a tunable kernel.

#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/launch/kernel_arguments.hpp>
#include <contextual/detail/launch/load_hook.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/key.hpp>
#include <contextual/metrics.hpp>
#include <contextual/participation.hpp>
#include <contextual/timer.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace contextual {

/// Options of a TunableKernel; every member may be left out. `Signature` is the launcher's signature,
/// `R(const C&, Args...)`. A callable member holds any copyable callable of the signature written with it;
/// for others, a compile-time message names the member.
///
/// Unless a member says otherwise, it is called only while tuning, on the launching thread, outside the timed
/// interval, with the arguments of the current launch as lvalues. It must never wait for a device and never
/// communicate. ConfigRejected rejects the config; any other exception counts as thrown by the region.
template <typename Signature>
struct KernelOptions : detail::NotALauncher<Signature> {};

template <typename R, typename C, typename... Args>
struct KernelOptions<R(const C&, Args...)> {
  /// Makes a config launchable: compiles and loads its code for the current device, for example by
  /// `load_kernel`, and sets attributes. Within the region, a first launch that did so could wait for ever
  /// beside a kernel that waits for it. Takes the config, or the config and the key, where it depends on
  /// sizes: `void(const C&)`, `void(const C&, const Key&)`, or an object that takes both.
  ///
  /// Called on the thread of `run` with no region work in flight, and never outside of tuning:
  /// - without a key, at the start of every tuning run for the default config of every living kernel, since
  ///   the tuner does not know yet which kernels the region launches. If it throws, it is called for the next
  ///   config, and the region's first run launches the first config that could be loaded. A coupled kernel
  ///   has its default only.
  /// - with the key, before the first launch of a config that is due, once for each problem and run.
  ///   DeviceError ends the run; any other exception rejects the config on all ranks.
  ///
  /// Return at once if the code is loaded already. The first launches of a tuning problem in a run happen
  /// before the tuner knows of the problem, with the default or the config locked in earlier, so that config
  /// must be launchable without the call that takes the key.
  detail::LoadHook<C> load{};
  /// Returns true if a launch with these arguments may use the config, like ConfigSpace::constraint, which
  /// does not see the arguments. Called for every launch with the config that it is to use, also outside of
  /// tuning and on any thread, which costs less than 10 ns beside the function itself; and for every config
  /// at the launches of a tuning problem in the first iteration of a run. Depends on nothing else.
  ///
  /// A config that some launch of a tuning problem does not allow, on some rank, is no candidate of the
  /// problem and is not chosen again for its region in this process. That launch uses the fallback, and what
  /// is measured there is no sample. If no config is left, the default remains a candidate. The first launch
  /// and fallbacks use the default even if it is not allowed, because nothing else is known to fit on all
  /// ranks; stderr says so before the launch, once for each problem, and log and report say it.
  ///
  /// Outside of tuning, a launch whose chosen config is not allowed uses the default; stderr says so once.
  /// The problem then counts as new, so that a wrapped region or a function tunes it again with what all
  /// launches so far allow. Where other ranks use the choice too, or kernels that this one is coupled to do,
  /// such a launch throws ConfigRejected before it begins, whose message says which call makes all of them
  /// leave the config out. A `run` throws nothing, because the ranks meet after it.
  detail::CheckedHook<detail::KeepFits, bool(const C&, const std::remove_reference_t<Args>&...)> keep{};
  /// Called before and after every launch. The LaunchInfo is valid during the call only.
  detail::CheckedHook<detail::HookFits, void(const LaunchInfo&, Args&...)> before_launch{};
  detail::CheckedHook<detail::HookFits, void(const LaunchInfo&, Args&...)> after_launch{};
  /// Restores state that another config left behind, such as a workspace whose layout depends on the config,
  /// or an output that is accumulated into. Called before a launch whose config differs from that of the
  /// problem's previous launch; a fallback is such a launch.
  detail::CheckedHook<detail::ResetFits, void(Args&...)> reset{};
  /// Returns true if the launch's result is right. Called after every launch in a warm-up or lead-in. False,
  /// or ConfigRejected with a reason, rejects the assignment: the config beside those of the other kernels;
  /// with `search` off, and where no other problem is open, the config. The same call then launches the
  /// fallback if `reset` is given and the kernel is not coupled.
  detail::CheckedHook<detail::CheckFits, bool(const C&, Args&...)> check{};
  /// Returns the work of one launch, whatever its config: floating-point operations, bytes, or both. Report
  /// and logs then say the rates that each config reaches. Called for the launches of a tuning problem in the
  /// first tuning iteration in which this rank launches it; their sum belongs to the problem's own time. The
  /// run ends with InvalidArgument if a number is negative or not finite.
  detail::CheckedHook<detail::WorkFits, KernelWork(const std::remove_reference_t<Args>&...)> work{};
  Participation participation = Participation::all;  ///< which ranks launch the kernel
  /// Kernels with the same non-empty coupling form one tuning problem: their config spaces have equal sizes,
  /// their keys are equal, and all of them use the same config id. A kernel that waits for its peers on other
  /// ranks needs a coupling too, also when it is the only one: its own time contains that wait, so that it is
  /// chosen by the region's makespan. When a coupled launch fails, the run ends with
  /// Error, because a fallback would not match its partner. It needs none where its waits have a bound and
  /// RegisteredChecks reject what waited in vain, as those of the regions' kernels do.
  std::string coupling{};
  /// The version of the kernel's code, in any form. What was chosen for another version does not count, so
  /// change it with the code. Without a version, a kept choice belongs to the module that defines the
  /// launcher, the program or the shared library, and does not count in another one or after a rebuild. So a
  /// kernel of a library that is linked into many programs needs one to share its choices, and so does a
  /// program that ships choices. Config space and, of a CudaKernel, source and compiler are part of it
  /// anyway.
  std::string version{};
  /// The names of the key's parts in logs, e.g. {"M", "N", "K"}.
  std::vector<std::string> key_names{};
};

}  // namespace contextual
