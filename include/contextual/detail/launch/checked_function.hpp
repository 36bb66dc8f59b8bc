#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace contextual::detail {

/// A std::function whose constructor accepts any argument. If the argument does not fit, the compile error
/// begins with the message of `Fits<false>`, instead of "no matching function" for the surrounding call.
template <template <bool> typename Fits, typename Signature>
class CheckedFunction;

template <template <bool> typename Fits, typename R, typename... Args>
class CheckedFunction<Fits, R(Args...)> {
 public:
  using Function = std::function<R(Args...)>;

  CheckedFunction() = default;
  CheckedFunction(std::nullptr_t) {}
  template <typename F>
  requires(!std::same_as<std::remove_cvref_t<F>, CheckedFunction>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint excludes copies and moves
      CheckedFunction(F&& function) {
    using Callable = std::decay_t<F>;
    static_cast<void>(Fits<std::is_invocable_r_v<R, Callable&, Args...>>{});
    static_assert(std::is_copy_constructible_v<Callable>,
                  "the callables of a tunable kernel are kept in a std::function: they must be copyable");
    if constexpr (!std::is_invocable_r_v<R, Callable&, Args...> || !std::is_copy_constructible_v<Callable>) {
      // reported above
    } else if constexpr (requires { typename Callable::Function; }) {
      function_ = std::forward<F>(function).function();  // of another role; an empty one stays empty
    } else {
      function_ = std::forward<F>(function);
    }
  }

  explicit operator bool() const noexcept { return static_cast<bool>(function_); }
  R operator()(Args... args) const { return function_(std::forward<Args>(args)...); }

  const Function& function() const& noexcept { return function_; }
  Function function() && noexcept { return std::move(function_); }

 private:
  Function function_;
};

}  // namespace contextual::detail
