#pragma once

/// \file
/// The configs a tunable kernel may be launched with.

#include <contextual/config.hpp>
#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/config/config_list.hpp>
#include <contextual/detail/config/erased_space.hpp>
#include <contextual/detail/config/space_parameter.hpp>
#include <contextual/detail/config/space_view.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace contextual {

namespace detail {

template <bool Fits>
struct ConstraintFits {
  static_assert(Fits, "a constraint of a config space is called as bool(const C&)");
};

}  // namespace detail

/// A set of configs of type C in a fixed order. Config 0 is the default. The others follow: either all
/// combinations of the parameters' values, where the last parameter changes fastest, or an explicit list;
/// without the default and without the configs that a constraint excludes. Refinements are last.
///
///     ConfigSpace<GemmConfig>{{"BLOCK_N", &GemmConfig::block_n, {128, 256}},
///                             {"NUM_SMS", &GemmConfig::num_sms, {132, 116, 108}}}
///     ConfigSpace<Config>{{"BLOCK", {64, 128}}, {"IMPL", {"mma", "simt"}}}
///
/// Unless it is set, the default is the first config of a list; in combinations it is C{}, or for a dynamic
/// Config the first value of every parameter. One that is set may lie outside the parameters' values and the
/// list, but every constraint must allow the default. In the combinations, members that no parameter names
/// keep the default's values.
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
  /// Any copyable callable.
  using Constraint = detail::CheckedHook<detail::ConstraintFits, bool(const C&)>;

  ConfigSpace() = default;
  ConfigSpace(std::initializer_list<Parameter> parameters) {
    for (const Parameter& parameter : parameters) {
      space_.add_parameter(parameter);
    }
  }

  /// A space of these configs, of which the first is the default. For a struct, the parameters name the
  /// members in which they differ.
  static ConfigSpace list(std::initializer_list<Parameter> parameters, std::vector<C> configs) {
    return ConfigSpace(parameters).explicit_list(std::move(configs));
  }
  static ConfigSpace list(std::vector<C> configs) requires std::same_as<C, Config> {
    return ConfigSpace().explicit_list(std::move(configs));
  }

  /// Excludes the configs for which `allows` returns false. `allows` is called when the configs are
  /// generated, by the thread that uses the space first. `name` appears in error messages.
  ConfigSpace& constraint(std::string name, Constraint allows) & {
    space_.add_constraint(std::move(name), std::move(allows));
    return *this;
  }
  ConfigSpace constraint(std::string name, Constraint allows) && {
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
    space_.add_refinement(std::move(values));
    return *this;
  }
  ConfigSpace refine(Parameter values) && { return std::move(refine(std::move(values))); }

  /// Uses these configs instead of all combinations. The parameters' values and refinements are then ignored.
  ConfigSpace& explicit_list(std::vector<C> configs) & {
    space_.set_list(std::make_shared<const List>(std::move(configs)));
    return *this;
  }
  ConfigSpace explicit_list(std::vector<C> configs) && {
    return std::move(explicit_list(std::move(configs)));
  }

  /// Sets config 0, which is launched where nothing has been tuned.
  ConfigSpace& default_config(C config) & {
    space_.set_default(std::addressof(config));
    return *this;
  }
  ConfigSpace default_config(C config) && { return std::move(default_config(std::move(config))); }

  /// Returns the number of candidates before constraints and without refinements, or the largest value if
  /// that overflows. Generates nothing.
  std::uint64_t cardinality() const { return space_.cardinality(); }

  /// Generates the configs unless they exist already. Throws ConfigSpaceError for a bad space.
  void validate() const { static_cast<void>(space_.configs()); }

  /// Returns the number of configs, refinements included, which is at least 1.
  std::size_t size() const { return space_.configs().size(); }

  /// Returns how many configs are refinements: those with the largest ids.
  std::size_t refinement_count() const { return space_.refinement_count(); }

  /// Returns all configs in order. The reference is valid until the space is changed or destroyed.
  const std::vector<C>& configs() const& { return static_cast<const List&>(space_.configs()).configs; }
  std::vector<C> configs() && { return std::as_const(*this).configs(); }

  /// Returns one config. Throws InvalidArgument if `config_id` is not below `size()`.
  const C& operator[](std::size_t config_id) const {
    return *static_cast<const C*>(space_.config(config_id));
  }

  /// Returns the names and values of one config. Throws as `[]` does.
  Config to_config(std::size_t config_id) const { return space_.to_config(config_id); }

  /// Returns a config as text, e.g. "{BLOCK_N: 128, NUM_SMS: 132}". Throws as `[]` does.
  std::string describe(std::size_t config_id) const { return to_config(config_id).to_string(); }

  /// Returns a hash of the parameters' names and all configs in order, the same in every run and on every
  /// rank.
  std::uint64_t digest() const { return space_.digest(); }

  /// Returns what the tuner needs of the space: its size, its digest, and the configs as names and values.
  SpaceView view() const { return space_.view(); }

  /// Returns a handle for `config[handle]`. An unknown name does not throw here but in that look-up.
  template <ConfigValue T>
  Param<T> param(const std::string& name) const requires std::same_as<C, Config> {
    return Param<T>(name, space_.position_of(name));
  }

  /// For the library, which does not know C.
  const detail::ErasedSpace& erased() const noexcept { return space_; }

 private:
  using List = detail::TypedConfigList<C>;

  detail::ErasedSpace space_{&detail::make_config_list<C>, std::same_as<C, Config>};
};

}  // namespace contextual
