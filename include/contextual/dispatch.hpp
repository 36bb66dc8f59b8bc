#pragma once

/// \file
/// Turns run-time values of a config into template arguments.
///
///     dispatch<128, 256>(c.block_n, [&]<int BN> { gemm<BN>(args); });
///     dispatch(values<64, 128>(c.bm), values<32, 64>(c.bn), [&]<int BM, int BN> { gemm<BM, BN>(args); });
///
/// Every combination is compiled. A value that is not listed throws ConfigRejected, whose message names the
/// value and the list. Cost: one comparison per listed value up to the right one; no allocation.

#include <contextual/export.hpp>
#include <contextual/value.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace contextual {

namespace detail {

[[noreturn]] CONTEXTUAL_API void reject_dispatch(const std::string& value, const std::string& listed);

template <typename T>
std::string dispatch_text(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else {
    return "(a value without a text)";
  }
}

/// Compares without the conversions that would make -1 equal to 4294967295.
template <typename A, typename B>
constexpr bool dispatch_equal(const A& a, const B& b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return std::cmp_equal(+a, +b);
  } else {
    return a == b;
  }
}

template <typename R, auto First, auto... Rest, typename V, typename F>
constexpr R dispatch_one_of(const V& value, F& f, std::string (*listed)()) {
  static_assert(std::is_same_v<R, decltype(f.template operator()<First>())>,
                "the callable must return the same type for every listed value");
  if (dispatch_equal(value, First)) {
    return f.template operator()<First>();
  }
  if constexpr (sizeof...(Rest) > 0) {
    return dispatch_one_of<R, Rest...>(value, f, listed);
  } else {
    reject_dispatch(dispatch_text(value), listed());
  }
}

template <auto First, auto... Rest>
std::string dispatch_list() {
  std::string text = dispatch_text(First);
  ((text += ", " + dispatch_text(Rest)), ...);
  return text;
}

}  // namespace detail

/// Calls `f.template operator()<V>()` for the listed V that equals `value` and returns the result, whose type
/// must be the same for every V. Throws ConfigRejected if no listed value is equal.
template <auto First, auto... Rest, typename V, typename F>
constexpr decltype(auto) dispatch(const V& value, F&& f) {
  static_assert((std::is_same_v<decltype(First), decltype(Rest)> && ...), "list values of one type");
  using R = decltype(f.template operator()<First>());
  return detail::dispatch_one_of<R, First, Rest...>(value, f, &detail::dispatch_list<First, Rest...>);
}

/// One dimension of a `dispatch` over several: a copy of the run-time value, with the values it may have.
template <typename V, auto First, auto... Rest>
struct DispatchValues {
  V value;

  template <typename F>
  constexpr decltype(auto) operator()(F&& f) const {
    return dispatch<First, Rest...>(value, f);
  }
};

/// Names the values that `value` may have, for a `dispatch` over several dimensions.
template <auto First, auto... Rest, typename V>
constexpr DispatchValues<V, First, Rest...> values(const V& value) {
  return {value};
}

namespace detail {

template <std::size_t Dimension, auto... Bound, typename Arguments>
constexpr decltype(auto) dispatch_dimension(Arguments& arguments) {
  if constexpr (Dimension + 1 == std::tuple_size_v<Arguments>) {
    return std::get<Dimension>(arguments).template operator()<Bound...>();
  } else {
    return std::get<Dimension>(arguments)([&]<auto Value>()->decltype(auto) {
      return dispatch_dimension<Dimension + 1, Bound..., Value>(arguments);
    });
  }
}

}  // namespace detail

/// Dispatches over several dimensions. The arguments are one `values<...>(value)` per dimension, then a
/// callable with one template parameter per dimension. Returns and throws as the `dispatch` above does.
template <typename V, auto First, auto... Rest, typename... More>
requires(sizeof...(More) > 0) constexpr decltype(auto)
    dispatch(const DispatchValues<V, First, Rest...>& dimension, More&&... more) {
  auto arguments = std::forward_as_tuple(dimension, more...);
  return detail::dispatch_dimension<0>(arguments);
}

}  // namespace contextual
