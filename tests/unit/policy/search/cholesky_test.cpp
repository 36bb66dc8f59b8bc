#include "contextual/policy/search/cholesky.hpp"

#include "contextual/policy/search/random_numbers.hpp"
#include "support/catch.hpp"

namespace contextual::policy::search::cholesky_test {

namespace {

using Matrix = std::vector<std::vector<double>>;

Cholesky factor_of(const Matrix& matrix) {
  Cholesky factor;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    factor.append(std::vector<double>(matrix[i].begin(), matrix[i].begin() + static_cast<long>(i) + 1));
  }
  return factor;
}

/// A random matrix times its transpose, with a little more on the diagonal.
Matrix positive_definite(std::size_t size) {
  Matrix matrix(size, std::vector<double>(size, 0));
  for (std::size_t i = 0; i < size; ++i) {
    matrix[i][i] = 0.1;
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < size; ++k) {
        matrix[i][j] += standard_normal(i * size + k) * standard_normal(j * size + k);
      }
    }
  }
  return matrix;
}

std::vector<double> product(const Matrix& matrix, const std::vector<double>& x) {
  std::vector<double> result(x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      result[i] += matrix[i][j] * x[j];
    }
  }
  return result;
}

}  // namespace

TEST_CASE("Cholesky::solve: the matrix times the solution is the right side") {
  for (const std::size_t size : {1U, 2U, 3U, 10U, 30U}) {
    const Matrix matrix = positive_definite(size);
    std::vector<double> right;
    for (std::size_t i = 0; i < size; ++i) {
      right.push_back(standard_normal(1000 + i));
    }
    const Cholesky factor = factor_of(matrix);
    CHECK(factor.size() == size);
    const std::vector<double> back = product(matrix, factor.solve(right));
    for (std::size_t i = 0; i < size; ++i) {
      CHECK(back[i] == Approx(right[i]).margin(1e-9));
    }
  }
}

TEST_CASE("Cholesky without rows solves nothing") {
  const Cholesky factor;
  CHECK(factor.size() == 0);
  CHECK(factor.solve({}).empty());
  CHECK(factor.log_density({}) == 0);
}

TEST_CASE("Cholesky::log_density of one number is that of its variance") {
  for (const double variance : {0.01, 1.0, 25.0}) {
    const Cholesky factor = factor_of({{variance}});
    for (const double x : {0.0, 0.3, -2.0}) {
      CHECK(factor.log_density({x}) == Approx(-0.5 * x * x / variance - 0.5 * std::log(variance)));
    }
  }
}

TEST_CASE("Cholesky::log_density of two numbers is that of the inverse and the determinant") {
  const double a = 2.0;
  const double b = 0.7;
  const double c = 0.5;
  const double determinant = a * c - b * b;
  const Cholesky factor = factor_of({{a, b}, {b, c}});
  for (const auto& [x, y] : {std::pair{1.0, 0.0}, std::pair{-0.4, 1.5}, std::pair{2.0, 2.0}}) {
    const double square = (c * x * x - 2 * b * x * y + a * y * y) / determinant;
    CHECK(factor.log_density({x, y}) == Approx(-0.5 * square - 0.5 * std::log(determinant)));
  }
}

TEST_CASE("Cholesky: a singular matrix leaves finite numbers") {
  const Cholesky factor = factor_of({{1, 1}, {1, 1}});
  const std::vector<double> solution = factor.solve({1, 1});
  CHECK(solution[0] + solution[1] == Approx(1));
  CHECK(std::isfinite(factor.log_density({1, 1})));
}

TEST_CASE("Cholesky::keep leaves the factor of the first rows") {
  const Matrix matrix = positive_definite(8);
  Cholesky factor = factor_of(matrix);
  factor.keep(3);
  CHECK(factor.size() == 3);
  CHECK(factor.solve({1, 2, 3}) == factor_of({{matrix[0][0], matrix[0][1], matrix[0][2]},
                                              {matrix[1][0], matrix[1][1], matrix[1][2]},
                                              {matrix[2][0], matrix[2][1], matrix[2][2]}})
                                       .solve({1, 2, 3}));
  factor.keep(5);
  CHECK(factor.size() == 3);
}

}  // namespace contextual::policy::search::cholesky_test
