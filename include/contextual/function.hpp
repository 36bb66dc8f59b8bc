#pragma once

/// \file
/// Tunes whole calls of one function, without a region: `auto tuned = autotune(...); tuned(args...)`.

#include <contextual/call_options.hpp>
#include <contextual/config_space.hpp>
#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/config/fixed_configs.hpp>
#include <contextual/detail/launch/kernel_arguments.hpp>
#include <contextual/detail/launch/signature.hpp>
#include <contextual/detail/tuning/function_space.hpp>
#include <contextual/function_options.hpp>
#include <contextual/key.hpp>
#include <contextual/report.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace contextual {

/// A function with a config space, which tunes itself. Made by `autotune`. `Signature` is the function's
/// signature, `R(const C&, Args...)`.
///
/// The first call of a key tunes: it runs the function again and again, as ContextualAutotuner::run does with
/// a region that launches one kernel, and returns the result of the last run. The function is that kernel,
/// and `name` names both. Later calls run it once, with what was chosen. Choices are kept for other processes
/// as those of a region are (docs/cache.md).
///
/// Called inside a region, it is a tunable kernel of that region: nothing of its own is tuned, and
/// `before_each`, `restore` and `outputs` are not called.
///
/// A function may launch tunable kernels. They are then tuned first, to the end under each config of the
/// function, and its configs are compared each at its best, as those of Alternatives are; a warning in log
/// and report says so. The function's key has to say everything that their keys depend on, because a later
/// call tunes nothing.
///
/// Ranks: every rank of the communicator makes the same calls in the same order, as for a `run`; a call with
/// a known key does not communicate. Threads: calls may be made on several threads if the function may be;
/// one call tunes at a time, and others wait for it up to the deadline, then throw Error. Errors: a call that
/// tunes throws what `run` throws, another one what the function throws. While tuning, an exception of
/// another config than the default, but for those of this library, rejects the config with its text. The
/// arguments reach the function as lvalues. The object can be neither copied nor moved, and no call may
/// outlive it.
///
/// Cost of a call with a known key: 10 to 20 ns more than a direct one; it takes no lock and allocates
/// nothing. One by `with` also compares names, and takes a short lock for `fixed` and `communicator`.
template <typename Signature>
class TunedFunction : detail::NotALauncher<Signature> {};

template <typename R, typename C, typename... Args>
class TunedFunction<R(const C&, Args...)> {
  static_assert((!std::is_rvalue_reference_v<Args> && ...),
                "a tuned function takes its arguments by value or as lvalue references: it may run several "
                "times");

  using CheckedFunction = detail::CheckedFunction<detail::LauncherFits, R(const C&, Args&...)>;
  using Space = detail::FunctionSpace<R(const C&, Args...)>;

 public:
  using Options = FunctionOptions<R(const C&, Args...)>;
  /// Any callable that takes the arguments and returns a Key.
  using KeyFunction = detail::CheckedFunction<detail::KeyFits, Key(const std::remove_reference_t<Args>&...)>;

  /// See `autotune`. Does not throw for a bad config space or option: the first call does.
  TunedFunction(std::string name, ConfigSpace<C> space, KeyFunction key, CheckedFunction function,
                Options options = {})
      : key_(std::move(key)),
        function_(std::move(function)),
        options_(std::move(options)),
        tuner_(options_.options),
        all_(name, std::move(space), key_, function_, options_, tuner_) {}
  TunedFunction(const TunedFunction&) = delete;
  TunedFunction& operator=(const TunedFunction&) = delete;
  ~TunedFunction() = default;

  /// Calls the function as described above.
  R operator()(Args... args) {
    const Key key = key_(args...);
    {
      const detail::KnownCall known = all_.known(key);
      if (known.config_id() >= 0 && all_.keeps(known.config_id(), args...)) [[likely]] {
        return all_.run_known(known.config_id(), key, args...);
      }
    }
    return all_.call({}, key, args...);
  }

  /// Calls the function with options for this call. Throws InvalidArgument if no config is as `fixed` says.
  R with(const CallOptions& call, Args... args) {
    const Key key = key_(args...);
    return (call.fixed.empty() ? all_ : space_with(call.fixed)).call(call, key, args...);
  }

  const std::string& name() const noexcept { return all_.name(); }
  const ConfigSpace<C>& space() const noexcept { return all_.space(); }
  /// Returns a copy of what is known of all calls that tuned, in their order. Thread-safe.
  Report report() const { return tuner_.tuner.report(); }

 private:
  /// The space with the configs that have these values, and its choices.
  Space& space_with(const Config& fixed) {
    const detail::FixedConfigs wanted = detail::configs_with(all_.core().space(), fixed, name());
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Space>& known = fixed_[wanted.text];
    if (known == nullptr) {
      std::vector<C> configs;
      // Refinements that have the values are tried only if nothing else has them.
      const std::size_t coarse = space().size() - space().refinement_count();
      for (const std::size_t id : wanted.config_ids) {
        if (id < coarse || wanted.config_ids.front() >= coarse) {
          configs.push_back(space()[id]);
        }
      }
      ConfigSpace<C> some = space();
      some.default_config(configs.front());
      some.explicit_list(std::move(configs));
      known = std::make_unique<Space>(name() + " " + wanted.text, std::move(some), key_, function_, options_,
                                      tuner_);
    }
    return *known;
  }

  const KeyFunction key_;
  const CheckedFunction function_;
  const Options options_;
  detail::FunctionTuner tuner_;
  Space all_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Space>> fixed_;  ///< by the values that are fixed
};

namespace detail {

template <typename Signature>
struct ConfigOf : NotALauncher<Signature> {
  using type = Config;
};
template <typename R, typename C, typename... Args>
struct ConfigOf<R(const C&, Args...)> {
  using type = C;
};

}  // namespace detail

/// Returns `function` as a callable that tunes itself:
///
///     auto tuned = contextual::autotune(
///         "axpy", {{"BLOCK", &Config::block, {128, 256}}},
///         [](float*, const float*, int n) { return contextual::make_key(n); },
///         [](const Config& c, float* y, const float* x, int n) { ... });
///     tuned(y, x, n);
///
/// `space` is a ConfigSpace of the configs; `key` takes the arguments and says what a best config depends on;
/// `function` takes a config and the arguments. The result keeps copies of all of them. `name` must be
/// unique among kernels and functions: it identifies the choices.
template <typename F>
TunedFunction<detail::launcher_signature_t<F>> autotune(
    std::string name, ConfigSpace<typename detail::ConfigOf<detail::launcher_signature_t<F>>::type> space,
    typename TunedFunction<detail::launcher_signature_t<F>>::KeyFunction key, F function,
    FunctionOptions<detail::launcher_signature_t<F>> options = {}) {
  return {std::move(name), std::move(space), std::move(key), std::move(function), std::move(options)};
}

/// Chosen where the key is forgotten. It never compiles, and its message says so.
template <typename F>
void autotune(const std::string& /*name*/,
              const ConfigSpace<typename detail::ConfigOf<detail::launcher_signature_t<F>>::type>& /*space*/,
              const F& /*function*/) {
  static_cast<void>(detail::NotALauncher<detail::WithoutKey<F>>{});
}

}  // namespace contextual
