// The gated product in one kernel, and what it is chosen against.

#include "gpu/epilogue_reference.hpp"
#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/error.hpp>
#include <contextual/kernels/cuda/gated_mlp.hpp>

namespace contextual::test::gpu_test::gated_mlp_test {

namespace {

using namespace kernels::cuda;

/// One shape that no tile divides.
class Problem {
 public:
  Problem(bool bf16, int rows)
      : m(rows),
        half_{bf16},
        a_(half_, m, k, 1, HalfMatrix::gap),
        weights_(half_, 2 * n, k, 2),
        c_(half_, m, n),
        products_(element(m, 0, 2 * n)),
        sums_(reference_sums(HalfMatrix(half_, m, k, 1), weights_, m, 2 * n, k, bf16)) {}

  GatedMlpArgs args(Activation activation, bool pitched) const {
    return {.a = a_.row(0),
            .weights = weights_.row(0),
            .c = c_.get(),
            .m = m,
            .n = n,
            .k = k,
            .type = half_.bf16 ? GemmType::bf16 : GemmType::fp16,
            .activation = activation,
            .a_pitch = a_.pitch(),
            .c_pitch = pitched ? c_.pitch(true) : 0,
            .products = products_.get()};
  }
  /// `rounds`: whether both products are rounded before the gate is applied.
  std::size_t wrong(Activation activation, bool pitched, bool rounds = false) {
    return c_.wrong(m, pitched, [&](int row, int column) {
      const auto gate = static_cast<double>(sums_[element(row, column, 2 * n)]);
      const auto up = static_cast<double>(sums_[element(row, n + column, 2 * n)]);
      const double value = activated(activation, gate) * up;
      // No activation is steeper than 1.2.
      const double of_products = rounds ? std::abs(value) + 1.2 * std::abs(gate * up) : 0;
      return ExpectedValue{value, half_.rounding() * (std::abs(value) + of_products) + 1e-4};
    });
  }

  const int m;

 private:
  static constexpr int n = 520;
  static constexpr int k = 200;

  Half half_;
  HalfMatrix a_;
  HalfMatrix weights_;
  ResultMemory c_;
  DeviceArray<std::uint16_t> products_;
  std::vector<float> sums_;
};

}  // namespace

TEST_CASE("gated MLP: what does not fit is an invalid argument that is named", "[unit]") {
  alignas(16) static char memory[32];
  const auto message = [](GatedMlpArgs args) {
    return error_text<InvalidArgument>([&] { gated_mlp().launch_config(0, nullptr, args); });
  };
  const GatedMlpArgs good{.a = memory, .weights = memory, .c = memory, .m = 1, .n = 8, .k = 8};
  GatedMlpArgs bad = good;
  bad.n = 12;
  CHECK_THAT(message(bad), ContainsSubstring("cuda_gated_mlp") && ContainsSubstring("n = 12"));
  bad = good;
  bad.weights = memory + 2;
  CHECK_THAT(message(bad), ContainsSubstring("multiples of 16 bytes"));
  bad = good;
  bad.products = memory + 2;
  CHECK_THAT(message(bad), ContainsSubstring("products"));
}

TEST_CASE("gated MLP: every tile, activation and pitch, in both types") {
  ONLY_IF(has_gpu());
  const Stream stream;
  for (const bool bf16 : {true, false}) {
    for (const int m : {1, 193}) {
      Problem problem(bf16, m);
      for (const Activation activation : activations) {
        for (const bool pitched : {false, true}) {
          CAPTURE(bf16, m, static_cast<int>(activation), pitched);
          REQUIRE(gated_mlp().launch_config(0, stream, problem.args(activation, pitched)) == CUDA_SUCCESS);
          CHECK(problem.wrong(activation, pitched) == 0);
        }
      }
      for (std::size_t id = 0; bf16 && id < gated_mlp().space().size(); ++id) {
        if (!is_plain(gated_mlp().space()[id])) {
          continue;
        }
        INFO(gated_mlp().space().describe(id));
        for (const Activation activation : {Activation::gelu, Activation::silu}) {
          REQUIRE(gated_mlp().launch_config(id, stream, problem.args(activation, true)) == CUDA_SUCCESS);
          CHECK(problem.wrong(activation, true) == 0);
        }
      }
    }
  }
}

TEST_CASE("gated MLP: all implementations are right when tuned, and outside of tuning", "[gpu][cublaslt]") {
  ONLY_IF(has_gpu());
  const Stream stream;
  Problem problem(true, 193);
  Options options = walk_options(1, cuda_timer);
  options.search = SearchLevel::quick;
  std::size_t wrong = 0;
  options.after_iteration = [&](const IterationInfo&) {
    wrong += problem.wrong(Activation::silu, false, true);
  };
  ContextualAutotuner tuner(options);
  const auto region = [&] { gated_mlp_implementations(stream, problem.args(Activation::silu, false)); };
  tuner.run("gated", region);
  CHECK(wrong == 0);
  const Report report = tuner.report();
  for (const char* name : {"fused", "one_product", "two_products"}) {
    CAPTURE(name);
    CHECK_THAT(report.find("gated")->choices_text(), ContainsSubstring(name));
  }
  region();
  CHECK(problem.wrong(Activation::silu, false, true) == 0);
}

}  // namespace contextual::test::gpu_test::gated_mlp_test
