#pragma once

/// \file
/// One row of the table of options (option_table.hpp).

#include "contextual/options/environment.hpp"
#include "contextual/options/option_text.hpp"
#include "contextual/options/resolved_options.hpp"

#include <contextual/options.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace contextual::options {

/// Where a resolved option is: a member of ResolvedOptions, or of the policy's options in there. `Resolved`
/// may be const.
template <typename Resolved, typename T>
constexpr auto& at(Resolved& options, T ResolvedOptions::*member) {
  return options.*member;
}
template <typename Resolved, typename T>
constexpr auto& at(Resolved& options, T policy::PolicyOptions::*member) {
  return options.policy.*member;
}

template <typename Set, typename Member>
struct Row {
  using Value =
      std::remove_reference_t<decltype(at(std::declval<ResolvedOptions&>(), std::declval<Member>()))>;

  const char* name;                         ///< as the user writes it
  Set Options::*option;                     ///< unset: empty, or null
  Member resolved;                          ///< its initialiser is the built-in default
  bool is_agreed = false;                   ///< must be equal on all ranks
  std::optional<std::int64_t> least{};      ///< a smaller value is refused
  const char* unit = "";                    ///< of that check
  Set Environment::*environment = nullptr;  ///< what goes over it

  /// Must be equal on all ranks: compared in the hello.
  constexpr Row agreed() const requires Comparable<Value> {
    Row row = *this;
    row.is_agreed = true;
    return row;
  }
  constexpr Row at_least(std::int64_t value, const char* in_unit = "") const requires Number<Value> {
    Row row = *this;
    row.least = value;
    row.unit = in_unit;
    return row;
  }
  constexpr Row below(Set Environment::*variable) const {
    Row row = *this;
    row.environment = variable;
    return row;
  }
};

template <typename Set, typename Member>
constexpr Row<Set, Member> row(const char* name, Set Options::*option, Member resolved) {
  return {name, option, resolved};
}

}  // namespace contextual::options
