#pragma once

/// \file
/// Finds the constraint of a config space that excludes a config.

#include <contextual/config.hpp>
#include <contextual/detail/config/space_checks.hpp>
#include <contextual/detail/config/space_definition.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <string>

namespace contextual::detail {

/// Throws ConfigSpaceError for a constraint that holds no function.
template <typename C>
void check_constraints(const SpaceDefinition<C>& definition) {
  for (const SpaceConstraint<C>& constraint : definition.constraints) {
    if (!constraint.allows) {
      fail_empty_constraint(constraint.name);
    }
  }
}

/// Returns the index of the first constraint that excludes `config`, or nothing if all allow it. If a
/// constraint throws, throws ConfigSpaceError with the constraint, the config and the cause.
template <typename C>
std::optional<std::size_t> first_violated(const SpaceDefinition<C>& definition, const C& config) {
  for (std::size_t i = 0; i < definition.constraints.size(); ++i) {
    std::string cause;
    try {
      if (definition.constraints[i].allows(config)) {
        continue;
      }
      return i;
    } catch (const std::exception& e) {
      cause = e.what();
    } catch (...) {
      cause = "an exception that is not a std::exception";
    }
    fail_constraint_threw(definition.constraints[i].name, named_values(definition.parameters, config), cause);
  }
  return std::nullopt;
}

}  // namespace contextual::detail
