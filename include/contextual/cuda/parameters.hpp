#pragma once

/// \file
/// The parameters of one launch of a CUDA kernel, as the driver wants them.

#include <contextual/error.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace contextual {

/// Copies of a kernel's parameters in their order. Lives on the stack of one launch and never allocates.
class CudaParameters {
 public:
  static constexpr std::size_t most_bytes = 4096;  ///< for all parameters together: a limit of the driver
  static constexpr std::size_t most_parameters = 64;

  CudaParameters() = default;
  CudaParameters(const CudaParameters&) = delete;
  CudaParameters& operator=(const CudaParameters&) = delete;

  /// Appends a copy of `value`. Throws InvalidArgument if a limit above is exceeded.
  template <typename T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "a kernel's parameters are copied to the device as they are");
    static_assert(alignof(T) <= storage_alignment);
    const std::size_t begin = (used_ + alignof(T) - 1) / alignof(T) * alignof(T);
    if (count_ == most_parameters || begin + sizeof(T) > most_bytes) {
      throw InvalidArgument("a kernel takes at most 64 parameters of 4096 bytes together");
    }
    std::memcpy(storage_.data() + begin, &value, sizeof(T));
    pointers_[count_++] = storage_.data() + begin;
    used_ = begin + sizeof(T);
  }

  void** pointers() noexcept { return pointers_.data(); }
  std::size_t count() const noexcept { return count_; }

 private:
  static constexpr std::size_t storage_alignment = 128;  // a tensor map wants 64 or, on later devices, 128

  alignas(storage_alignment) std::array<std::byte, most_bytes> storage_;  // initialised by `add` only
  std::array<void*, most_parameters> pointers_;                           // initialised by `add` only
  std::size_t used_ = 0;
  std::size_t count_ = 0;
};

}  // namespace contextual
