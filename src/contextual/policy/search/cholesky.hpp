#pragma once

/// \file
/// The Cholesky factor of a covariance matrix to which rows are appended.

#include <cstddef>
#include <span>
#include <vector>

namespace contextual::policy::search {

/// A lower triangular matrix L with L times its transpose equal to the matrix whose rows were appended. A
/// value type; not thread-safe.
class Cholesky {
 public:
  std::size_t size() const noexcept { return size_; }

  /// Appends the next row of the matrix, up to and including its diagonal element: size() + 1 elements. Costs
  /// size() squared operations. A diagonal element that rounding has made too small is raised to 1e-12.
  void append(std::span<const double> row);

  /// Takes out all rows but the first `count`.
  void keep(std::size_t count);

  /// Returns the x for which the matrix times x is `right`, which has size() elements. Costs 2 size() squared
  /// operations.
  std::vector<double> solve(std::vector<double> right) const;

  /// Returns the logarithm of the density of the normal distribution with this covariance at `values`, which
  /// has size() elements, without the constant.
  double log_density(std::vector<double> values) const;

 private:
  const double* row(std::size_t i) const noexcept { return factor_.data() + i * (i + 1) / 2; }
  void solve_lower(std::vector<double>& right) const;

  std::size_t size_ = 0;
  std::vector<double> factor_;  ///< the rows of the lower triangle, one after the other
};

}  // namespace contextual::policy::search
