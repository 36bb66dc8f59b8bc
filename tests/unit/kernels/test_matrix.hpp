#pragma once

/// \file
/// Row-major test matrices with padding behind each row, random input, and the double-precision references.

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace contextual::kernels::test {

/// `rows` x `cols` with rows `ld` apart; what lies behind a row holds `poison`.
struct Matrix {
  static constexpr float poison = -12345.0F;

  Matrix(long rows_, long cols_, long padding) : rows(rows_), cols(cols_), ld(cols_ + padding) {
    values.assign(static_cast<std::size_t>(rows * ld) + 16, poison);
  }
  float& at(long i, long j) { return values[static_cast<std::size_t>(i * ld + j)]; }
  float at(long i, long j) const { return values[static_cast<std::size_t>(i * ld + j)]; }
  float* data() { return values.data(); }
  const float* data() const { return values.data(); }

  void fill(float value) {
    for (long i = 0; i < rows; ++i) {
      for (long j = 0; j < cols; ++j) {
        at(i, j) = value;
      }
    }
  }
  void fill_nan() { fill(std::numeric_limits<float>::quiet_NaN()); }
  void fill_random(unsigned seed, float low = -1.0F, float high = 1.0F) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> uniform(low, high);
    for (long i = 0; i < rows; ++i) {
      for (long j = 0; j < cols; ++j) {
        at(i, j) = uniform(engine);
      }
    }
  }
  /// Nothing outside of the matrix was written.
  bool padding_untouched() const {
    for (std::size_t index = 0; index < values.size(); ++index) {
      const long i = static_cast<long>(index) / ld;
      const long j = static_cast<long>(index) % ld;
      if ((i >= rows || j >= cols) && values[index] != poison) {
        return false;
      }
    }
    return true;
  }

  long rows;
  long cols;
  long ld;
  std::vector<float> values;
};

/// The largest |value - reference| / scale; infinite if a value is NaN. `reference(i, j)` returns {value,
/// scale}.
template <typename Reference>
double worst_error(const Matrix& result, const Reference& reference) {
  double worst = 0;
  for (long i = 0; i < result.rows; ++i) {
    for (long j = 0; j < result.cols; ++j) {
      const auto [expected, scale] = reference(i, j);
      const double error = std::abs(static_cast<double>(result.at(i, j)) - expected) / scale;
      if (!(error <= worst)) {
        worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
      }
    }
  }
  return worst;
}

/// A value and the size of the terms that it is the sum of: rounding errors are relative to that.
struct Expected {
  double value;
  double scale;
};

/// before + sum over k of A B.
inline Expected gemm_reference(const Matrix& a, const Matrix& b, double before, long i, long j) {
  Expected result{before, std::abs(before) + 1e-30};
  for (long p = 0; p < a.cols; ++p) {
    const double term = static_cast<double>(a.at(i, p)) * static_cast<double>(b.at(p, j));
    result.value += term;
    result.scale += std::abs(term);
  }
  return result;
}

}  // namespace contextual::kernels::test
