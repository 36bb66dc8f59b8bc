// The GEMM with bias, activation and pitches.

#include "gpu/epilogue_reference.hpp"
#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/gemm_implementations.hpp>
#include <contextual/kernels/cuda/mma_gemm.hpp>

namespace contextual::test::gpu_test::gemm_epilogue_test {

namespace {

using namespace kernels::cuda;

std::string complaint(const GemmArgs& args) {
  return error_text<InvalidArgument>([&] { gemm().launch_config(0, nullptr, args); });
}

/// One shape that no tile divides.
class Problem {
 public:
  explicit Problem(bool bf16)
      : half_{bf16},
        a_(half_, m, k, 1, HalfMatrix::gap),
        b_(half_, n, k, 2),
        bias_(half_, 1, n, 3),
        c_(half_, m, n),
        sums_(reference_sums(HalfMatrix(half_, m, k, 1), b_, m, n, k, bf16)) {}

  GemmArgs args(bool bias, Activation activation, bool pitched) const {
    return {.a = a_.row(0),
            .b = b_.row(0),
            .c = c_.get(),
            .m = m,
            .n = n,
            .k = k,
            .type = half_.bf16 ? GemmType::bf16 : GemmType::fp16,
            .bias = bias ? bias_.row(0) : nullptr,
            .activation = activation,
            .a_pitch = a_.pitch(),
            .c_pitch = pitched ? c_.pitch(true) : 0};
  }
  std::size_t wrong(bool bias, Activation activation, bool pitched) {
    return c_.wrong(m, pitched, [&](int row, int column) {
      const auto sum = static_cast<double>(sums_[element(row, column, n)]);
      const double value = activated(activation, sum + (bias ? bias_.value(0, column) : 0));
      return ExpectedValue{value, half_.rounding() * std::abs(value) + 1e-4};
    });
  }

 private:
  static constexpr int m = 193;
  static constexpr int n = 520;
  static constexpr int k = 72;

  Half half_;
  HalfMatrix a_;
  HalfMatrix b_;
  HalfMatrix bias_;
  ResultMemory c_;
  std::vector<float> sums_;
};

}  // namespace

TEST_CASE("gemm epilogue: pitches and a bias that do not fit are invalid arguments that are named",
          "[unit]") {
  alignas(16) static char memory[32];
  const GemmArgs good{.a = memory, .b = memory, .c = memory, .m = 16, .n = 24, .k = 8};
  GemmArgs bad = good;
  bad.a_pitch = 12;
  CHECK_THAT(complaint(bad), ContainsSubstring("a_pitch = 12"));
  bad = good;
  bad.c_pitch = 16;
  CHECK_THAT(complaint(bad), ContainsSubstring("c_pitch = 16") && ContainsSubstring("24"));
  bad = good;
  bad.bias = memory + 2;
  CHECK_THAT(complaint(bad), ContainsSubstring("bias"));
}

TEST_CASE("gemm epilogue: bias, activation and pitch do what they say, alone and together") {
  ONLY_IF(has_gpu());
  const Stream stream;
  for (const bool bf16 : {true, false}) {
    Problem problem(bf16);
    for (const Activation activation : activations) {
      for (const bool bias : {false, true}) {
        for (const bool pitched : {false, true}) {
          CAPTURE(bf16, static_cast<int>(activation), bias, pitched);
          const GemmArgs args = problem.args(bias, activation, pitched);
          REQUIRE(gemm().launch_config(0, stream, args) == CUDA_SUCCESS);
          CHECK(problem.wrong(bias, activation, pitched) == 0);
          REQUIRE(mma_gemm().launch_config(0, stream, args) == CUDA_SUCCESS);
          CHECK(problem.wrong(bias, activation, pitched) == 0);
        }
      }
    }
  }
}

TEST_CASE("gemm epilogue: every config applies it") {
  ONLY_IF(has_gpu());
  const Stream stream;
  Problem problem(true);
  for (std::size_t id = 0; id < gemm().space().size(); ++id) {
    INFO(gemm().space().describe(id));
    for (const Activation activation : {Activation::gelu, Activation::silu}) {
      REQUIRE(gemm().launch_config(id, stream, problem.args(true, activation, true)) == CUDA_SUCCESS);
      CHECK(problem.wrong(true, activation, true) == 0);
    }
  }
}

TEST_CASE("gemm epilogue: cuBLASLt takes pitches, but neither bias nor activation") {
  ONLY_IF(has_gpu());
  const Stream stream;
  Problem problem(true);
  const int count = cublaslt_algorithm_count(problem.args(false, Activation::none, true));
  REQUIRE(count > 0);
  for (int algorithm = 0; algorithm < count; ++algorithm) {
    CAPTURE(algorithm);
    REQUIRE(cublaslt_launch(algorithm, stream, problem.args(false, Activation::none, true)) ==
            CUBLAS_STATUS_SUCCESS);
    CHECK(problem.wrong(false, Activation::none, true) == 0);
  }
  for (const GemmArgs& args :
       {problem.args(true, Activation::none, false), problem.args(false, Activation::silu, false)}) {
    CHECK_THROWS_AS(cublaslt_launch(0, stream, args), ConfigRejected);
    CHECK_THROWS_AS(gemm_implementations(stream, args), InvalidArgument);
  }
}

}  // namespace contextual::test::gpu_test::gemm_epilogue_test
