#pragma once

/// \file
/// Alternatives: implementations of one thing that launch different kernels. Call them like a function.

#include <contextual/config_space.hpp>
#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/launch/alternative_scope.hpp>
#include <contextual/detail/launch/kernel_arguments.hpp>
#include <contextual/detail/launch/launch_engine.hpp>
#include <contextual/error.hpp>
#include <contextual/kernel_options.hpp>
#include <contextual/key.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace contextual {

/// The config of a choice between alternatives.
struct AlternativeConfig {
  std::string alternative;  ///< its name
};

/// One of the alternatives; `Signature` is `R(Args...)`.
template <typename Signature>
struct Alternative;

template <typename R, typename... Args>
struct Alternative<R(Args...)> {
  using Call = detail::CheckedFunction<detail::AlternativeFits, R(Args&...)>;
  using Keep =
      detail::CheckedFunction<detail::AlternativeKeepFits, bool(const std::remove_reference_t<Args>&...)>;

  Alternative(std::string its_name, Call its_call, Keep its_keep = nullptr)
      : name(std::move(its_name)), call(std::move(its_call)), keep(std::move(its_keep)) {}

  std::string name;
  Call call;  ///< gets the arguments as lvalues
  Keep keep;  ///< returns true if it can be chosen for these arguments; see KernelOptions::keep
};

/// A choice between implementations, each of which may launch tunable kernels, other alternatives, and work
/// that is not tuned. `Signature` is `R(Args...)`.
///
///     Alternatives<void(Buffers&)> attention("attention", single_problem, {
///         {"fused", [](Buffers& b) { fused(b); }},
///         {"separate", [](Buffers& b) { scores(b); softmax(b); values(b); }}});
///     tuner.run("layer", [&] { attention(buffers); });
///
/// The choice is a tuning problem of the kernel `name` with one config for each alternative; alternative 0 is
/// the default. Launches inside an alternative belong to problems of their own: (region, alternative, kernel,
/// key). In logs and reports, such a key ends with " in attention (): fused".
///
/// Inside a region that is being tuned, the kernels of each alternative are tuned under it to the end, with
/// those around it, and then the alternatives are compared by the region's makespan, each with what was best
/// for it. One choice is decided at a time; one inside an alternative is decided before the one around it.
/// While an alternative is not in use, its kernels are neither launched nor missed. The searches share one
/// budget. With SearchLevel::off, an alternative gets `n_warmup` + `n_repeat` runs, as a config does.
///
/// An alternative rejects itself by throwing ConfigRejected before it has had any effect. It is also rejected
/// if a kernel that it launches first has no config left, or if it never succeeds. A rejected alternative is
/// replaced by another one in the same call, as a config is.
///
/// All ranks call it with the same keys in the same order. Threads that an alternative starts become part of
/// it by a ContextGuard of a RegionContext that was made inside the alternative; they end before it returns.
/// Calls are thread-safe. The object can be neither copied nor moved. An empty list, or two alternatives of
/// one name, make the first call throw ConfigSpaceError. Cost of a call outside of tuning: about 7 ns more
/// than that of a TunableKernel.
template <typename Signature>
class Alternatives;

template <typename R, typename... Args>
class Alternatives<R(Args...)> {
  static_assert((!std::is_rvalue_reference_v<Args> && ...),
                "alternatives take their arguments by value or as lvalue references: a call may be retried");

  using CheckedKey = detail::CheckedFunction<detail::KeyFits, Key(const std::remove_reference_t<Args>&...)>;

 public:
  using Alternative = contextual::Alternative<R(Args...)>;

  /// `key` takes the same arguments as a call. `key_names` are the names of the key's parts in logs. Throws
  /// std::bad_alloc only.
  Alternatives(std::string name, CheckedKey key, std::vector<Alternative> alternatives,
               std::vector<std::string> key_names = {})
      : key_(std::move(key)),
        alternatives_(std::move(alternatives)),
        engine_(std::move(name), space_of(alternatives_), key_,
                alternatives_.empty() ? nullptr : alternatives_.front().call.code(),
                options_of(alternatives_, std::move(key_names)), detail::LaunchKind::choice_point) {}
  Alternatives(const Alternatives&) = delete;
  Alternatives& operator=(const Alternatives&) = delete;
  ~Alternatives() = default;

  /// Calls the chosen alternative, on the calling thread, and returns its result. Inside a region that is
  /// being tuned it throws TuningFailedError if no alternative is left.
  R operator()(Args... args) {
    const Key key = key_(args...);
    const int config_id = engine_.resolve(key, args...);
    if (config_id >= 0) [[likely]] {
      return engine_.launch_chosen(config_id, key,
                                   [&](std::size_t id) -> R { return call(id, key, args...); });
    }
    return engine_.launch_in_run(
        config_id, key, [&](std::size_t id) -> R { return call_in_run(id, key, args...); }, args...);
  }

  const std::string& name() const noexcept { return engine_.name(); }
  const ConfigSpace<AlternativeConfig>& space() const noexcept { return engine_.space(); }

 private:
  using Options = KernelOptions<R(const AlternativeConfig&, Args...)>;

  static ConfigSpace<AlternativeConfig> space_of(const std::vector<Alternative>& all) {
    std::vector<AlternativeConfig> configs;
    configs.reserve(all.size());
    for (const Alternative& alternative : all) {
      configs.push_back({alternative.name});
    }
    return ConfigSpace<AlternativeConfig>::list(
        {{detail::alternative_parameter, &AlternativeConfig::alternative}}, std::move(configs));
  }

  static Options options_of(const std::vector<Alternative>& all, std::vector<std::string> key_names) {
    Options options;
    options.key_names = std::move(key_names);
    if (std::none_of(all.begin(), all.end(), [](const Alternative& a) { return bool(a.keep); })) {
      return options;
    }
    options.keep = [all](const AlternativeConfig& config, const std::remove_reference_t<Args>&... args) {
      for (const Alternative& alternative : all) {
        if (alternative.name == config.alternative) {
          return !alternative.keep || alternative.keep(args...);
        }
      }
      return true;
    };
    return options;
  }

  R call(std::size_t id, const Key& key, Args&... args) const {
    const detail::AlternativeScope scope(engine_.core(), key, id);
    return alternatives_[id].call(args...);
  }

  /// An alternative whose first kernel cannot be launched has had no effect.
  R call_in_run(std::size_t id, const Key& key, Args&... args) const {
    const std::size_t before = detail::launches_of_thread();
    try {
      return call(id, key, args...);
    } catch (const TuningFailedError& error) {
      if (detail::launches_of_thread() == before) {
        throw ConfigRejected(error.what());
      }
      throw;
    }
  }

  CheckedKey key_;
  std::vector<Alternative> alternatives_;
  detail::LaunchEngine<R(const AlternativeConfig&, Args...)> engine_;
};

}  // namespace contextual
