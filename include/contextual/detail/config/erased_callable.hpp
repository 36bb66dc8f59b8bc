#pragma once

/// \file
/// A callable whose type and signature are not known where it is kept.

#include <contextual/export.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace contextual::detail {

/// Holds a copy of any copyable callable, or nothing. A copy holds a copy of the callable.
///
/// A std::function does the same, but makes the user's compiler generate its members again for every callable
/// and signature. Here a callable costs one function that calls it, and a second one that copies or deletes
/// it if it is large or not trivial.
class CONTEXTUAL_API ErasedCallable {
 public:
  ErasedCallable() noexcept = default;
  ErasedCallable(const ErasedCallable& other);
  ErasedCallable(ErasedCallable&& other) noexcept;
  ErasedCallable& operator=(ErasedCallable other) noexcept;
  ~ErasedCallable();

  explicit operator bool() const noexcept { return invoke_ != nullptr; }

  /// Returns an address in the module, the program or a shared library, that defines what is held; null if
  /// nothing is. Of a callable with external linkage it is the one whose code is called.
  const void* code() const noexcept { return code_; }

  /// The callable itself if it is small, otherwise a pointer to it.
  union Storage {
    void* callable;
    std::byte small[2 * sizeof(void*)];
  };

  template <typename F>
  static constexpr bool is_small = sizeof(F) <= sizeof(Storage) &&
                                   alignof(F) <= alignof(Storage) && std::is_trivially_copyable_v<F>;

  template <typename F>
  static F& get(const Storage& storage) noexcept {
    if constexpr (is_small<F>) {
      return *std::launder(reinterpret_cast<F*>(const_cast<std::byte*>(storage.small)));
    } else {
      return *static_cast<F*>(storage.callable);
    }
  }

 protected:
  using Invoke = void (*)();  ///< any function pointer; who calls it casts it back

  /// Call it once, on an empty object. `invoke` calls an F, whatever its signature is.
  template <typename F, typename Given>
  void hold(Given&& given, Invoke invoke) {
    code_ = code_of<F>(given, invoke);
    if constexpr (is_small<F>) {
      ::new (static_cast<void*>(storage_.small)) F(std::forward<Given>(given));
    } else {
      storage_.callable = new F(std::forward<Given>(given));
      manage_ = [](void* callable, bool copy) -> void* {
        F* const held = static_cast<F*>(callable);
        if (copy) {
          return new F(*held);
        }
        delete held;
        return nullptr;
      };
    }
    invoke_ = invoke;
  }

  mutable Storage storage_{};  ///< a callable may change itself
  Invoke invoke_ = nullptr;    ///< null: nothing is held

 private:
  template <typename F>
  static const void* code_of(const F& function, Invoke invoke) noexcept;

  const void* code_ = nullptr;
  void* (*manage_)(void* callable, bool copy) = nullptr;  ///< copies or deletes it; null if it is small
};

[[noreturn]] CONTEXTUAL_API void fail_empty_callable();  ///< throws std::bad_function_call

template <typename>
inline constexpr bool is_std_function = false;
template <typename Signature>
inline constexpr bool is_std_function<std::function<Signature>> = true;

#ifdef __cpp_rtti
template <typename Signature>
const void* address_in_module(const std::function<Signature>& function) noexcept {
  Signature* const* pointer = function.template target<Signature*>();
  return pointer != nullptr ? reinterpret_cast<const void*>(*pointer) : &function.target_type();
}
#endif

/// Returns true for a null pointer, an empty std::function and the like.
template <typename F>
bool is_null(const F& function) {
  if constexpr (std::is_pointer_v<F> || std::is_member_pointer_v<F> || is_std_function<F>) {
    return function == nullptr;
  } else if constexpr (std::is_base_of_v<ErasedCallable, F>) {
    return !function;
  } else {
    return false;
  }
}

/// What calls a function pointer or a std::function may be of any module with such a type: they say
/// themselves what they call.
template <typename F>
const void* ErasedCallable::code_of(const F& function, Invoke invoke) noexcept {
  if constexpr (std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>) {
    return reinterpret_cast<const void*>(function);
  } else if constexpr (std::is_base_of_v<ErasedCallable, F>) {
    return function.code();
#ifdef __cpp_rtti
  } else if constexpr (is_std_function<F>) {
    return address_in_module(function);
#endif
  } else {
    return reinterpret_cast<const void*>(invoke);
  }
}

template <typename R, typename F, typename... Args>
R invoke_as(F& function, Args&&... args) {
  if constexpr (std::is_void_v<R>) {
    static_cast<void>(std::invoke(function, std::forward<Args>(args)...));
  } else if constexpr (std::is_member_pointer_v<F>) {
    return std::invoke(function, std::forward<Args>(args)...);
  } else {
    return function(std::forward<Args>(args)...);
  }
}

/// An ErasedCallable that is called with its arguments as they are: for what every launch calls.
template <typename Signature>
class DirectCallable;

template <typename R, typename... Args>
class DirectCallable<R(Args...)> : public ErasedCallable {
 public:
  R operator()(Args... args) const {
    if (invoke_ == nullptr) [[unlikely]] {
      fail_empty_callable();
    }
    return reinterpret_cast<Call>(invoke_)(storage_, std::forward<Args>(args)...);
  }

 protected:
  using Call = R (*)(const Storage&, Args...);

  template <typename F, typename Given>
  void keep(Given&& given) {
    const Call invoke = [](const Storage& storage, Args... args) -> R {
      return invoke_as<R>(get<F>(storage), std::forward<Args>(args)...);
    };
    this->template hold<F>(std::forward<Given>(given), reinterpret_cast<Invoke>(invoke));
  }
};

/// An ErasedCallable that the library calls with the addresses of its arguments, which are lvalue references,
/// so that nothing between the launch and the call depends on their types.
template <typename Signature>
class PackedCallable;

/// Calls what a PackedCallable holds, which must return an R, with the addresses of its arguments.
template <typename R>
class PackedResult : public ErasedCallable {
 public:
  R call(void* const* args) const {
    if (invoke_ == nullptr) [[unlikely]] {
      fail_empty_callable();
    }
    return reinterpret_cast<Call>(invoke_)(storage_, args);
  }

 protected:
  using Call = R (*)(const Storage&, void* const* args);
};

template <typename T>
void* address_of(T& argument) noexcept {
  if constexpr (std::is_function_v<T>) {
    return reinterpret_cast<void*>(std::addressof(argument));
  } else {
    return const_cast<void*>(static_cast<const volatile void*>(std::addressof(argument)));
  }
}

template <typename R, typename... Args>
class PackedCallable<R(Args...)> : public PackedResult<R> {
  static_assert((std::is_lvalue_reference_v<Args> && ...));

 public:
  R operator()(Args... args) const {
    void* const addresses[] = {address_of(args)..., nullptr};
    return this->call(addresses);
  }

 protected:
  template <typename F, typename Given>
  void keep(Given&& given) {
    const typename PackedResult<R>::Call invoke = [](const ErasedCallable::Storage& storage,
                                                     void* const* args) -> R {
      return unpack<F>(ErasedCallable::get<F>(storage), args, std::index_sequence_for<Args...>());
    };
    this->template hold<F>(std::forward<Given>(given), reinterpret_cast<ErasedCallable::Invoke>(invoke));
  }

 private:
  template <typename F, std::size_t... I>
  static R unpack(F& function, [[maybe_unused]] void* const* args, std::index_sequence<I...> /*positions*/) {
    return invoke_as<R>(function, *reinterpret_cast<std::remove_reference_t<Args>*>(args[I])...);
  }
};

}  // namespace contextual::detail
