#pragma once

/// \file
/// A dynamic config: named values in an order. For run-time compilation, logs and the cache; a kernel that is
/// compiled with the program rather uses a struct of its own (`config_space.hpp`).

#include <contextual/export.hpp>
#include <contextual/param.hpp>
#include <contextual/value.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace contextual {

/// Ordered named values: `Config{{"BLOCK", 128}, {"SWIZZLE", true}, {"IMPL", "mma"}}`. A name occurs once,
/// numbers are finite and integers fit std::int64_t; anything else throws InvalidArgument.
class CONTEXTUAL_API Config {
 public:
  struct CONTEXTUAL_API Entry {
    /// Throws InvalidArgument for a number that is not finite or does not fit.
    template <ValueLike T>
    Entry(std::string entry_name, const T& entry_value)
        : name(std::move(entry_name)), value(checked(name, detail::to_value(entry_value))) {}

    bool operator==(const Entry&) const = default;

    std::string name;
    Value value;
  };

  /// How `get` and `[]` return a T: text by reference into the config, everything else by value.
  template <ConfigValue T>
  using Result = std::conditional_t<std::is_same_v<T, std::string>, const std::string&, T>;

  Config() = default;
  Config(std::initializer_list<Entry> entries);

  std::size_t size() const noexcept { return entries_.size(); }
  bool empty() const noexcept { return entries_.empty(); }
  const std::vector<Entry>& entries() const noexcept { return entries_; }

  bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }
  /// Null when there is no such parameter. Valid until the config changes.
  const Value* find(std::string_view name) const noexcept;

  /// Replaces the value of `name`, or appends it. Throws as Entry.
  template <ValueLike T>
  Config& set(std::string name, const T& value) {
    assign(Entry(std::move(name), value));
    return *this;
  }

  /// The value of `name` as a T: an integer may be read as floating point, nothing else converts.
  /// Throws InvalidArgument for an unknown name, another type, or an integer that does not fit a T.
  template <ConfigValue T>
  Result<T> get(std::string_view name) const {
    return read<T>(name, find(name));
  }

  /// As `get`, without a search when the position fits.
  template <ConfigValue T>
  Result<T> operator[](const Param<T>& param) const {
    const std::size_t i = param.position();
    const bool direct = i < entries_.size() && entries_[i].name == param.name();
    return read<T>(param.name(), direct ? &entries_[i].value : find(param.name()));
  }

  /// Same names, types and values in the same order.
  bool operator==(const Config&) const = default;

  /// Over names, types and values in order. Stable across runs, ranks and platforms.
  std::uint64_t hash() const noexcept;

  /// "{BLOCK: 128, SWIZZLE: true, IMPL: mma}".
  std::string to_string() const;

  /// One JSON object in order, without line breaks: {"BLOCK":128,"SWIZZLE":true}. Doubles round-trip and stay
  /// doubles, integers stay integers. Bytes that are not UTF-8 become U+FFFD.
  std::string to_json() const;

  /// The inverse. Throws InvalidArgument that says what is wrong and where.
  static Config from_json(std::string_view text);

 private:
  static Value checked(const std::string& name, std::optional<Value> value);
  [[noreturn]] void unknown(std::string_view name) const;
  [[noreturn]] static void type_clash(std::string_view name, const Value& value, std::string_view wanted);
  void assign(Entry entry);

  template <ConfigValue T>
  Result<T> read(std::string_view name, const Value* value) const {
    if (value == nullptr) {
      unknown(name);
    }
    if constexpr (std::is_same_v<T, std::string>) {
      if (const std::string* text = std::get_if<std::string>(value)) {
        return *text;
      }
    } else if (const std::optional<T> result = detail::value_as<T>(*value)) {
      return *result;
    }
    type_clash(name, *value, detail::wanted_type<T>());
  }

  std::vector<Entry> entries_;
};

}  // namespace contextual

template <>
struct std::hash<contextual::Config> {
  std::size_t operator()(const contextual::Config& config) const noexcept { return config.hash(); }
};
