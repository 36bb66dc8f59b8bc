#pragma once

#include <functional>
#include <type_traits>

struct CUstream_st;  // a cudaStream_t and a CUstream are pointers to it

namespace contextual::detail {

/// For a static_assert in a template that must never be instantiated.
template <typename>
inline constexpr bool dependent_false = false;

/// The signature of a type without a call operator, or with several of them.
template <typename F>
struct NoSignature {};

template <typename F>
struct CallSignature {
  using type = NoSignature<F>;
};
template <typename F>
requires requires {
  &F::operator();
}
struct CallSignature<F> : CallSignature<decltype(&F::operator())> {};
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

/// The signature `R(const C&, Args...)` of a lambda, a function pointer, a std::function or a class with one
/// call operator.
template <typename L>
using launcher_signature_t = typename CallSignature<std::decay_t<L>>::type;

/// The base of a kernel whose signature is not a launcher's. It does not compile, and its message says why.
template <typename Signature>
struct NotALauncher {
  static_assert(
      dependent_false<Signature>,
      "a launcher is called as R(const C&, Args...): it takes the config first, by const reference");
};
template <typename F>
struct NotALauncher<NoSignature<F>> {
  static_assert(dependent_false<F>,
                "a launcher without one call operator (a generic lambda, say) does not tell its signature: "
                "name the kernel's, TunableKernel<R(const C&, Args...)>");
};

/// What a kernel's signature becomes where its key is forgotten.
template <typename F>
struct WithoutKey {};
template <typename F>
struct NotALauncher<WithoutKey<F>> {
  static_assert(dependent_false<F>,
                "a tunable kernel takes its name, config space, key and launcher: the key is missing. Where "
                "one config is best for all launches, it is contextual::single_problem");
};

/// True if some argument is of type cudaStream_t (CUstream).
template <typename... Args>
inline constexpr bool takes_stream = (std::is_same_v<std::remove_cvref_t<Args>, CUstream_st*> || ...);

/// Returns the only argument of type cudaStream_t (CUstream) as an opaque pointer, or null if there is none
/// or more than one.
template <typename... Args>
void* stream_of(const Args&... args) noexcept {
  constexpr int count = (0 + ... + (std::is_same_v<std::remove_cv_t<Args>, CUstream_st*> ? 1 : 0));
  void* stream = nullptr;
  if constexpr (count == 1) {
    const auto take = [&stream](const auto& arg) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(arg)>, CUstream_st*>) {
        stream = arg;
      }
    };
    (take(args), ...);
  }
  return stream;
}

}  // namespace contextual::detail
