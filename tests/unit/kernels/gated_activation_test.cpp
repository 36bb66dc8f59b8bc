#include "support/catch.hpp"
#include "test_matrix.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/host/gated_activation.hpp>
#include <contextual/kernels/host/kernels.hpp>

namespace contextual::kernels::gated_activation_test {

namespace {

using test::Expected;
using test::Matrix;

constexpr double tolerance = 1e-6;

struct Input {
  Input(long rows, long cols) : gate(rows, cols, 3), up(rows, cols, 5) {
    gate.fill_random(1, -8.0F, 8.0F);
    up.fill_random(2);
  }
  Matrix gate;
  Matrix up;
};

double error_of(const Input& input, const Matrix& out) {
  return test::worst_error(out, [&](long i, long j) {
    const double gate = input.gate.at(i, j);
    const double value = gate / (1.0 + std::exp(-gate)) * static_cast<double>(input.up.at(i, j));
    return Expected{value, std::abs(value) + 1e-30};
  });
}

double compute_error(const GatedActivationConfig& config, const Input& input, Isa isa) {
  const long rows = input.gate.rows;
  const long cols = input.gate.cols;
  Matrix out(rows, cols, 7);
  out.fill_nan();
  gated_activation_compute(
      config,
      {input.gate.data(), input.up.data(), out.data(), rows, cols, input.gate.ld, input.up.ld, out.ld}, isa);
  return out.padding_untouched() ? error_of(input, out) : std::numeric_limits<double>::infinity();
}

}  // namespace

TEST_CASE("gated_activation over odd sizes matches a double-precision reference on every instruction set") {
  for (const Isa isa : supported_isas()) {
    for (const bool fast_exp : {false, true}) {
      for (const long rows : {1L, 3L, 17L}) {
        for (const long cols : {1L, 3L, 17L, 65L, 127L, 129L, 255L}) {
          INFO(to_string(isa) << " fast_exp " << fast_exp << " rows " << rows << " cols " << cols);
          const GatedActivationConfig config{.block = 100, .fast_exp = fast_exp, .threads = 1};
          REQUIRE(compute_error(config, Input(rows, cols), isa) < tolerance);
        }
      }
    }
  }
}

TEST_CASE("gated_activation with every config of its space matches the reference") {
  const Input input(37, 1025);
  for (const GatedActivationConfig& config : gated_activation_space().configs()) {
    INFO("block " << config.block << " fast_exp " << config.fast_exp << " threads " << config.threads);
    REQUIRE(compute_error(config, input, native_isa()) < tolerance);
  }
}

TEST_CASE("gated_activation with fast_exp keeps its error bound over the whole range") {
  Input input(1, 20001);
  input.up.fill(1.0F);
  for (long j = 0; j < input.gate.cols; ++j) {
    input.gate.at(0, j) = -87.0F + 0.0087F * static_cast<float>(j);
  }
  for (const Isa isa : supported_isas()) {
    INFO(to_string(isa));
    REQUIRE(compute_error({.fast_exp = true}, input, isa) < tolerance);
  }
}

TEST_CASE("gated_activation of large gates is the gate, of very negative ones zero, of NaN NaN") {
  constexpr std::array<float, 5> gates{100.0F, 3e38F, -200.0F, -1e6F,
                                       std::numeric_limits<float>::quiet_NaN()};
  for (const bool fast_exp : {false, true}) {
    Matrix gate(1, 5, 0);
    Matrix up(1, 5, 0);
    Matrix out(1, 5, 0);
    for (long j = 0; j < 5; ++j) {
      gate.at(0, j) = gates[static_cast<std::size_t>(j)];
      up.at(0, j) = 1.0F;
    }
    gated_activation_compute({.fast_exp = fast_exp}, {gate.data(), up.data(), out.data(), 1, 5, 5, 5, 5});
    INFO("fast_exp " << fast_exp);
    REQUIRE(out.at(0, 0) == 100.0F);
    REQUIRE(out.at(0, 1) == 3e38F);
    REQUIRE(std::abs(out.at(0, 2)) < 1e-30F);
    REQUIRE(std::abs(out.at(0, 3)) < 1e-30F);
    REQUIRE(std::isnan(out.at(0, 4)));
  }
}

TEST_CASE("gated_activation may write over the gate or over up") {
  const Input input(11, 70);
  for (const bool fast_exp : {false, true}) {
    Input scratch = input;
    gated_activation_compute({.fast_exp = fast_exp},
                             {scratch.gate.data(), input.up.data(), scratch.gate.data(), 11, 70,
                              scratch.gate.ld, input.up.ld, scratch.gate.ld});
    REQUIRE(error_of(input, scratch.gate) < tolerance);
    gated_activation_compute({.fast_exp = fast_exp}, {input.gate.data(), scratch.up.data(), scratch.up.data(),
                                                      11, 70, input.gate.ld, scratch.up.ld, scratch.up.ld});
    REQUIRE(error_of(input, scratch.up) < tolerance);
  }
}

TEST_CASE("gated_activation with a config that it does not have is rejected before the output is touched") {
  const Input input(2, 20);
  Matrix out(2, 20, 0);
  const Matrix before = out;
  const GatedActivationArgs args{input.gate.data(), input.up.data(), out.data(), 2, 20,
                                 input.gate.ld,     input.up.ld,     out.ld};
  REQUIRE_THROWS_AS(gated_activation_compute({.block = 0}, args), ConfigRejected);
  REQUIRE_THROWS_AS(gated_activation_compute({.threads = 0}, args), ConfigRejected);
  REQUIRE(out.values == before.values);
}

}  // namespace contextual::kernels::gated_activation_test
