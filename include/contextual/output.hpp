#pragma once

/// \file
/// Output: a buffer that a region writes, for Options::outputs. Restored: one that is brought back before
/// each run of the region, for Options::restore.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

// The types of cuda_fp16.h, cuda_bf16.h and cuda_fp8.h, which need not be included.
struct __half;         // NOLINT(bugprone-reserved-identifier)
struct __nv_bfloat16;  // NOLINT(bugprone-reserved-identifier)
struct __nv_fp8_e4m3;  // NOLINT(bugprone-reserved-identifier)
struct __nv_fp8_e5m2;  // NOLINT(bugprone-reserved-identifier)

namespace contextual {

/// What the elements of a buffer are. The comments say which relative difference is allowed by default.
enum class ElementType : std::uint8_t {
  int8,      ///< 0: integers must be equal
  uint8,     ///< 0; for bytes of any kind
  int16,     ///< 0
  uint16,    ///< 0
  int32,     ///< 0
  uint32,    ///< 0
  int64,     ///< 0
  uint64,    ///< 0
  fp64,      ///< 1e-10
  fp32,      ///< 1e-4
  fp16,      ///< 2^-8, which is four units in the last place
  bf16,      ///< 2^-5, the same
  fp8_e4m3,  ///< 2^-2, two units in the last place
  fp8_e5m2,  ///< 2^-1, the same
};

namespace detail {

template <typename T>
constexpr std::optional<ElementType> integer_type() {
  if constexpr (std::is_enum_v<T>) {
    return integer_type<std::underlying_type_t<T>>();
  } else if constexpr (std::integral<T>) {
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return is_signed ? ElementType::int8 : ElementType::uint8;
      case 2:
        return is_signed ? ElementType::int16 : ElementType::uint16;
      case 4:
        return is_signed ? ElementType::int32 : ElementType::uint32;
      case 8:
        return is_signed ? ElementType::int64 : ElementType::uint64;
      default:
        break;
    }
  }
  return std::nullopt;
}

/// What `data()` of a buffer points to.
template <typename Buffer>
using ElementOf = std::remove_pointer_t<decltype(std::declval<Buffer&>().data())>;

}  // namespace detail

/// The element type of a C++ type; empty if it is none. Specialise it for types of your own, which may have
/// any name but must have the bits of one of these.
template <typename T>
inline constexpr std::optional<ElementType> element_type_of = detail::integer_type<T>();
template <>
inline constexpr std::optional<ElementType> element_type_of<double> = ElementType::fp64;
template <>
inline constexpr std::optional<ElementType> element_type_of<float> = ElementType::fp32;
template <>
inline constexpr std::optional<ElementType> element_type_of<__half> = ElementType::fp16;
template <>
inline constexpr std::optional<ElementType> element_type_of<__nv_bfloat16> = ElementType::bf16;
template <>
inline constexpr std::optional<ElementType> element_type_of<__nv_fp8_e4m3> = ElementType::fp8_e4m3;
template <>
inline constexpr std::optional<ElementType> element_type_of<__nv_fp8_e5m2> = ElementType::fp8_e5m2;

/// Returns the size of an element in bytes.
constexpr std::size_t size_of(ElementType type) noexcept {
  switch (type) {
    case ElementType::int16:
    case ElementType::uint16:
    case ElementType::fp16:
    case ElementType::bf16:
      return 2;
    case ElementType::int32:
    case ElementType::uint32:
    case ElementType::fp32:
      return 4;
    case ElementType::int64:
    case ElementType::uint64:
    case ElementType::fp64:
      return 8;
    default:
      return 1;
  }
}

/// A buffer that a region writes and never reads. Two results agree if each element is NaN in both or
/// differs by at most `absolute + relative x |expected|`. Make it by `output`.
struct Output {
  std::string name{};     ///< for reasons and warnings; not empty, on one line, and no two have the same
  void* data = nullptr;   ///< of the host or of a device; must stay valid while the region is tuned
  std::size_t count = 0;  ///< of elements; 0 for a rank that has no such output
  ElementType type = ElementType::uint8;
  std::optional<double> relative{};  ///< what the type says; not negative
  /// `relative` times the median magnitude of the expected elements that are not 0, so that a sum whose terms
  /// cancel out may be added up in another order; not negative.
  std::optional<double> absolute{};

  std::size_t bytes() const noexcept { return count * size_of(type); }
};

/// Returns an output of `count` elements: `contextual::output("c", c, m * n)`.
template <typename T>
requires(element_type_of<T>.has_value()) Output output(std::string name, T* data, std::size_t count) {
  return {std::move(name), data, count, *element_type_of<T>};
}
/// The same of a std::vector, a std::array or another buffer in the host's memory, which must outlive the
/// tuning at the same address: `contextual::output("c", c)`.
template <typename Buffer, typename T = detail::ElementOf<Buffer>>
requires(element_type_of<T>.has_value() && !std::is_const_v<T>) Output
    output(std::string name, Buffer& data) {
  return output(std::move(name), data.data(), data.size());
}
template <typename T, std::size_t extent>
requires(element_type_of<T>.has_value()) Output output(std::string name, std::span<T, extent> data) {
  return {std::move(name), data.data(), data.size(), *element_type_of<T>};
}

/// A buffer of the host or of a device that Options::restore brings back. Make it by `restored`.
struct Restored {
  std::string name{};          ///< for messages; may be empty
  void* data = nullptr;        ///< must stay valid while the region is tuned
  std::size_t size_bytes = 0;  ///< of what is brought back
};

/// Returns a buffer of `count` elements: `contextual::restored("weights", weights, count)`.
template <typename T>
requires(std::is_trivially_copyable_v<T>) Restored restored(std::string name, T* data, std::size_t count) {
  const bool fits = count <= std::numeric_limits<std::size_t>::max() / sizeof(T);  // `run` refuses the rest
  return {std::move(name), data, fits ? count * sizeof(T) : std::numeric_limits<std::size_t>::max()};
}
/// The same of a std::vector, a std::array or another buffer in the host's memory.
template <typename Buffer, typename T = detail::ElementOf<Buffer>>
requires(std::is_trivially_copyable_v<T> && !std::is_const_v<T>) Restored
    restored(std::string name, Buffer& data) {
  return restored(std::move(name), data.data(), data.size());
}
template <typename T, std::size_t extent>
requires(std::is_trivially_copyable_v<T>) Restored restored(std::string name, std::span<T, extent> data) {
  return {std::move(name), data.data(), data.size_bytes()};
}

}  // namespace contextual
