#pragma once

/// \file
/// One row of an event's table of fields. The writers and the reader of logs follow these rows, so that the
/// reader knows what a writer writes. Each event has its rows in `fields()`.

#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>

namespace contextual::record {

/// How the log for people shows a number: times as ms or as durations, fractions as percent.
enum class Unit : std::uint8_t { none, megahertz, celsius, watts, ms, duration, fraction };

/// When the log for people shows a field.
enum class Shown : std::uint8_t {
  never,
  always,
  if_set,  ///< if it differs from the member's initialiser
};

/// A rank, count of ranks or config id beyond this limit is taken for damage, not for a large machine.
inline constexpr std::int64_t max_id = 1'000'000'000;

/// The field of the key, which follows the kernel's field wherever a problem is named.
inline constexpr const char* key_field = "key";

template <typename Event, typename T>
struct Field {
  /// The name in the log for programs. Empty for a group, whose own fields are fields of the event.
  const char* name;
  T Event::*member;
  bool is_needed = false;  ///< if false, a reader that does not find it keeps the member's initialiser
  std::int64_t lowest = 0;
  std::int64_t highest = std::numeric_limits<std::int64_t>::max();
  Shown shown_when = Shown::never;
  std::string_view label{};  ///< in the log for people; for a group, a prefix of its labels
  Unit unit = Unit::none;
  std::string_view text_if_absent{};  ///< shown for an optional without a value

  /// A reader rejects a line without the field. Not for a field that older logs do not have.
  constexpr Field needed() const { return with(&Field::is_needed, true); }
  /// A reader rejects a number below `low`.
  constexpr Field at_least(std::int64_t low) const { return with(&Field::lowest, low); }
  constexpr Field of_any_sign() const { return at_least(-std::numeric_limits<std::int64_t>::max()); }
  /// The number is a rank, a config id or a count of ranks.
  constexpr Field as_id() const { return with(&Field::highest, max_id); }
  constexpr Field shown(std::string_view with_label, Unit in = Unit::none) const {
    return with(&Field::shown_when, Shown::always).with(&Field::label, with_label).with(&Field::unit, in);
  }
  constexpr Field shown_if_set(std::string_view with_label, Unit in = Unit::none) const {
    return shown(with_label, in).with(&Field::shown_when, Shown::if_set);
  }
  constexpr Field or_shown_as(std::string_view text) const { return with(&Field::text_if_absent, text); }

  template <typename Part>
  constexpr Field with(Part Field::*part, Part value) const {
    Field field = *this;
    field.*part = value;
    return field;
  }
};

template <typename Event, typename T>
constexpr Field<Event, T> field(const char* name, T Event::*member) {
  return {name, member};
}

/// Makes the row of a member whose own fields are fields of the event.
template <typename Event, typename T>
constexpr Field<Event, T> group(T Event::*member) {
  return {"", member};
}

/// A part of an event with rows of its own: an entry of a list, or a group.
template <typename T>
concept HasFields = requires {
  T::fields();
};

/// Calls `use` with every row of the event, in order.
template <typename Event, typename Use>
constexpr void for_each_field(Use&& use) {
  std::apply([&use](const auto&... fields) { (use(fields), ...); }, Event::fields());
}

}  // namespace contextual::record
