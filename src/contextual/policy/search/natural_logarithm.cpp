#include "contextual/policy/search/natural_logarithm.hpp"

#include <cmath>
#include <numbers>

namespace contextual::policy::search {

double natural_logarithm(double x) noexcept {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // exact
  if (mantissa < std::numbers::sqrt2 / 2) {
    mantissa *= 2;
    --exponent;
  }
  // log(m) = 2 artanh((m - 1) / (m + 1)); the argument is at most 0.172, so ten terms leave 1e-17.
  const double ratio = (mantissa - 1) / (mantissa + 1);
  const double square = ratio * ratio;
  double sum = 0;
  for (int term = 10; term >= 0; --term) {
    sum = sum * square + 1.0 / (2 * term + 1);
  }
  return 2 * ratio * sum + exponent * std::numbers::ln2;
}

}  // namespace contextual::policy::search
