#pragma once

/// \file
/// A dynamic config: named values in an order, for run-time compilation, logs and the cache. A kernel that is
/// compiled with the program better uses a struct of its own (`config_space.hpp`).

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

/// Named values in an order: `Config{{"BLOCK", 128}, {"SWIZZLE", true}, {"IMPL", "mma"}}`. A value type;
/// const members may be called by several threads.
///
/// A name that occurs twice, a number that is not finite, or an integer that does not fit std::int64_t throws
/// InvalidArgument.
class CONTEXTUAL_API Config {
 public:
  /// One name with its value.
  struct CONTEXTUAL_API Entry {
    /// Throws InvalidArgument for a number that is not finite or an integer that does not fit std::int64_t.
    template <ValueLike T>
    Entry(std::string entry_name, const T& entry_value)
        : name(std::move(entry_name)), value(checked(name, detail::to_value(entry_value))) {}

    bool operator==(const Entry&) const = default;

    std::string name;
    Value value;
  };

  /// What `get` and `[]` return for a T: text as a reference into the config, everything else by value.
  template <ConfigValue T>
  using Result = std::conditional_t<std::is_same_v<T, std::string>, const std::string&, T>;

  Config() = default;
  Config(std::initializer_list<Entry> entries);

  std::size_t size() const noexcept { return entries_.size(); }
  bool empty() const noexcept { return entries_.empty(); }
  const std::vector<Entry>& entries() const noexcept { return entries_; }

  bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }
  /// Returns the value of `name`, or null if there is none. The pointer is valid until the config changes.
  const Value* find(std::string_view name) const noexcept;

  /// Replaces the value of `name`, or appends it if there is none. Throws as Entry's constructor does.
  template <ValueLike T>
  Config& set(std::string name, const T& value) {
    assign(Entry(std::move(name), value));
    return *this;
  }

  /// Returns the value of `name` as a T. The only conversion is from an integer to floating point. Throws
  /// InvalidArgument for an unknown name, for another type, and for an integer that does not fit a T.
  template <ConfigValue T>
  Result<T> get(std::string_view name) const {
    return read<T>(name, find(name));
  }

  /// Like `get`, but without a search if the parameter is at the handle's position.
  template <ConfigValue T>
  Result<T> operator[](const Param<T>& param) const {
    const std::size_t i = param.position();
    const bool direct = i < entries_.size() && entries_[i].name == param.name();
    return read<T>(param.name(), direct ? &entries_[i].value : find(param.name()));
  }

  /// Equal configs have the same names, types and values in the same order.
  bool operator==(const Config&) const = default;

  /// A hash of names, types and values in order, the same in every run, on every rank and platform.
  std::uint64_t hash() const noexcept;

  /// For people, e.g. "{BLOCK: 128, SWIZZLE: true, IMPL: mma}".
  std::string to_string() const;

  /// One JSON object without line breaks, in order, e.g. {"BLOCK":128,"SWIZZLE":true}. Integers and
  /// floating-point numbers keep their type and exact value. Bytes that are not UTF-8 become U+FFFD.
  std::string to_json() const;

  /// Reads what `to_json` writes. Throws InvalidArgument with the problem and its position in `text`.
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
