#pragma once

/// \file
/// The value of a config's parameter: a truth value, an integer, a floating-point number or text.

#include <contextual/export.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace contextual {

using Value = std::variant<bool, std::int64_t, double, std::string>;

/// A type that a config's member or a `Param` may have. Enumerators are converted to integers.
template <typename T>
concept ConfigValue =
    std::integral<T> || std::is_enum_v<T> || std::floating_point<T> || std::same_as<T, std::string>;

/// A type that is accepted where a value is expected: a `ConfigValue`, any text, or a `Value`.
template <typename T>
concept ValueLike =
    ConfigValue<T> || std::convertible_to<const T&, std::string_view> || std::same_as<T, Value>;

/// Returns e.g. "true", "128", "0.5", "2.0" or "mma". Floating-point numbers keep their exact value and never
/// look like integers. Text is not quoted.
CONTEXTUAL_API std::string to_string(const Value& value);

/// Returns "bool", "integer", "floating point" or "text".
CONTEXTUAL_API std::string_view type_name(const Value& value);

namespace detail {

/// Returns nothing for an integer above the range of std::int64_t or a number that is not finite.
template <ValueLike T>
std::optional<Value> to_value(const T& value) {
  if constexpr (std::is_same_v<T, Value>) {
    const double* number = std::get_if<double>(&value);
    return number != nullptr && !std::isfinite(*number) ? std::nullopt : std::optional<Value>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return Value(std::in_place_type<bool>, value);
  } else if constexpr (std::is_enum_v<T>) {
    return Value(std::in_place_type<std::int64_t>, static_cast<std::int64_t>(value));
  } else if constexpr (std::integral<T>) {
    const auto wide = static_cast<std::int64_t>(value);  // NOLINT(bugprone-signed-char-misuse): a number
    return (wide < 0) == (value < T{}) ? std::optional<Value>(Value(std::in_place_type<std::int64_t>, wide))
                                       : std::nullopt;
  } else if constexpr (std::floating_point<T>) {
    const auto number = static_cast<double>(value);
    return std::isfinite(number) ? std::optional<Value>(Value(std::in_place_type<double>, number))
                                 : std::nullopt;
  } else {
    return Value(std::in_place_type<std::string>, std::string_view(value));
  }
}

/// Returns nothing if the value has another type or does not fit. An integer may be read as floating point.
template <ConfigValue T>
requires(!std::same_as<T, std::string>) std::optional<T> value_as(const Value& value) {
  if constexpr (std::is_same_v<T, bool>) {
    const bool* truth = std::get_if<bool>(&value);
    return truth != nullptr ? std::optional<T>(*truth) : std::nullopt;
  } else if constexpr (std::is_enum_v<T>) {
    const auto number = value_as<std::underlying_type_t<T>>(value);
    return number ? std::optional<T>(static_cast<T>(*number)) : std::nullopt;
  } else {
    const std::int64_t* integer = std::get_if<std::int64_t>(&value);
    if constexpr (std::floating_point<T>) {
      const double* number = std::get_if<double>(&value);
      return number != nullptr    ? std::optional<T>(static_cast<T>(*number))
             : integer != nullptr ? std::optional<T>(static_cast<T>(*integer))
                                  : std::nullopt;
    } else {
      if (integer == nullptr) {
        return std::nullopt;
      }
      const auto narrow = static_cast<T>(*integer);
      const bool fits = static_cast<std::int64_t>(narrow) == *integer && (narrow < T{}) == (*integer < 0);
      return fits ? std::optional<T>(narrow) : std::nullopt;
    }
  }
}

/// Names, for error messages, the type of value that a T is read from.
template <ConfigValue T>
constexpr std::string_view wanted_type() noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::floating_point<T>) {
    return "floating point";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "text";
  } else {
    switch (sizeof(T)) {
      case 1:
        return "8-bit integer";
      case 2:
        return "16-bit integer";
      case 4:
        return "32-bit integer";
      default:
        return "integer";
    }
  }
}

}  // namespace detail
}  // namespace contextual
