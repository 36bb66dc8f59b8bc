#pragma once

/// \file
/// Matrices of tests whose ranks hold parts of the data. An element's value is a function of its place, so
/// every rank can compute what any other one holds, without a message, and check its own result.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace contextual::test::distributed {

/// In [-1, 1); differs from round to round. `matrix` tells matrices apart.
inline float value_at(std::uint64_t matrix, std::uint64_t round, long row, long col) {
  std::uint64_t x = (matrix * 131 + round) * 0x9e3779b97f4a7c15U + (static_cast<std::uint64_t>(row) << 24) +
                    static_cast<std::uint64_t>(col);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;  // the mixing steps of splitmix64
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return static_cast<float>((x ^ (x >> 31)) >> 40) * 0x1p-23F - 1.0F;
}

/// Row-major without gaps.
struct Matrix {
  Matrix(long rows_, long cols_)
      : rows(rows_), cols(cols_), values(static_cast<std::size_t>(rows_ * cols_)) {}

  float* row(long i) { return values.data() + i * cols; }
  const float* row(long i) const { return values.data() + i * cols; }
  float* data() { return values.data(); }

  /// The part of matrix number `matrix` that begins at (first_row, first_col).
  void fill(std::uint64_t matrix, std::uint64_t round, long first_row = 0, long first_col = 0) {
    for (long i = 0; i < rows; ++i) {
      for (long j = 0; j < cols; ++j) {
        row(i)[j] = value_at(matrix, round, first_row + i, first_col + j);
      }
    }
  }

  /// What a run must overwrite before it reads it. NaN shows in the result wherever it is read, but a maximum
  /// or a comparison may swallow it; other values do not look wrong, and only the reference shows them.
  void spoil(std::uint64_t round) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::fill(values.begin(), values.end(), round % 2 == 0 ? nan : 1e3F + static_cast<float>(round));
  }

  bool all_finite() const {
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  }

  long rows;
  long cols;
  std::vector<float> values;
};

/// A float sum may be off by this, relative to the sum of its terms' sizes; far below the effect of any term
/// that is missing.
constexpr double tolerance = 2e-6;

/// The largest error of a row of a product, relative to the sizes of its terms. `a_at(p)` is the row's factor
/// of row p of `b`, for `depth` rows.
template <typename Factor>
double row_error(const float* result, const Matrix& b, long depth, const Factor& a_at) {
  std::vector<double> sums(static_cast<std::size_t>(b.cols), 0.0);
  std::vector<double> sizes(sums);
  for (long p = 0; p < depth; ++p) {
    const double factor = a_at(p);
    const float* const from = b.row(p);
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const double term = factor * static_cast<double>(from[j]);
      sums[j] += term;
      sizes[j] += std::abs(term);
    }
  }
  double worst = 0;
  for (std::size_t j = 0; j < sums.size(); ++j) {
    const double error = std::abs(static_cast<double>(result[j]) - sums[j]) / sizes[j];
    worst = error <= worst ? worst : error;  // a NaN is worse than anything
    if (std::isnan(error)) {
      return std::numeric_limits<double>::infinity();
    }
  }
  return worst;
}

/// The largest of the errors of these rows.
template <typename ErrorOf>
double worst_of(const std::vector<long>& rows, const ErrorOf& error_of) {
  double worst = 0;
  for (const long row : rows) {
    worst = std::max(worst, error_of(row));
  }
  return worst;
}

inline std::vector<long> all_rows(long count) {
  std::vector<long> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0L);
  return rows;
}

/// The rows to look at after one tuning iteration: the first and the last of each of `shards` shards, where
/// mistakes of one element are, and a few others.
inline std::vector<long> sample_rows(long rows, int shards, std::mt19937& engine) {
  std::vector<long> sample;
  const long shard = rows / shards;
  for (int i = 0; i < shards; ++i) {
    sample.push_back(i * shard);
    sample.push_back((i + 1) * shard - 1);
  }
  std::uniform_int_distribution<long> any(0, rows - 1);
  for (int i = 0; i < 8; ++i) {
    sample.push_back(any(engine));
  }
  return sample;
}

}  // namespace contextual::test::distributed
