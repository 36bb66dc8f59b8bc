#include "gpu/gemm_problem.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/spinning_kernel.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernels/cuda/cublaslt.hpp>
#include <contextual/kernels/cuda/gemm_implementations.hpp>

namespace contextual::test::gpu_test::cublaslt_test {

using namespace kernels::cuda;

namespace {

/// Every algorithm that cuBLASLt has for it. Returns how many.
int check_every_algorithm(GemmProblem& problem, std::size_t step = 1) {
  const Stream stream;
  const int count = cublaslt_algorithm_count(problem.args());
  for (int algorithm = 0; algorithm < count; ++algorithm) {
    INFO(problem.text() << ", algorithm " << algorithm << " of " << count);
    problem.poison();
    REQUIRE(cublaslt_launch(algorithm, stream, problem.args()) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(problem.wrong(step) == 0);
  }
  return count;
}

/// Tunes a region of this one launch and counts the runs of the region in which the result was wrong.
template <typename Launch>
std::vector<ProblemReport> tune_checked(GemmProblem& problem, const Launch& launch, std::size_t step) {
  const Stream stream;
  int runs = 0;
  int wrong_runs = 0;
  Options options = walk_options(1, cuda_timer);
  options.before_iteration = [&](const IterationInfo&) { problem.poison(); };
  options.after_iteration = [&](const IterationInfo&) {
    ++runs;
    wrong_runs += problem.wrong(step) == 0 ? 0 : 1;
  };
  ContextualAutotuner tuner(options);
  tuner.run("gemm", [&] { launch(stream, problem.args()); });
  INFO(problem.text());
  CHECK(runs > 2);
  CHECK(wrong_runs == 0);
  const Report report = tuner.report();
  return report.find("gemm")->problems;
}

}  // namespace

TEST_CASE("cuda_cublaslt_gemm: every algorithm is right for odd shapes in both types", "[gpu][cublaslt]") {
  ONLY_IF(has_gpu());
  for (const bool bf16 : {true, false}) {
    for (const auto& [m, n, k] : {std::array{1, 128, 64}, std::array{37, 72, 136}, std::array{129, 65, 33},
                                  std::array{128, 256, 512}}) {
      GemmProblem problem(m, n, k, bf16);
      const int count = check_every_algorithm(problem);
      CHECK(count > 0);
    }
  }
  GemmProblem unaligned(64, 64, 64, true, 1);
  const int count = check_every_algorithm(unaligned);
  CHECK(count > 0);
}

TEST_CASE("cuda_cublaslt_gemm: every algorithm is right at real shapes", "[gpu][cublaslt][large]") {
  ONLY_IF(has_gpu());
  GemmProblem qkv(4096, 6144, 4096, true);
  const int for_qkv = check_every_algorithm(qkv, 10'007);
  CHECK(for_qkv > 1);
  GemmProblem odd(4091, 5120, 1024, false);
  const int for_odd = check_every_algorithm(odd, 10'007);
  CHECK(for_odd > 1);
}

TEST_CASE("cuda_cublaslt_gemm: a rank that cuBLASLt does not have is rejected, and so are ready flags",
          "[gpu][cublaslt]") {
  ONLY_IF(has_gpu());
  const Stream stream;
  GemmProblem problem(64, 64, 64, true);
  GemmArgs args = problem.args();
  const int count = cublaslt_algorithm_count(args);
  CHECK(count >= 1);
  CHECK_THROWS_AS(cublaslt_launch(count, stream, args), ConfigRejected);
  const DeviceArray<unsigned> flags(1);
  args.ready_flags = flags.get();
  CHECK_THROWS_AS(cublaslt_launch(0, stream, args), ConfigRejected);
  args = problem.args();
  args.m = 0;
  CHECK(cublaslt_algorithm_count(args) == 0);
  CHECK_THROWS_AS(cublaslt_launch(0, stream, args), InvalidArgument);
}

TEST_CASE("cuda_cublaslt_gemm: launches on more streams than have a workspace do not disturb each other",
          "[gpu][cublaslt]") {
  ONLY_IF(has_gpu());
  constexpr int streams = 7;
  std::vector<std::unique_ptr<Stream>> all;
  std::vector<std::unique_ptr<GemmProblem>> problems;
  for (int i = 0; i < streams; ++i) {
    all.push_back(std::make_unique<Stream>());
    // Few tiles and long sums: cuBLASLt cuts the sums up and puts the parts into its workspace.
    problems.push_back(std::make_unique<GemmProblem>(64, 64 + 8 * i, 8192, true));
    cublaslt_plan(problems.back()->args());
  }
  for (int algorithm = 0; algorithm < 8; ++algorithm) {
    for (const auto& problem : problems) {
      problem->poison();
    }
    for (std::size_t i = 0; i < problems.size(); ++i) {
      if (algorithm < cublaslt_algorithm_count(problems[i]->args())) {
        REQUIRE(cublaslt_launch(algorithm, *all[i], problems[i]->args()) == CUBLAS_STATUS_SUCCESS);
      } else {
        cublaslt_gemm(*all[i], problems[i]->args());
      }
    }
    for (const auto& problem : problems) {
      INFO("algorithm " << algorithm << ", " << problem->text());
      CHECK(problem->wrong(17) == 0);
    }
  }
}

TEST_CASE(
    "cuda_cublaslt_gemm: what is prepared neither waits for the device nor for a kernel that spins on it",
    "[gpu][cublaslt][concurrent]") {
  ONLY_IF(has_gpu());
  const Stream stream;
  GemmProblem problem(96, 200, 4096, true);
  cublaslt_plan(problem.args());
  const int count = cublaslt_algorithm_count(problem.args());
  for (int algorithm = 0; algorithm < count; ++algorithm) {
    cublaslt_prepare(algorithm);
  }
  SpinningKernel spinning;
  for (int algorithm = 0; algorithm < count; ++algorithm) {
    REQUIRE(cublaslt_launch(algorithm, stream, problem.args()) == CUBLAS_STATUS_SUCCESS);
    stream.wait();
  }
  CHECK(spinning.release());
  CHECK(problem.wrong() == 0);
}

TEST_CASE("cuda_cublaslt_gemm: tuned, every run of the region is right", "[gpu][cublaslt]") {
  ONLY_IF(has_gpu());
  GemmProblem problem(200, 264, 512, false);
  const std::vector<ProblemReport> reports = tune_checked(
      problem, [](cudaStream_t stream, const GemmArgs& args) { cublaslt_gemm(stream, args); }, 5);
  REQUIRE(reports.size() == 1);
  const ProblemReport& report = reports.front();
  CHECK(report.outcome == ProblemOutcome::locked_in);
  int tried = 0;
  for (const ConfigReport& config : report.configs) {
    CHECK(!config.rejection.has_value());
    tried += config.left_out ? 0 : 1;
  }
  CHECK(tried == cublaslt_algorithm_count(problem.args()));
}

TEST_CASE("cuda_gemm_implementations: tuned, every run of the region is right, with all implementations") {
  ONLY_IF(has_gpu());
  for (const int m : {256, 33}) {
    CAPTURE(m);
    GemmProblem problem(m, 384, 512, true);
    const std::vector<ProblemReport> reports = tune_checked(
        problem, [](cudaStream_t stream, const GemmArgs& args) { gemm_implementations(stream, args); }, 5);
    // On Hopper: the choice, and a kernel of each alternative, one more for few rows.
    const std::size_t implementations = m > 64 ? 2 : 3;
    REQUIRE(reports.size() == 1 + implementations);
    for (const ProblemReport& report : reports) {
      INFO(report.kernel << " " << report.key << ": " << report.reason);
      CHECK(report.outcome == ProblemOutcome::locked_in);
      CHECK(std::any_of(report.configs.begin(), report.configs.end(), [](const ConfigReport& config) {
        return !config.left_out && !config.rejection && config.time.centre_ns > 0;
      }));
    }
    for (std::size_t i = 0; i < implementations; ++i) {
      CHECK(reports[0].configs.at(i).time.centre_ns > 0);
    }
  }
}

TEST_CASE("cuda_gemm_implementations: does not take ready flags") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const GemmProblem problem(64, 64, 64, true);
  const DeviceArray<unsigned> flags(1);
  GemmArgs args = problem.args();
  args.ready_flags = flags.get();
  CHECK_THROWS_AS(gemm_implementations(stream, args), InvalidArgument);
}

}  // namespace contextual::test::gpu_test::cublaslt_test
