#include <contextual/detail/config/erased_callable.hpp>

#include <functional>
#include <utility>

namespace contextual::detail {

ErasedCallable::ErasedCallable(const ErasedCallable& other)
    : storage_(other.storage_), invoke_(other.invoke_), code_(other.code_), manage_(other.manage_) {
  if (manage_ != nullptr) {
    storage_.callable = manage_(other.storage_.callable, true);
  }
}

ErasedCallable::ErasedCallable(ErasedCallable&& other) noexcept
    : storage_(other.storage_),
      invoke_(std::exchange(other.invoke_, nullptr)),
      code_(std::exchange(other.code_, nullptr)),
      manage_(std::exchange(other.manage_, nullptr)) {}

ErasedCallable& ErasedCallable::operator=(ErasedCallable other) noexcept {
  std::swap(storage_, other.storage_);
  std::swap(invoke_, other.invoke_);
  std::swap(code_, other.code_);
  std::swap(manage_, other.manage_);
  return *this;
}

ErasedCallable::~ErasedCallable() {
  if (manage_ != nullptr) {
    manage_(storage_.callable, false);
  }
}

void fail_empty_callable() {
  throw std::bad_function_call();
}

}  // namespace contextual::detail
