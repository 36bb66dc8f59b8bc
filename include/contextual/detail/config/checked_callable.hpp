#pragma once

#include <contextual/detail/config/erased_callable.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace contextual::detail {

/// A callable whose constructor accepts any argument. If the argument does not fit, the compile error begins
/// with the message of `Fits<false>`, instead of "no matching function" for the surrounding call. `Callable`
/// is DirectCallable<Signature> or PackedCallable<Signature>.
template <template <bool> typename Fits, template <typename> typename Callable, typename Signature>
class CheckedCallable;

template <template <bool> typename Fits, template <typename> typename Callable, typename R, typename... Args>
class CheckedCallable<Fits, Callable, R(Args...)> : public Callable<R(Args...)> {
 public:
  CheckedCallable() = default;
  CheckedCallable(std::nullptr_t) {}
  template <typename F>
  requires(!std::same_as<std::remove_cvref_t<F>, CheckedCallable>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint excludes copies and moves
      CheckedCallable(F&& function) {
    using Held = std::decay_t<F>;
    static_cast<void>(Fits<std::is_invocable_r_v<R, Held&, Args...>>{});
    static_assert(std::is_copy_constructible_v<Held>,
                  "the callables of a tunable kernel are kept and copied: they must be copyable");
    if constexpr (!std::is_invocable_r_v<R, Held&, Args...> || !std::is_copy_constructible_v<Held>) {
      // reported above
    } else if constexpr (std::is_base_of_v<Callable<R(Args...)>, Held>) {
      static_cast<Callable<R(Args...)>&>(*this) = std::forward<F>(function);  // of another role
    } else if (!is_null(function)) {
      this->template keep<Held>(std::forward<F>(function));
    }
  }
};

/// For what every launch calls.
template <template <bool> typename Fits, typename Signature>
using CheckedFunction = CheckedCallable<Fits, DirectCallable, Signature>;

/// For what is called while tuning, by the library, which does not know the signature.
template <template <bool> typename Fits, typename Signature>
using CheckedHook = CheckedCallable<Fits, PackedCallable, Signature>;

}  // namespace contextual::detail
