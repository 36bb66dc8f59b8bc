#include "support/catch.hpp"
#include "test_matrix.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernels/host/kernels.hpp>
#include <contextual/testing/scripted_timer.hpp>

namespace contextual::kernels::tunable_kernels_test {

namespace {

using test::Matrix;

/// Config 3 of everything is the fastest.
Options scripted_options() {
  Options options{.n_warmup = 1, .n_repeat = 1, .log_directory = ""};
  options.timer =
      testing::scripted_timer([](const LaunchInfo& launch) { return launch.config_id == 3 ? 1'000 : 2'000; });
  return options;
}

}  // namespace

TEST_CASE("tunable host kernels have unique configs and start with the default of their struct") {
  REQUIRE(gemm().name() == "host_gemm");
  REQUIRE(flagged_gemm().name() == "host_flagged_gemm");
  REQUIRE(rms_norm().name() == "host_rms_norm");
  REQUIRE(gated_activation().name() == "host_gated_activation");
  REQUIRE(gemm().space()[0] == GemmConfig{});
  REQUIRE(flagged_gemm().space()[0] == FlaggedGemmConfig{});
  REQUIRE(rms_norm().space()[0] == RmsNormConfig{});
  REQUIRE(gated_activation().space()[0] == GatedActivationConfig{});
  REQUIRE((gemm_space().size() == 16 || gemm_space().size() == 8));
  REQUIRE((flagged_gemm_space().size() == 24 || flagged_gemm_space().size() == 12));
  REQUIRE((rms_norm_space().size() == 12 || rms_norm_space().size() == 6));
  REQUIRE((gated_activation_space().size() == 8 || gated_activation_space().size() == 4));
}

TEST_CASE("tunable host kernels launched in a tuned region are right in every tuning iteration") {
  Matrix x(9, 33, 2);
  Matrix weight(1, 33, 0);
  Matrix normed(9, 33, 1);
  Matrix b(33, 40, 0);
  Matrix c(9, 40, 3);
  x.fill_random(1);
  weight.fill(1.0F);
  b.fill_random(2);
  int right = 0;
  Options options = scripted_options();
  options.before_iteration = [&](const IterationInfo&) {
    normed.fill_nan();
    c.fill_nan();
  };
  options.after_iteration = [&](const IterationInfo&) {
    const double error = test::worst_error(c, [&](long i, long j) {
      test::Expected once = test::gemm_reference(normed, b, 0, i, j);
      return test::Expected{2 * once.value, 2 * once.scale};
    });
    right += error < 1e-6 && c.padding_untouched() && normed.padding_untouched() ? 1 : 0;
  };
  ContextualAutotuner tuner{options};
  int runs = 0;
  tuner.run("layer", [&] {
    ++runs;
    rms_norm()({x.data(), weight.data(), normed.data(), 9, 33, x.ld, normed.ld});
    gemm()({normed.data(), b.data(), c.data(), 9, 40, 33, normed.ld, b.ld, c.ld, false});
    gemm()({normed.data(), b.data(), c.data(), 9, 40, 33, normed.ld, b.ld, c.ld, true});
  });
  REQUIRE(runs > 2 * static_cast<int>(gemm_space().size()));
  REQUIRE(right == runs);
  // Writing and accumulating are different problems of one kernel.
  const Report report = tuner.report();
  const RegionReport& region = *report.find("layer");
  REQUIRE(region.problems.size() == 3);
  for (const ProblemReport& problem : region.problems) {
    INFO(problem.kernel << " " << problem.key << ": " << problem.reason);
    REQUIRE(problem.choice == 3);
  }
}

}  // namespace contextual::kernels::tunable_kernels_test
