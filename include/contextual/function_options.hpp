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
  /// Returns what a call with these arguments writes and does not read: see Options::outputs, to which these
  /// are added. What the function also reads belongs to `restore`, too.
  detail::CheckedHook<detail::OutputsFit, std::vector<Output>(Args&...)> outputs{};
  /// Returns what a call with these arguments changes and reads: see Options::restore, to which these are
  /// added. Each run of a call that tunes then begins with what the caller gave, so that the call has the
  /// effect of one run. Neither of the two is called for a key for which a config is known.
  detail::CheckedHook<detail::RestoreFits, std::vector<Restored>(Args&...)> restore{};
  /// Called before each run that is measured while a call tunes, outside the measured time, for example to
  /// fill inputs or to clear a cache. Not called before the run whose result the call returns, nor in calls
  /// that do not tune. On a GPU it waits for its work, or submits it to the stream that the function uses.
  detail::CheckedHook<detail::BeforeEachFits, void(Args&...)> before_each{};
  /// What the engine is to know of the function, such as `load`, `check`, `version`, `key_names`.
  KernelOptions<R(const C&, Args...)> kernel{};
  /// How it is tuned: `n_warmup`, `n_repeat`, `timer`, `communicator`, `cache_directory` and so on. The hooks
  /// in there are called too, before those above.
  Options options{};
};

}  // namespace contextual
