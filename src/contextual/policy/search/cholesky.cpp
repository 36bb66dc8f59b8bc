#include "contextual/policy/search/cholesky.hpp"

#include "contextual/policy/search/natural_logarithm.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace contextual::policy::search {

namespace {

/// Four sums, because each addition to one has to wait for the one before it.
double dot(const double* a, const double* b, std::size_t count) noexcept {
  std::array<double, 4> sums{};
  std::size_t k = 0;
  for (; k + sums.size() <= count; k += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) {
      sums[lane] += a[k + lane] * b[k + lane];
    }
  }
  double rest = 0;
  for (; k < count; ++k) {
    rest += a[k] * b[k];
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest;
}

}  // namespace

void Cholesky::append(std::span<const double> row_of_matrix) {
  const std::size_t begin = factor_.size();
  factor_.insert(factor_.end(), row_of_matrix.begin(), row_of_matrix.end());
  double* const mine = factor_.data() + begin;
  for (std::size_t j = 0; j <= size_; ++j) {
    const double* const other = row(j);
    const double sum = mine[j] - dot(mine, other, j);
    mine[j] = j == size_ ? std::sqrt(std::max(sum, 1e-12)) : sum / other[j];
  }
  ++size_;
}

void Cholesky::keep(std::size_t count) {
  size_ = std::min(size_, count);
  factor_.resize(size_ * (size_ + 1) / 2);
}

void Cholesky::solve_lower(std::vector<double>& right) const {
  for (std::size_t i = 0; i < size_; ++i) {
    const double* const mine = row(i);
    right[i] = (right[i] - dot(mine, right.data(), i)) / mine[i];
  }
}

std::vector<double> Cholesky::solve(std::vector<double> right) const {
  solve_lower(right);
  for (std::size_t i = size_; i-- > 0;) {
    const double* const mine = row(i);
    right[i] /= mine[i];
    for (std::size_t k = 0; k < i; ++k) {
      right[k] -= mine[k] * right[i];
    }
  }
  return right;
}

double Cholesky::log_density(std::vector<double> values) const {
  solve_lower(values);
  double density = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    density -= 0.5 * values[i] * values[i] + natural_logarithm(row(i)[i]);
  }
  return density;
}

}  // namespace contextual::policy::search
