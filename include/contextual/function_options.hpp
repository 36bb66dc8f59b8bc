#pragma once

/// \file
/// Options of a tuned function.

#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/launch/kernel_arguments.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/options.hpp>
#include <contextual/output.hpp>

#include <type_traits>
#include <vector>

namespace contextual {

/// Options of a TunedFunction; every member may be left out. `Signature` is the function's signature,
/// `R(const C&, Args...)`.
template <typename Signature>
struct FunctionOptions : detail::NotALauncher<Signature> {};

template <typename R, typename C, typename... Args>
struct FunctionOptions<R(const C&, Args...)> {
  /// Returns true if the config is a candidate for calls with these arguments; see KernelOptions::keep. Where
  /// `kernel.keep` is set too, both must allow a config.
  detail::CheckedHook<detail::FunctionKeepFits, bool(const C&, const std::remove_reference_t<Args>&...)>
      keep{};
  /// Called before each run that is measured while a call tunes, outside the measured time, for example to
  /// fill inputs or to clear a cache. Not called before the run whose result the call returns, nor in calls
  /// that do not tune.
  detail::CheckedHook<detail::BeforeEachFits, void(Args&...)> before_each{};
  /// Brings back what the function has changed, so that each run of a call that tunes begins with what the
  /// caller gave, and that such a call has the effect of one run. Called between the runs of one call, before
  /// `before_each`, and before the run whose result the call returns, outside the measured time; with
  /// `outputs` also before the first run. Not called in calls that run the function once.
  ///
  /// It must keep itself what it brings back, for instance by a copy that the caller makes before the call.
  /// On a GPU it waits for its work, or submits it to the stream that the function uses.
  detail::CheckedHook<detail::RestoreFits, void(Args&...)> restore{};
  /// Returns what a call with these arguments writes and does not read: see Options::outputs, to which these
  /// are added. What the function also reads `restore` brings back, which is called after they were filled.
  detail::CheckedHook<detail::OutputsFit, std::vector<Output>(Args&...)> outputs{};
  /// What the engine is to know of the function, such as `load`, `check`, `version`, `key_names`.
  KernelOptions<R(const C&, Args...)> kernel{};
  /// How it is tuned: `n_warmup`, `n_repeat`, `timer`, `communicator`, `cache_directory` and so on. The hooks
  /// in there are called too, before those above.
  Options options{};
};

}  // namespace contextual
