#pragma once

/// \file
/// One parameter of a config space: its name, its candidate values, and access to its value in a config.

#include <contextual/config.hpp>
#include <contextual/value.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace contextual::detail {

/// A parameter without the type of its config. A value that cannot be a `Value` is empty; generating the
/// space reports that.
struct SpaceAxis {
  std::string name;
  std::vector<std::optional<Value>> values;
};

/// A parameter that is a data member of the user's struct C or of a base of C.
template <typename C>
class SpaceParameter {
 public:
  /// `values` may be empty in a space with an explicit list, where the member only needs a name.
  template <typename M, typename B>
  requires std::is_object_v<M> && std::is_base_of_v<B, C> SpaceParameter(
      std::string name, M B::*member, std::initializer_list<std::type_identity_t<M>> values = {})
      : SpaceParameter(std::move(name), member, std::vector<M>(values)) {}

  template <typename M, typename B>
  requires std::is_object_v<M> && std::is_base_of_v<B, C> SpaceParameter(
      std::string name, M B::*member, std::vector<std::type_identity_t<M>> values) {
    static_assert(
        ConfigValue<M>,
        "a config parameter is a bool, an integer, an enumerator, a floating-point number or std::string");
    axis_.name = std::move(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      axis_.values.push_back(to_value<M>(values[i]));
    }
    assign_ = [member, values = std::move(values)](C& config, std::size_t i) { config.*member = values[i]; };
    read_ = [member](const C& config) { return to_value<M>(config.*member); };
    member_of_ = [member](const C& config) -> const void* { return std::addressof(config.*member); };
  }

  /// Without it, `{"8", "16"}` would be the ends of a range that a vector is to be filled from.
  template <typename M, typename B, typename V>
  requires(std::is_object_v<M>&& std::is_base_of_v<B, C> && !std::is_convertible_v<V, M>)
      SpaceParameter(const std::string& /*name*/, M B::* /*member*/, std::initializer_list<V> /*values*/) {
    static_assert(std::is_convertible_v<V, M>,
                  "the values of a config parameter have the type of its member");
  }

  const SpaceAxis& axis() const noexcept { return axis_; }
  /// Returns where the parameter's member is in `config`.
  const void* member_of(const C& config) const { return member_of_(config); }
  void assign(C& config, std::size_t value_index) const { assign_(config, value_index); }
  /// Returns nothing if the member's value cannot be a `Value`.
  std::optional<Value> read(const C& config) const { return read_(config); }

 private:
  SpaceAxis axis_;
  std::function<void(C&, std::size_t)> assign_;
  std::function<std::optional<Value>(const C&)> read_;
  std::function<const void*(const C&)> member_of_;
};

/// A parameter that is a name in a dynamic config.
template <>
class SpaceParameter<Config> {
 public:
  /// Takes any `ValueLike`. Does not throw for one that cannot be a `Value`, but is empty then.
  struct Candidate {
    template <ValueLike T>
    Candidate(const T& candidate) : value(to_value<T>(candidate)) {}
    std::optional<Value> value;
  };

  SpaceParameter(std::string name, std::initializer_list<Candidate> values) : axis_{std::move(name), {}} {
    for (const Candidate& candidate : values) {
      axis_.values.push_back(candidate.value);
    }
  }

  template <ValueLike T>
  SpaceParameter(std::string name, const std::vector<T>& values) : axis_{std::move(name), {}} {
    for (std::size_t i = 0; i < values.size(); ++i) {
      axis_.values.push_back(to_value<T>(values[i]));
    }
  }

  const SpaceAxis& axis() const noexcept { return axis_; }
  void assign(Config& config, std::size_t value_index) const {
    config.set(axis_.name, *axis_.values[value_index]);
  }
  std::optional<Value> read(const Config& config) const {
    const Value* value = config.find(axis_.name);
    return value != nullptr ? std::optional<Value>(*value) : std::nullopt;
  }

 private:
  SpaceAxis axis_;
};

}  // namespace contextual::detail
