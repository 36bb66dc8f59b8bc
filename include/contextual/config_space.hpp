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

/// A set of configs of type C in a fixed order. Config 0 is the default. The others follow: either all
/// combinations of the parameters' values, where the last parameter changes fastest, or an explicit list;
/// without the default and without the configs that a constraint excludes. Refinements are last.
///
///     ConfigSpace<GemmConfig>{{"BLOCK_N", &GemmConfig::block_n, {128, 256}},
///                             {"NUM_SMS", &GemmConfig::num_sms, {132, 116, 108}}}
///     ConfigSpace<Config>{{"BLOCK", {64, 128}}, {"IMPL", {"mma", "simt"}}}
///
/// Unless it is set, the default is C{}; for a dynamic Config it is the first value of every parameter, or
/// the first listed config. It may lie outside the parameters' values and the list, but every constraint must
/// allow it. In the combinations, members that no parameter names keep the default's values.
///
/// Building a bad space does not throw; using it does. The first call of `validate`, `size`, `configs`, `[]`,
/// `to_config`, `describe`, `digest` or `view` generates the configs once. That call and all later ones throw
/// ConfigSpaceError if the space is empty, contradictory, too large (over a million candidates) or has
/// duplicates, or if a constraint throws. Several threads may call const members.
template <typename C>
class ConfigSpace {
 public:
  using config_type = C;
  using Parameter = detail::SpaceParameter<C>;

  ConfigSpace() = default;
  ConfigSpace(std::initializer_list<Parameter> parameters) { definition_.parameters = parameters; }

  /// A space of exactly these configs. For a struct, the parameters name the members in which they differ.
  static ConfigSpace list(std::initializer_list<Parameter> parameters, std::vector<C> configs) {
    return ConfigSpace(parameters).explicit_list(std::move(configs));
  }
  static ConfigSpace list(std::vector<C> configs) requires std::same_as<C, Config> {
    return ConfigSpace().explicit_list(std::move(configs));
  }

  /// Excludes the configs for which `allows` returns false. `allows` is called when the configs are
  /// generated, by the thread that uses the space first. `name` appears in error messages.
  ConfigSpace& constraint(std::string name, std::function<bool(const C&)> allows) & {
    definition_.constraints.push_back({std::move(name), std::move(allows)});
    return changed();
  }
  ConfigSpace constraint(std::string name, std::function<bool(const C&)> allows) && {
    return std::move(constraint(std::move(name), std::move(allows)));
  }

  /// Adds values of a parameter that only a search tries, and only near the best: numbers between or beyond
  /// those that the parameter has, in any order. They make further configs, with the other parameters' own
  /// values and under the same constraints, which follow all others. The walk leaves them out. When a
  /// search knows the best assignment, it tries the values halfway to the neighbouring ones on both sides,
  /// and so on from the better one. So a grid size that needs no code of its own can be chosen finely among
  /// few runs. A kernel that is not searched is not refined, nor is one that is coupled or takes part as
  /// `some`. Once for a parameter; a list of configs takes the place of refinements, too.
  ConfigSpace& refine(Parameter values) & {
    definition_.refinements.push_back(std::move(values));
    return changed();
  }
  ConfigSpace refine(Parameter values) && { return std::move(refine(std::move(values))); }

  /// Uses these configs instead of all combinations. The parameters' values and refinements are then ignored.
  ConfigSpace& explicit_list(std::vector<C> configs) & {
    definition_.list = std::move(configs);
    definition_.refinements.clear();
    return changed();
  }
  ConfigSpace explicit_list(std::vector<C> configs) && {
    return std::move(explicit_list(std::move(configs)));
  }

  /// Sets config 0, which is launched where nothing has been tuned.
  ConfigSpace& default_config(C config) & {
    definition_.default_config = std::move(config);
    return changed();
  }
  ConfigSpace default_config(C config) && { return std::move(default_config(std::move(config))); }

  /// Returns the number of candidates before constraints and without refinements, or the largest value if
  /// that overflows. Generates nothing.
  std::uint64_t cardinality() const { return definition_.candidate_count(); }

  /// Generates the configs unless they exist already. Throws ConfigSpaceError for a bad space.
  void validate() const { static_cast<void>(generated()); }

  /// Returns the number of configs, refinements included, which is at least 1.
  std::size_t size() const { return generated().configs.size(); }

  /// Returns how many configs are refinements: those with the largest ids.
  std::size_t refinement_count() const { return generated().refinement_count; }

  /// Returns all configs in order. The reference is valid until the space is changed or destroyed.
  const std::vector<C>& configs() const& { return generated().configs; }
  std::vector<C> configs() && { return generated().configs; }

  /// Returns one config. Throws InvalidArgument if `config_id` is not below `size()`.
  const C& operator[](std::size_t config_id) const {
    const std::vector<C>& all = generated().configs;
    if (config_id >= all.size()) {
      throw InvalidArgument("config space: there is no config " + std::to_string(config_id) + ", only 0 to " +
                            std::to_string(all.size() - 1));
    }
    return all[config_id];
  }

  /// Returns the names and values of one config. Throws as `[]` does.
  Config to_config(std::size_t config_id) const {
    return detail::named_values(definition_.parameters, (*this)[config_id]);
  }

  /// Returns a config as text, e.g. "{BLOCK_N: 128, NUM_SMS: 132}". Throws as `[]` does.
  std::string describe(std::size_t config_id) const { return to_config(config_id).to_string(); }

  /// Returns a hash of the parameters' names and all configs in order, the same in every run and on every
  /// rank.
  std::uint64_t digest() const { return generated().digest; }

  /// Returns what the tuner needs of the space: its size, its digest, and the configs as names and values.
  SpaceView view() const {
    SpaceView view{size(), digest(), {}, refinement_count()};
    view.configs.reserve(view.size);
    for (const C& config : configs()) {
      view.configs.push_back(detail::named_values(definition_.parameters, config));
    }
    return view;
  }

  /// Returns a handle for `config[handle]`. An unknown name does not throw here but in that look-up.
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

  // Copies share one cache; a change gives the changed copy a cache of its own.
  ConfigSpace& changed() {
    cache_ = std::make_shared<Cache>();
    return *this;
  }

  const detail::GeneratedSpace<C>& generated() const {
    if (!cache_) {
      detail::fail_moved_from();
    }
    return cache_->get([this] { return detail::SpaceGenerator<C>(definition_).generate(); });
  }

  detail::SpaceDefinition<C> definition_;
  std::shared_ptr<Cache> cache_ = std::make_shared<Cache>();
};

}  // namespace contextual
