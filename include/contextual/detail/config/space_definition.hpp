#pragma once

/// \file
/// The definition of a config space, as the user gave it.

#include <contextual/config.hpp>
#include <contextual/detail/config/space_checks.hpp>
#include <contextual/detail/config/space_parameter.hpp>
#include <contextual/detail/config/stable_hash.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace contextual::detail {

template <typename C>
struct SpaceConstraint {
  std::string name;
  std::function<bool(const C&)> allows;
};

/// The user's definition, unchecked.
template <typename C>
struct SpaceDefinition {
  std::vector<SpaceParameter<C>> parameters;
  std::vector<SpaceConstraint<C>> constraints;
  std::vector<SpaceParameter<C>> refinements;  ///< further values of parameters, each for itself
  std::optional<C> default_config;
  std::optional<std::vector<C>> list;

  std::vector<SpaceAxis> axes() const {
    std::vector<SpaceAxis> result;
    for (const SpaceParameter<C>& parameter : parameters) {
      result.push_back(parameter.axis());
    }
    return result;
  }

  /// Returns the number of candidates before constraints and without refinements, or the largest value if
  /// that overflows.
  std::uint64_t candidate_count() const { return list ? list->size() : cardinality(axes()); }
};

/// Returns the parameters' names in order. A dynamic space without parameters takes them from its first
/// listed config.
template <typename C>
std::vector<std::string> parameter_names(const SpaceDefinition<C>& definition) {
  std::vector<std::string> names;
  for (const SpaceParameter<C>& parameter : definition.parameters) {
    names.push_back(parameter.axis().name);
  }
  if constexpr (std::is_same_v<C, Config>) {
    if (names.empty() && definition.list && !definition.list->empty()) {
      for (const Config::Entry& entry : definition.list->front().entries()) {
        names.push_back(entry.name);
      }
    }
  }
  return names;
}

/// Returns the names and values of `config`. Throws ConfigSpaceError for a number that is not finite or does
/// not fit.
template <typename C>
Config named_values(const std::vector<SpaceParameter<C>>& parameters, const C& config) {
  if constexpr (std::is_same_v<C, Config>) {
    return config;
  } else {
    Config result;
    for (const SpaceParameter<C>& parameter : parameters) {
      const std::optional<Value> value = parameter.read(config);
      if (!value) {
        fail_unreadable(parameter.axis().name);
      }
      result.set(parameter.axis().name, *value);
    }
    return result;
  }
}

/// Returns a hash of the names and values of all configs in order, and of which are refinements.
template <typename C>
std::uint64_t digest_of(const std::vector<SpaceParameter<C>>& parameters, const std::vector<C>& configs,
                        std::size_t refinement_count) {
  StableHash hash;
  if (refinement_count > 0) {
    hash.add(std::uint64_t{refinement_count});
  }
  for (const SpaceParameter<C>& parameter : parameters) {
    hash.add(std::string_view(parameter.axis().name));
  }
  for (const C& config : configs) {
    hash.add(named_values(parameters, config).hash());
  }
  return hash.value();
}

}  // namespace contextual::detail
