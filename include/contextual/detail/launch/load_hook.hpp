#pragma once

#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/launch/kernel_arguments.hpp>
#include <contextual/key.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace contextual::detail {

/// For a callable `void(const C&, const Key*)`.
struct WithKeyPointer {};

/// KernelOptions::load. What it holds is called with the config and the key, which is null at the start of a
/// tuning run.
template <typename C>
class LoadHook : public CheckedHook<LoadFits, void(const C&, const Key* const&)> {
  using Base = CheckedHook<LoadFits, void(const C&, const Key* const&)>;
  template <typename F>
  static constexpr bool takes_config = std::is_invocable_v<std::decay_t<F>&, const C&>;
  template <typename F>
  static constexpr bool takes_key = std::is_invocable_v<std::decay_t<F>&, const C&, const Key&>;
  template <typename F>
  static constexpr bool fits = takes_config<F> || takes_key<F>;

 public:
  LoadHook() = default;
  LoadHook(std::nullptr_t) {}
  template <typename F>
  LoadHook(WithKeyPointer /*form*/, F&& load) : Base(std::forward<F>(load)) {}
  template <typename F>
  requires(!std::same_as<std::remove_cvref_t<F>, LoadHook>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint excludes copies and moves
      LoadHook(F&& load) {
    static_cast<void>(LoadFits<fits<F>>{});
    if (is_null(load)) {
      return;
    }
    needs_key_ = !takes_config<F>;
    if constexpr (fits<F>) {
      static_cast<Base&>(*this) = Base([held = std::decay_t<F>(std::forward<F>(load))](
                                           const C& config, [[maybe_unused]] const Key* key) mutable {
        if constexpr (takes_key<F>) {
          if (key != nullptr) {
            std::invoke(held, config, *key);
            return;
          }
        }
        if constexpr (takes_config<F>) {
          std::invoke(held, config);
        }
      });
    }
  }

  bool needs_key() const noexcept { return needs_key_; }  ///< it does nothing without

 private:
  bool needs_key_ = false;
};

}  // namespace contextual::detail
