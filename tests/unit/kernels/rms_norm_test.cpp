#include "support/catch.hpp"
#include "test_matrix.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/host/kernels.hpp>
#include <contextual/kernels/host/rms_norm.hpp>

namespace contextual::kernels::rms_norm_test {

namespace {

using test::Expected;
using test::Matrix;

constexpr double tolerance = 4e-6;

struct Input {
  Input(long rows, long cols) : x(rows, cols, 3), weight(1, cols, 5) {
    x.fill_random(1, -3.0F, 3.0F);
    weight.fill_random(2, 0.5F, 1.5F);
  }
  Matrix x;
  Matrix weight;
};

double error_of(const Input& input, const Matrix& out, float eps) {
  std::vector<double> scale;
  for (long i = 0; i < input.x.rows; ++i) {
    double squares = 0;
    for (long j = 0; j < input.x.cols; ++j) {
      squares += std::pow(static_cast<double>(input.x.at(i, j)), 2);
    }
    scale.push_back(1.0 / std::sqrt(squares / static_cast<double>(input.x.cols) + static_cast<double>(eps)));
  }
  return test::worst_error(out, [&](long i, long j) {
    const double value = static_cast<double>(input.x.at(i, j)) * scale[static_cast<std::size_t>(i)] *
                         static_cast<double>(input.weight.at(0, j));
    return Expected{value, std::abs(value) + 1e-30};
  });
}

double compute_error(const RmsNormConfig& config, long rows, long cols, Isa isa, float eps = 1e-6F) {
  Input input(rows, cols);
  Matrix out(rows, cols, 7);
  out.fill_nan();
  rms_norm_compute(
      config, {input.x.data(), input.weight.data(), out.data(), rows, cols, input.x.ld, out.ld, eps}, isa);
  return out.padding_untouched() ? error_of(input, out, eps) : std::numeric_limits<double>::infinity();
}

}  // namespace

TEST_CASE("rms_norm over odd sizes matches a double-precision reference on every instruction set") {
  for (const Isa isa : supported_isas()) {
    for (const long rows : {1L, 3L, 17L}) {
      for (const long cols : {1L, 3L, 17L, 65L, 127L, 129L, 255L, 1025L}) {
        INFO(to_string(isa) << " rows " << rows << " cols " << cols);
        REQUIRE(compute_error({}, rows, cols, isa) < tolerance);
      }
    }
  }
}

TEST_CASE("rms_norm with every config of its space matches the reference") {
  for (const RmsNormConfig& config : rms_norm_space().configs()) {
    INFO("rows_per_block " << config.rows_per_block << " unroll " << config.unroll << " threads "
                           << config.threads);
    REQUIRE(compute_error(config, 37, 255, native_isa()) < tolerance);
    REQUIRE(compute_error(config, 1, 768, native_isa()) < tolerance);
  }
  for (const Isa isa : supported_isas()) {
    REQUIRE(compute_error({.rows_per_block = 3, .unroll = 8, .threads = 3}, 20, 300, isa) < tolerance);
  }
}

TEST_CASE("rms_norm adds eps under the root and works in place") {
  REQUIRE(compute_error({}, 5, 33, native_isa(), 0.5F) < tolerance);

  Input input(9, 130);
  Matrix in_place = input.x;
  rms_norm_compute({},
                   {in_place.data(), input.weight.data(), in_place.data(), 9, 130, in_place.ld, in_place.ld});
  REQUIRE(error_of(input, in_place, 1e-6F) < tolerance);
  REQUIRE(in_place.padding_untouched());
}

TEST_CASE("rms_norm of a zero row is zero") {
  Input input(2, 20);
  input.x.fill(0);
  Matrix out(2, 20, 0);
  out.fill_nan();
  rms_norm_compute({}, {input.x.data(), input.weight.data(), out.data(), 2, 20, input.x.ld, out.ld});
  REQUIRE(test::worst_error(out, [](long, long) { return Expected{0, 1}; }) == 0);
}

TEST_CASE("rms_norm with a config that it does not have is rejected before the output is touched") {
  Input input(2, 20);
  Matrix out(2, 20, 0);
  const Matrix before = out;
  const RmsNormArgs args{input.x.data(), input.weight.data(), out.data(), 2, 20, input.x.ld, out.ld};
  for (const RmsNormConfig& config :
       {RmsNormConfig{.rows_per_block = 0}, RmsNormConfig{.unroll = 3}, RmsNormConfig{.threads = 0}}) {
    REQUIRE_THROWS_AS(rms_norm_compute(config, args), ConfigRejected);
    REQUIRE(out.values == before.values);
  }
}

}  // namespace contextual::kernels::rms_norm_test
