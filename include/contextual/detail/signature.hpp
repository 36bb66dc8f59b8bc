#pragma once

#include <functional>
#include <type_traits>

namespace contextual::detail {

/// For static_assert in what is never to be instantiated.
template <typename>
inline constexpr bool dependent_false = false;

template <typename F>
struct CallSignature : CallSignature<decltype(&F::operator())> {};
template <typename R, typename... Args>
struct CallSignature<R (*)(Args...)> {
  using type = R(Args...);
};
template <typename R, typename... Args>
struct CallSignature<R (*)(Args...) noexcept> {
  using type = R(Args...);
};
template <typename F, typename R, typename... Args>
struct CallSignature<R (F::*)(Args...)> {
  using type = R(Args...);
};
template <typename F, typename R, typename... Args>
struct CallSignature<R (F::*)(Args...) const> {
  using type = R(Args...);
};
template <typename F, typename R, typename... Args>
struct CallSignature<R (F::*)(Args...) noexcept> {
  using type = R(Args...);
};
template <typename F, typename R, typename... Args>
struct CallSignature<R (F::*)(Args...) const noexcept> {
  using type = R(Args...);
};

/// `R(const C&, Args...)` of a lambda, a function pointer, a std::function or a class with one call operator.
template <typename L>
using launcher_signature_t = typename CallSignature<std::decay_t<L>>::type;

/// The launch's stream as an opaque pointer; cuda.hpp adds the overload that finds a cudaStream_t. Null here.
template <typename... Args>
void* stream_of(const Args&...) noexcept {
  return nullptr;
}

}  // namespace contextual::detail
