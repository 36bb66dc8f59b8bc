/// \file
/// A kept choice of cuBLASLt's algorithm, found again by processes that see its list in another order. This
/// program stands between the library and cuBLASLt, and changes the list.

#include "gpu/gemm_problem.hpp"
#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/report_of.hpp"
#include "support/stderr_capture.hpp"

#include <contextual/kernels/cuda/cublaslt.hpp>

#include <cublasLt.h>
#include <dlfcn.h>

#include <cstring>

namespace {

/// What this process sees of the list: "as it is", "rotated" by one, or "shorter", without the algorithm that
/// the file TEST_RESULT has as bytes.
std::string list_kind() {
  const char* kind = std::getenv("TEST_LIST");
  return kind == nullptr ? "as it is" : kind;
}

std::string result_file() {
  return std::getenv("TEST_RESULT");
}

cublasLtMatmulAlgo_t launched{};

cublasLtMatmulAlgo_t kept_algorithm() {
  cublasLtMatmulAlgo_t kept{};
  std::ifstream(result_file(), std::ios::binary).read(reinterpret_cast<char*>(&kept), sizeof kept);
  return kept;
}

#define SEEN_BY_LIBRARIES __attribute__((visibility("default")))

bool equal(const cublasLtMatmulAlgo_t& one, const cublasLtMatmulAlgo_t& other) {
  return std::memcmp(&one, &other, sizeof one) == 0;
}

}  // namespace

extern "C" SEEN_BY_LIBRARIES cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                               cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                               cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference, int requested,
                               cublasLtMatmulHeuristicResult_t results[], int* count) {
  static const auto real =
      reinterpret_cast<decltype(&cublasLtMatmulAlgoGetHeuristic)>(::dlsym(RTLD_NEXT, __func__));
  const cublasStatus_t status = real(handle, operation, a, b, c, d, preference, requested, results, count);
  if (list_kind() == "rotated" && *count > 0) {
    std::rotate(results, results + 1, results + *count);
  } else if (list_kind() == "shorter") {
    const cublasLtMatmulAlgo_t kept = kept_algorithm();
    const auto* const end = std::remove_if(results, results + *count,
                                           [&](const auto& result) { return equal(result.algo, kept); });
    *count = static_cast<int>(end - results);
  }
  return status;
}

extern "C" SEEN_BY_LIBRARIES cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha, const void* a,
    cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
    const void* c, cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
    const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t workspace_bytes, cudaStream_t stream) {
  static const auto real = reinterpret_cast<decltype(&cublasLtMatmul)>(::dlsym(RTLD_NEXT, __func__));
  launched = *algorithm;
  return real(handle, operation, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, algorithm,
              workspace, workspace_bytes, stream);
}

namespace contextual::test::gpu_test::cublaslt_kept_choice_test {

using namespace kernels::cuda;

namespace {

/// The times are scripted, so that an algorithm in the middle of the list wins.
constexpr std::size_t fastest = 3;

RegionReport run_region() {
  const Options options{.n_warmup = 1,
                        .n_repeat = 1,
                        .search = SearchLevel::off,
                        .log_directory = "",
                        .timer = testing::scripted_timer([](const LaunchInfo& launch) {
                          return launch.config_id == fastest ? 1000 : 3000;
                        })};
  GemmProblem problem(256, 512, 1024, true);
  const Stream stream;
  ContextualAutotuner tuner(options);
  tuner.run("kept_gemm", [&] {
    problem.poison();
    cublaslt_gemm(stream, problem.args());
    stream.wait();
  });
  CHECK(problem.wrong(7) == 0);
  const RegionReport report = report_of(tuner, "kept_gemm");
  REQUIRE(report.problems.size() == 1);
  return report;
}

}  // namespace

TEST_CASE("child process: tunes the product by cuBLASLt", "[.]") {
  ONLY_IF(is_child());
  const RegionReport report = run_region();
  CHECK_FALSE(report.problems[0].reused);
  CHECK(report.problems[0].choice == fastest);
  REQUIRE_FALSE(equal(launched, cublasLtMatmulAlgo_t{}));  // else this program does not stand between
  std::ofstream(result_file(), std::ios::binary)
      .write(reinterpret_cast<const char*>(&launched), sizeof launched);
}

TEST_CASE("child process: uses the kept algorithm wherever it is in the list", "[.]") {
  ONLY_IF(is_child());
  const RegionReport report = run_region();
  CHECK(report.problems[0].reused);
  CHECK(report.problems[0].choice == (list_kind() == "rotated" ? fastest - 1 : fastest));
  CHECK(equal(launched, kept_algorithm()));
}

TEST_CASE("child process: does not find the kept algorithm and tunes", "[.]") {
  ONLY_IF(is_child());
  const test::StderrCapture said;
  const RegionReport report = run_region();
  CHECK_FALSE(report.problems[0].reused);
  CHECK_FALSE(equal(launched, kept_algorithm()));
  CHECK_THAT(said.text(), ContainsSubstring("has no config any more that is algorithm "));
}

TEST_CASE("cuda_cublaslt_gemm: a kept algorithm is found again by what it is", "[gpu][cublaslt]") {
  ONLY_IF(has_gpu());
  const test::TemporaryDirectory directory;
  const auto start = [&](const std::string& child, const std::string& list) {
    return run_child(child, {{"CONTEXTUAL_CACHE_DIR", (directory.path() / "cache").string()},
                             {"TEST_RESULT", (directory.path() / "algorithm").string()},
                             {"TEST_LIST", list}});
  };
  REQUIRE(start("tunes the product by cuBLASLt", "as it is") == 0);
  CHECK(start("uses the kept algorithm wherever it is in the list", "as it is") == 0);
  CHECK(start("uses the kept algorithm wherever it is in the list", "rotated") == 0);
  CHECK(start("does not find the kept algorithm and tunes", "shorter") == 0);
}

}  // namespace contextual::test::gpu_test::cublaslt_kept_choice_test
