#include "contextual/measure/elements.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace contextual::measure {
namespace {

/// A number of sign, exponent and fraction, with the special values of IEEE 754 unless `finite_only`, where
/// all ones is NaN and there is no infinity.
template <int exponent_bits, int fraction_bits, bool finite_only = false>
double decoded(std::uint32_t bits) noexcept {
  constexpr std::uint32_t fraction_mask = (1U << fraction_bits) - 1;
  constexpr std::uint32_t exponent_mask = (1U << exponent_bits) - 1;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint32_t fraction = bits & fraction_mask;
  const std::uint32_t exponent = (bits >> fraction_bits) & exponent_mask;
  const double sign = (bits >> (exponent_bits + fraction_bits)) != 0 ? -1 : 1;
  if (exponent == exponent_mask && (!finite_only || fraction == fraction_mask)) {
    const bool infinite = !finite_only && fraction == 0;
    return infinite ? sign * std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::quiet_NaN();
  }
  const bool normal = exponent != 0;
  const std::uint32_t significand = fraction + (normal ? 1U << fraction_bits : 0);
  const int power = (normal ? static_cast<int>(exponent) : 1) - bias - fraction_bits;
  constexpr int bias_of_double = 1023;
  constexpr int fraction_bits_of_double = 52;
  return sign * significand *
         std::bit_cast<double>(static_cast<std::uint64_t>(bias_of_double + power) << fraction_bits_of_double);
}

template <typename T>
T stored(const std::byte* data, std::size_t index) noexcept {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

/// Calls `use` with a type to load an element as, and a function that makes a number of it.
template <typename Use>
auto with_type(ElementType type, const Use& use) {
  const auto as_it_is = [](auto value) { return static_cast<double>(value); };
  switch (type) {
    case ElementType::int8:
      return use(std::int8_t{}, as_it_is);
    case ElementType::uint8:
      return use(std::uint8_t{}, as_it_is);
    case ElementType::int16:
      return use(std::int16_t{}, as_it_is);
    case ElementType::uint16:
      return use(std::uint16_t{}, as_it_is);
    case ElementType::int32:
      return use(std::int32_t{}, as_it_is);
    case ElementType::uint32:
      return use(std::uint32_t{}, as_it_is);
    case ElementType::int64:
      return use(std::int64_t{}, as_it_is);
    case ElementType::uint64:
      return use(std::uint64_t{}, as_it_is);
    case ElementType::fp64:
      return use(double{}, as_it_is);
    case ElementType::fp32:
      return use(float{}, as_it_is);
    case ElementType::fp16:
      return use(std::uint16_t{}, [](std::uint16_t bits) { return decoded<5, 10>(bits); });
    case ElementType::bf16:
      return use(std::uint16_t{}, [](std::uint16_t bits) {
        return static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16));
      });
    case ElementType::fp8_e4m3:
      return use(std::uint8_t{}, [](std::uint8_t bits) { return decoded<4, 3, true>(bits); });
    case ElementType::fp8_e5m2:
      break;
  }
  return use(std::uint8_t{}, [](std::uint8_t bits) { return decoded<5, 2>(bits); });
}

/// Infinite where one of two is NaN, or an infinity that the other is not.
double error_of(double got, double expected) noexcept {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) {
    return 0;
  }
  const double error = std::abs(got - expected);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

bool allowed(double error, double expected, const detail::Tolerance& tolerance) noexcept {
  return error == 0 ||
         (std::isfinite(error) && error <= tolerance.absolute + tolerance.relative * std::abs(expected));
}

}  // namespace

double default_tolerance(ElementType type) noexcept {
  switch (type) {
    case ElementType::fp64:
      return 1e-10;
    case ElementType::fp32:
      return 1e-4;
    case ElementType::fp16:
      return std::ldexp(1.0, -8);
    case ElementType::bf16:
      return std::ldexp(1.0, -5);
    case ElementType::fp8_e4m3:
      return std::ldexp(1.0, -2);
    case ElementType::fp8_e5m2:
      return std::ldexp(1.0, -1);
    default:
      return 0;
  }
}

bool is_floating(ElementType type) noexcept {
  return default_tolerance(type) > 0;
}

double element(const std::byte* data, ElementType type, std::size_t index) noexcept {
  return with_type(type,
                   [&](auto as, const auto& number) { return number(stored<decltype(as)>(data, index)); });
}

detail::Differences compare(const std::byte* data, const std::byte* expected, std::size_t count,
                            ElementType type, const detail::Tolerance& tolerance) noexcept {
  return with_type(type, [&](auto as, const auto& number) {
    using T = decltype(as);
    constexpr std::size_t block = std::size_t{16} << 10;  // most blocks are equal bit by bit
    detail::Differences found;
    for (std::size_t begin = 0; begin < count; begin += block) {
      const std::size_t end = std::min(count, begin + block);
      if (std::memcmp(data + begin * sizeof(T), expected + begin * sizeof(T), (end - begin) * sizeof(T)) ==
          0) {
        continue;
      }
      for (std::size_t i = begin; i < end; ++i) {
        const T got = stored<T>(data, i);
        const T wanted = stored<T>(expected, i);
        if (std::equal(data + i * sizeof(T), data + (i + 1) * sizeof(T), expected + i * sizeof(T))) {
          continue;
        }
        double error = error_of(number(got), number(wanted));
        if (!is_floating(type) && error == 0) {
          error = 1;  // lost in rounding
        }
        found.largest_error = std::max(found.largest_error, error);
        if (!allowed(error, number(wanted), tolerance)) {
          found.first = found.count == 0 ? i : found.first;
          ++found.count;
        }
      }
    }
    return found;
  });
}

detail::BlockSum sum_of(const std::byte* data, ElementType type, std::size_t count) noexcept {
  return with_type(type, [&](auto as, const auto& number) {
    using T = decltype(as);
    std::array<std::byte, sizeof(T)> all_set;
    all_set.fill(std::byte{0xFF});
    detail::BlockSum sum;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = number(stored<T>(data, i));
      std::uint64_t bits = 0;
      std::memcpy(&bits, data + i * sizeof(T), sizeof(T));
      sum.sum += std::isfinite(value) ? value : 0;
      sum.magnitude += std::isfinite(value) ? std::abs(value) : 0;
      sum.hash = (sum.hash ^ bits) * 0x9E3779B97F4A7C15U;
      sum.hash ^= sum.hash >> 32U;  // else two changes of the highest bit cancel
      sum.not_finite += std::isfinite(value) ? 0 : 1;
      sum.nan_count += std::isnan(value) ? 1 : 0;
      sum.filled_count += std::memcmp(data + i * sizeof(T), all_set.data(), sizeof(T)) == 0 ? 1 : 0;
    }
    return sum;
  });
}

}  // namespace contextual::measure
