#include "support/catch.hpp"
#include "test_matrix.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/host/gemm.hpp>
#include <contextual/kernels/host/kernels.hpp>

namespace contextual::kernels::gemm_test {

namespace {

using test::Expected;
using test::Matrix;

// Rounding errors of a float sum grow at most like its length; they are far smaller in blocked sums.
constexpr double tolerance = 2e-6;

struct Shape {
  long m;
  long n;
  long k;
};

/// Computes into NaN (or into known values when accumulating); the worst error, infinite if padding was
/// touched.
double error_of(const GemmConfig& config, const Shape& shape, bool accumulate, Isa isa) {
  Matrix a(shape.m, shape.k, 3);
  Matrix b(shape.k, shape.n, 5);
  Matrix c(shape.m, shape.n, 7);
  a.fill_random(1);
  b.fill_random(2);
  c.fill_nan();
  if (accumulate) {
    c.fill_random(3);
  }
  const Matrix before = c;
  gemm_compute(config,
               {a.data(), b.data(), c.data(), shape.m, shape.n, shape.k, a.ld, b.ld, c.ld, accumulate}, isa);
  if (!c.padding_untouched() || !a.padding_untouched() || !b.padding_untouched()) {
    return std::numeric_limits<double>::infinity();
  }
  return test::worst_error(c, [&](long i, long j) {
    return test::gemm_reference(a, b, accumulate ? static_cast<double>(before.at(i, j)) : 0.0, i, j);
  });
}

}  // namespace

TEST_CASE("gemm over odd sizes matches a double-precision reference on every instruction set") {
  constexpr std::array<long, 6> sizes{1, 3, 17, 65, 127, 129};
  const GemmConfig config{.mc = 48, .kc = 64, .nc = 64, .mr = 6, .nr = 16, .threads = 1};
  for (const Isa isa : supported_isas()) {
    for (const long m : sizes) {
      for (const long n : sizes) {
        for (const long k : sizes) {
          const bool accumulate = (m + n + k) % 2 == 0;
          INFO(to_string(isa) << " m " << m << " n " << n << " k " << k << " accumulate " << accumulate);
          REQUIRE(error_of(config, {m, n, k}, accumulate, isa) < tolerance);
        }
      }
    }
  }
}

TEST_CASE("gemm with every config of its space matches the reference") {
  const std::array<Shape, 4> shapes{{{255, 257, 600}, {5, 300, 520}, {301, 2, 130}, {96, 64, 512}}};
  for (const GemmConfig& config : gemm_space().configs()) {
    for (const Shape& shape : shapes) {
      for (const bool accumulate : {false, true}) {
        INFO("mr " << config.mr << " nr " << config.nr << " kc " << config.kc << " threads " << config.threads
                   << " m " << shape.m << " n " << shape.n << " k " << shape.k);
        REQUIRE(error_of(config, shape, accumulate, native_isa()) < tolerance);
      }
    }
  }
}

TEST_CASE("gemm with every register tile matches the reference on every instruction set") {
  for (const Isa isa : supported_isas()) {
    for (const int mr : {4, 6, 8, 12}) {
      for (const int nr : {16, 32}) {
        INFO(to_string(isa) << " tile " << mr << " x " << nr);
        const GemmConfig config{.mc = 40, .kc = 33, .nc = 70, .mr = mr, .nr = nr, .threads = 2};
        REQUIRE(error_of(config, {77, 101, 70}, false, isa) < tolerance);
        REQUIRE(error_of(config, {77, 101, 70}, true, isa) < tolerance);
      }
    }
  }
}

TEST_CASE("gemm with more threads than tiles computes every element once") {
  GemmConfig config;
  config.threads = 5;
  for (const Shape& shape : {Shape{1, 1, 9}, Shape{40, 3, 9}, Shape{3, 40, 9}, Shape{200, 90, 40}}) {
    INFO("m " << shape.m << " n " << shape.n);
    REQUIRE(error_of(config, shape, false, native_isa()) < tolerance);
    REQUIRE(error_of(config, shape, true, native_isa()) < tolerance);
  }
}

TEST_CASE("gemm gives the same bits with any number of threads") {
  Matrix a(131, 300, 0);
  Matrix b(300, 77, 0);
  a.fill_random(1);
  b.fill_random(2);
  Matrix one(131, 77, 0);
  Matrix three(131, 77, 0);
  GemmConfig config;
  gemm_compute(config, {a.data(), b.data(), one.data(), 131, 77, 300, a.ld, b.ld, one.ld});
  config.threads = 3;
  gemm_compute(config, {a.data(), b.data(), three.data(), 131, 77, 300, a.ld, b.ld, three.ld});
  REQUIRE(one.values == three.values);
}

TEST_CASE("gemm with k = 0 zeroes C, or leaves it when accumulating; empty C is nothing to do") {
  REQUIRE(error_of({}, {5, 7, 0}, false, native_isa()) == 0);
  REQUIRE(error_of({}, {5, 7, 0}, true, native_isa()) == 0);
  REQUIRE(error_of({}, {0, 7, 3}, false, native_isa()) == 0);
  REQUIRE(error_of({}, {7, 0, 3}, false, native_isa()) == 0);
}

TEST_CASE("gemm with a config that it does not have is rejected before C is touched") {
  Matrix a(4, 4, 0);
  Matrix b(4, 4, 0);
  Matrix c(4, 4, 0);
  const Matrix before = c;
  const GemmArgs args{a.data(), b.data(), c.data(), 4, 4, 4, 4, 4, 4};
  GemmConfig unknown_rows;
  unknown_rows.mr = 7;
  GemmConfig unknown_columns;
  unknown_columns.nr = 24;
  GemmConfig no_depth;
  no_depth.kc = 0;
  GemmConfig no_threads;
  no_threads.threads = 0;
  for (const GemmConfig& config : {unknown_rows, unknown_columns, no_depth, no_threads}) {
    REQUIRE_THROWS_AS(gemm_compute(config, args), ConfigRejected);
    REQUIRE(c.values == before.values);
  }
}

}  // namespace contextual::kernels::gemm_test
