#include "contextual/policy/search/natural_logarithm.hpp"

#include "support/catch.hpp"

#include <limits>

namespace contextual::policy::search::natural_logarithm_test {

namespace {

bool near_the_library(double x) {
  const double expected = std::log(x);
  return std::abs(natural_logarithm(x) - expected) <= 1e-12 * std::abs(expected);
}

}  // namespace

TEST_CASE("natural_logarithm: the relative error is below 1e-12 over all magnitudes") {
  int wrong = 0;
  for (int exponent = -1022; exponent < 1023; exponent += 3) {
    for (const double mantissa : {1.0, 1.1, 1.3, 1.4142135, 1.4142136, 1.7, 1.9999999}) {
      wrong += near_the_library(std::ldexp(mantissa, exponent)) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("natural_logarithm: the relative error is below 1e-12 close to 1") {
  CHECK(natural_logarithm(1) == 0);
  for (double distance = 0.4; distance > 1e-15; distance /= 3) {
    CAPTURE(distance);
    CHECK(near_the_library(1 + distance));
    CHECK(near_the_library(1 - distance));
  }
}

TEST_CASE("natural_logarithm of the smallest and the largest numbers") {
  CHECK(near_the_library(std::numeric_limits<double>::denorm_min()));
  CHECK(near_the_library(std::numeric_limits<double>::min()));
  CHECK(near_the_library(std::numeric_limits<double>::max()));
}

}  // namespace contextual::policy::search::natural_logarithm_test
