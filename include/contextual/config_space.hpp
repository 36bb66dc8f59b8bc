#pragma once

/// \file
/// The configs a tunable kernel may be launched with.

#include <contextual/config.hpp>
#include <contextual/detail/config/generated_space.hpp>
#include <contextual/detail/config/space_checks.hpp>
#include <contextual/detail/config/space_definition.hpp>
#include <contextual/detail/config/space_generator.hpp>
#include <contextual/detail/config/space_parameter.hpp>
#include <contextual/detail/config/space_view.hpp>
#include <contextual/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual {

/// A set of configs of type C, in a fixed order: config 0 is the default, then come all combinations of the
/// parameters' values (the last parameter changes fastest) or the explicit list, without the default and
/// without what a constraint excludes.
///
///     ConfigSpace<GemmConfig>{{"BLOCK_N", &GemmConfig::block_n, {128, 256}},
///                             {"NUM_SMS", &GemmConfig::num_sms, {132, 116, 108}}}
///     ConfigSpace<Config>{{"BLOCK", {64, 128}}, {"IMPL", {"mma", "simt"}}}
///
/// The default is C{} unless it is set (for a dynamic Config: the first value of every parameter, or the
/// first listed config); it need not be a candidate, but every constraint must allow it. Members that no
/// parameter names keep the default's values.
///
/// Nothing here throws on a bad space before it is used: the first call of `validate`, `size`, `configs`,
/// `[]`, `to_config`, `describe`, `digest` or `view` generates the configs once and throws ConfigSpaceError
/// for a space that is empty, contradictory, too large, has duplicates, or a constraint that throws. Const
/// members may be called by several threads.
template <typename C>
class ConfigSpace {
 public:
  using config_type = C;
  using Parameter = detail::SpaceParameter<C>;

  ConfigSpace() = default;
  ConfigSpace(std::initializer_list<Parameter> parameters) { definition_.parameters = parameters; }

  /// A space of these configs only. For a struct the parameters name the members in which they differ.
  static ConfigSpace list(std::initializer_list<Parameter> parameters, std::vector<C> configs) {
    return ConfigSpace(parameters).explicit_list(std::move(configs));
  }
  static ConfigSpace list(std::vector<C> configs) requires std::same_as<C, Config> {
    return ConfigSpace().explicit_list(std::move(configs));
  }

  /// Only configs for which `allows` returns true. Called once per candidate, by the thread of the first use.
  ConfigSpace& constraint(std::string name, std::function<bool(const C&)> allows) & {
    definition_.constraints.push_back({std::move(name), std::move(allows)});
    return changed();
  }
  ConfigSpace constraint(std::string name, std::function<bool(const C&)> allows) && {
    return std::move(constraint(std::move(name), std::move(allows)));
  }

  /// These configs instead of all combinations; the parameters' values, if any, are not used then.
  ConfigSpace& explicit_list(std::vector<C> configs) & {
    definition_.list = std::move(configs);
    return changed();
  }
  ConfigSpace explicit_list(std::vector<C> configs) && {
    return std::move(explicit_list(std::move(configs)));
  }

  /// What is launched when nothing has been tuned.
  ConfigSpace& default_config(C config) & {
    definition_.default_config = std::move(config);
    return changed();
  }
  ConfigSpace default_config(C config) && { return std::move(default_config(std::move(config))); }

  /// The number of candidates before constraints, without generating them; the largest value if it overflows.
  std::uint64_t cardinality() const { return definition_.candidate_count(); }

  /// Generates the configs, unless that has been done.
  void validate() const { static_cast<void>(generated()); }

  /// At least 1.
  std::size_t size() const { return generated().configs.size(); }

  /// In order; valid until the space is changed or destroyed.
  const std::vector<C>& configs() const& { return generated().configs; }
  std::vector<C> configs() && { return generated().configs; }

  /// Throws InvalidArgument when `config_id` is not below the size.
  const C& operator[](std::size_t config_id) const {
    const std::vector<C>& all = generated().configs;
    if (config_id >= all.size()) {
      throw InvalidArgument("config space: there is no config " + std::to_string(config_id) + ", only 0 to " +
                            std::to_string(all.size() - 1));
    }
    return all[config_id];
  }

  /// Names and values. Throws as `[]`.
  Config to_config(std::size_t config_id) const {
    return detail::named_values(definition_.parameters, (*this)[config_id]);
  }

  /// "{BLOCK_N: 128, NUM_SMS: 132}". Throws as `[]`.
  std::string describe(std::size_t config_id) const { return to_config(config_id).to_string(); }

  /// Over parameter names and all configs in order; the same in every run and on every rank.
  std::uint64_t digest() const { return generated().digest; }

  /// What the engine needs of it.
  SpaceView view() const {
    SpaceView view{size(), digest(), {}};
    view.configs.reserve(view.size);
    for (const C& config : configs()) {
      view.configs.push_back(detail::named_values(definition_.parameters, config));
    }
    return view;
  }

  /// A handle for `config[handle]`. Does not throw: a name that is unknown is reported by the look-up.
  template <ConfigValue T>
  Param<T> param(const std::string& name) const requires std::same_as<C, Config> {
    std::size_t position = 0;
    for (const std::string& known : detail::parameter_names(definition_)) {
      if (known == name) {
        break;
      }
      ++position;
    }
    return Param<T>(name, position);
  }

 private:
  using Cache = detail::GeneratedSpaceCache<C>;

  // The cache is shared by copies; a change gives this copy a new one.
  ConfigSpace& changed() {
    cache_ = std::make_shared<Cache>();
    return *this;
  }

  const detail::GeneratedSpace<C>& generated() const {
    if (!cache_) {
      detail::fail_moved_from();
    }
    return cache_->get([this] {
      detail::GeneratedSpace<C> result{detail::SpaceGenerator<C>(definition_).generate(), 0};
      result.digest = detail::digest_of(definition_.parameters, result.configs);
      return result;
    });
  }

  detail::SpaceDefinition<C> definition_;
  std::shared_ptr<Cache> cache_ = std::make_shared<Cache>();
};

}  // namespace contextual
