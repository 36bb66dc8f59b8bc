#pragma once

/// \file
/// A parameter as a ConfigSpace takes it: the types of a SpaceColumn's arguments are checked here.

#include <contextual/config.hpp>
#include <contextual/detail/config/space_column.hpp>
#include <contextual/value.hpp>

#include <bit>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace contextual::detail {

/// A parameter that is a data member of the user's struct C or of a base of C.
template <typename C>
class SpaceParameter : public SpaceColumn {
 public:
  /// `values` may be empty in a space with an explicit list, where the member only needs a name.
  template <typename M, typename B>
  requires std::is_object_v<M> && std::is_base_of_v<B, C> SpaceParameter(
      std::string_view name, M B::*member, std::initializer_list<std::type_identity_t<M>> values = {})
      : SpaceColumn(name, member_of<M>(member), values.begin(), values.size()) {}

  template <typename M, typename B>
  requires std::is_object_v<M> && std::is_base_of_v<B, C> SpaceParameter(
      std::string_view name, M B::*member, const std::vector<std::type_identity_t<M>>& values)
      : SpaceColumn(name, member_of<M>(member), array_of(values).get(), values.size()) {}

  /// Without it, `{"8", "16"}` would be the ends of a range that a vector is to be filled from.
  template <typename M, typename B, typename V>
  requires(std::is_object_v<M>&& std::is_base_of_v<B, C> && !std::is_convertible_v<V, M>)
      SpaceParameter(std::string_view name, M B::*member, std::initializer_list<V> /*values*/)
      : SpaceColumn(name, member_of<M>(member), nullptr, 0) {
    static_assert(std::is_convertible_v<V, M>,
                  "the values of a config parameter have the type of its member");
  }

 private:
  /// The ABIs of this library's compilers represent a pointer to a data member by the member's offset.
  template <typename M>
  static SpaceMember member_of(M C::*member) noexcept {
    static_assert(
        ConfigValue<M>,
        "a config parameter is a bool, an integer, an enumerator, a floating-point number or std::string");
    static_assert(std::is_same_v<M, std::remove_cv_t<M>>, "a config parameter is neither const nor volatile");
    if constexpr (ConfigValue<M>) {
      return {std::bit_cast<std::ptrdiff_t>(member), member_type<M>(), sizeof(M)};
    } else {
      return {};
    }
  }

  /// A vector of bools has no array of bools.
  template <typename M>
  static std::unique_ptr<M[]> array_of(const std::vector<M>& values) {
    auto array = std::make_unique<M[]>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      array[i] = values[i];
    }
    return array;
  }
};

/// A parameter that is a name in a dynamic config.
template <>
class SpaceParameter<Config> : public SpaceColumn {
 public:
  /// Takes any `ValueLike`. Does not throw for one that cannot be a `Value`, but is empty then.
  struct Candidate {
    template <ValueLike T>
    Candidate(const T& candidate) : value(to_value<T>(candidate)) {}
    std::optional<Value> value;
  };

  SpaceParameter(std::string name, std::initializer_list<Candidate> values)
      : SpaceColumn(std::move(name), values_of(values)) {}

  template <ValueLike T>
  SpaceParameter(std::string name, const std::vector<T>& values)
      : SpaceColumn(std::move(name), values_of(std::vector<Candidate>(values.begin(), values.end()))) {}

 private:
  template <typename Candidates>
  static std::vector<std::optional<Value>> values_of(const Candidates& candidates) {
    std::vector<std::optional<Value>> values;
    for (const Candidate& candidate : candidates) {
      values.push_back(candidate.value);
    }
    return values;
  }
};

}  // namespace contextual::detail
