#include "kernels/cuda/cublaslt_algorithm.hpp"

#include "kernels/cuda/cublaslt_plan.hpp"
#include "support/catch.hpp"

#include <contextual/error.hpp>

namespace contextual::kernels::cuda::cublaslt_algorithm_test {

namespace {

const CublasLtAlgorithm some{.id = 66, .tile = 20, .stages = 36, .split_k = 1, .cluster_shape = 3};

}  // namespace

TEST_CASE("cuBLASLt algorithm: each of its properties tells it from another one") {
  CHECK(some.text() ==
        "algorithm 66, tile 20, stages 36, split 1, reduction 0, swizzling 0, custom 0, inner shape 0, "
        "cluster 3");
  std::vector<CublasLtAlgorithm> all(10, some);
  all[1].id = 67;
  all[2].tile = 21;
  all[3].stages = 37;
  all[4].split_k = 2;
  all[5].reduction = 2;
  all[6].swizzling = 1;
  all[7].custom_option = 4;
  all[8].inner_shape = 1;
  all[9].cluster_shape = 4;
  std::set<std::string> texts;
  for (const CublasLtAlgorithm& algorithm : all) {
    texts.insert(algorithm.text());
  }
  CHECK(texts.size() == all.size());
  CHECK(different_texts(all).back() == all.back().text());
}

TEST_CASE("cuBLASLt algorithm: in a list of another order, or a longer one, each has the same text") {
  std::vector<CublasLtAlgorithm> list(3, some);
  list[1].tile = 21;
  list[2].split_k = 4;
  const std::vector<std::string> texts = different_texts(list);
  std::vector<CublasLtAlgorithm> other{list[2], {.id = 70}, list[0], list[1]};
  const std::vector<std::string> others = different_texts(other);
  CHECK(others == std::vector<std::string>{texts[2], CublasLtAlgorithm{.id = 70}.text(), texts[0], texts[1]});
}

TEST_CASE("cuBLASLt algorithm: equal ones have different texts") {
  CHECK(different_texts({some, {}, some}) == std::vector<std::string>{some.text(), CublasLtAlgorithm().text(),
                                                                      some.text() + ", number 2 of these"});
}

TEST_CASE("cuBLASLt problem: is what its key says") {
  for (const GemmType type : {GemmType::bf16, GemmType::fp16}) {
    const CublasLtProblem problem{.m = 64, .n = 128, .k = 256, .type = type, .a_pitch = 300, .c_pitch = 128};
    CHECK(CublasLtProblem::of(problem.key()) == problem);
  }
  CHECK_THROWS_AS(CublasLtProblem::of(make_key(1, 2)), InvalidArgument);
  CHECK_THROWS_AS(CublasLtProblem::of(make_key(1, 2, 3, "fp8", 4, 5, 6)), InvalidArgument);
}

}  // namespace contextual::kernels::cuda::cublaslt_algorithm_test
