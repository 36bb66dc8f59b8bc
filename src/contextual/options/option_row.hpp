#pragma once

/// \file
/// One row of the table of options (option_table.hpp).

#include "contextual/options/environment.hpp"
#include "contextual/options/option_text.hpp"
#include "contextual/options/resolved_options.hpp"

#include <contextual/options.hpp>

#include <type_traits>
#include <utility>

namespace contextual::options {

/// Returns the resolved value of an option, which is a member either of ResolvedOptions or of the policy
/// options in it. `Resolved` may be const.
template <typename Resolved, typename T>
constexpr auto& at(Resolved& options, T ResolvedOptions::*member) {
  return options.*member;
}
template <typename Resolved, typename T>
constexpr auto& at(Resolved& options, T policy::PolicyOptions::*member) {
  return options.policy.*member;
}

/// Returns an option as it was set, which is a member either of Options or of the search's settings in it.
template <typename T>
constexpr const T& set_in(const Options& options, T Options::*member) {
  return options.*member;
}
template <typename T>
constexpr const T& set_in(const Options& options, T SearchSettings::*member) {
  return options.search_settings.*member;
}

/// The same to be changed.
template <typename T>
constexpr T& set_in(Options& options, T Options::*member) {
  return options.*member;
}
template <typename T>
constexpr T& set_in(Options& options, T SearchSettings::*member) {
  return options.search_settings.*member;
}

/// One option. `Set` is the type of the member `option` of Options or of SearchSettings, `Member` a pointer
/// to its resolved value.
template <typename Set, typename Option, typename Member>
struct Row {
  using Value =
      std::remove_reference_t<decltype(at(std::declval<ResolvedOptions&>(), std::declval<Member>()))>;

  const char* name;                         ///< as the user writes it
  Option option;                            ///< empty or null if it is not set
  Member resolved;                          ///< its initialiser is the built-in default
  bool is_agreed = false;                   ///< must be equal on all ranks
  Set Environment::*environment = nullptr;  ///< the environment variable that takes precedence over it

  /// Must be equal on all ranks, which compare it in their first exchange, as text (option_text.hpp).
  constexpr Row agreed() const requires Comparable<Value> {
    Row row = *this;
    row.is_agreed = true;
    return row;
  }
  /// The environment variable takes precedence over the option in the call, the tuner and the process.
  constexpr Row overridden_by(Set Environment::*variable) const {
    Row row = *this;
    row.environment = variable;
    return row;
  }
};

template <typename Set, typename Struct, typename Member>
constexpr Row<Set, Set Struct::*, Member> row(const char* name, Set Struct::*option, Member resolved) {
  return {name, option, resolved};
}

}  // namespace contextual::options
