#include "contextual/measure/elements.hpp"

#include "support/catch.hpp"

#include <limits>
#include <span>

namespace contextual::elements_test {

using measure::compare;
using measure::element;

namespace {

template <typename T>
double number(ElementType type, T bits) {
  return element(std::as_bytes(std::span(&bits, 1)).data(), type, 0);
}

template <typename T, std::size_t n>
detail::Differences differences(const std::array<T, n>& got, const std::array<T, n>& expected,
                                ElementType type, detail::Tolerance tolerance) {
  return compare(std::as_bytes(std::span(got)).data(), std::as_bytes(std::span(expected)).data(), n, type,
                 tolerance);
}

}  // namespace

TEST_CASE("elements: small floating-point types are read as their standards say") {
  CHECK(number<std::uint16_t>(ElementType::fp16, 0x3C00) == 1);
  CHECK(number<std::uint16_t>(ElementType::fp16, 0xFBFF) == -65504);
  CHECK(number<std::uint16_t>(ElementType::fp16, 0x0001) == std::ldexp(1.0, -24));
  CHECK(std::isinf(number<std::uint16_t>(ElementType::fp16, 0x7C00)));
  CHECK(std::isnan(number<std::uint16_t>(ElementType::fp16, 0x7E00)));
  CHECK(number<std::uint16_t>(ElementType::bf16, 0x3F80) == 1);
  CHECK(number<std::uint16_t>(ElementType::bf16, 0xC040) == -3);
  CHECK(number<std::uint8_t>(ElementType::fp8_e4m3, 0x38) == 1);
  CHECK(number<std::uint8_t>(ElementType::fp8_e4m3, 0x7E) == 448);
  CHECK(std::isnan(number<std::uint8_t>(ElementType::fp8_e4m3, 0x7F)));
  CHECK(number<std::uint8_t>(ElementType::fp8_e4m3, 0x01) == std::ldexp(1.0, -9));
  CHECK(number<std::uint8_t>(ElementType::fp8_e5m2, 0x3C) == 1);
  CHECK(number<std::uint8_t>(ElementType::fp8_e5m2, 0x7B) == 57344);
  CHECK(std::isinf(number<std::uint8_t>(ElementType::fp8_e5m2, 0xFC)));
}

TEST_CASE("elements: with all bits set, each floating-point type is NaN") {
  const std::array<std::byte, 8> all{std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF},
                                     std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}};
  for (const ElementType type : {ElementType::fp64, ElementType::fp32, ElementType::fp16, ElementType::bf16,
                                 ElementType::fp8_e4m3, ElementType::fp8_e5m2}) {
    CHECK(std::isnan(element(all.data(), type, 0)));
    CHECK(measure::is_floating(type));
  }
  CHECK(element(all.data(), ElementType::uint64, 0) == 18446744073709551615.0);
  CHECK(element(all.data(), ElementType::int64, 0) == -1);
}

TEST_CASE("elements: a difference is one beyond the absolute and the relative tolerance") {
  using Floats = std::array<double, 4>;
  const Floats expected{1, 100, -100, 0};
  const detail::Tolerance tolerance{0.01, 0.5};
  CHECK(differences(Floats{1.5, 101.5, -101.5, 0.5}, expected, ElementType::fp64, tolerance).count == 0);
  const auto found = differences(Floats{1, 101.6, -103, 0}, expected, ElementType::fp64, tolerance);
  CHECK(found.count == 2);
  CHECK(found.first == 1);
  CHECK(found.largest_error == 3);
}

TEST_CASE("elements: NaN and infinities are equal to themselves only") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  using Two = std::array<double, 2>;
  const detail::Tolerance wide{1, 1e300};
  CHECK(differences(Two{nan, inf}, Two{-nan, inf}, ElementType::fp64, wide).count == 0);
  CHECK(differences(Two{nan, 1}, Two{1, nan}, ElementType::fp64, wide).count == 2);
  CHECK(differences(Two{inf, 1}, Two{-inf, inf}, ElementType::fp64, wide).count == 2);
  CHECK(differences(Two{nan, 1}, Two{1, 1}, ElementType::fp64, wide).largest_error == inf);
}

TEST_CASE("elements: integers that a double cannot tell apart differ") {
  using Two = std::array<std::int64_t, 2>;
  const std::int64_t large = std::int64_t{1} << 60;
  const auto found = differences(Two{1, large + 1}, Two{1, large}, ElementType::int64, {});
  CHECK(found.count == 1);
  CHECK(found.first == 1);
}

}  // namespace contextual::elements_test
