#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/kernel_tuner.hpp>
#include <contextual/kernels/host/configs.hpp>
#include <contextual/kernels/host/kernels.hpp>
#include <contextual/testing/scripted_timer.hpp>

namespace contextual::configs_test {

namespace {

template <typename Kernel>
void check_is_space_of(const std::string& name, const Kernel& kernel) {
  CHECK(kernel.name() == name);
  CHECK(kernels::generate_configs(name) == kernel.space().view().configs);
  CHECK(kernels::get_default_config(name) == kernel.space().to_config(0));
}

}  // namespace

TEST_CASE("host configs: every kernel has those of its config space, the default first") {
  check_is_space_of("host_gemm", kernels::gemm());
  check_is_space_of("host_flagged_gemm", kernels::flagged_gemm());
  check_is_space_of("host_rms_norm", kernels::rms_norm());
  check_is_space_of("host_gated_activation", kernels::gated_activation());
  CHECK(kernels::kernel_types() ==
        std::vector<std::string>{"host_flagged_gemm", "host_gated_activation", "host_gemm", "host_rms_norm"});
}

TEST_CASE("host configs: a limit of threads leaves out what needs more") {
  for (const std::string& kernel : kernels::kernel_types()) {
    const std::vector<Config> all = kernels::generate_configs(kernel);
    const std::vector<Config> one = kernels::generate_configs(kernel, {.threads = 1});
    CHECK_FALSE(one.empty());
    CHECK(kernels::filter_valid_configs(kernel, all, {.threads = 1}) == one);
    for (const Config& config : all) {
      CHECK(kernels::resource_needs(kernel, config) == ResourceNeeds{.threads = config.get<int>("THREADS")});
      CHECK((std::find(one.begin(), one.end(), config) != one.end()) == (config.get<int>("THREADS") == 1));
    }
    CHECK(kernels::get_default_config(kernel, {.threads = 1}) == one.front());
    CHECK_THROWS_WITH(kernels::get_default_config(kernel, {.threads = 0}),
                      ContainsSubstring("threads is 0, but each needs at least 1"));
  }
}

TEST_CASE("host configs: a config that the kernel does not have is not valid") {
  const Config own = kernels::get_default_config("host_rms_norm");
  Config other = own;
  other.set("UNROLL", 3);
  CHECK(kernels::filter_valid_configs("host_rms_norm", {other, own}) == std::vector<Config>{own});
  CHECK_THROWS_AS(kernels::resource_needs("host_rms_norm", other), InvalidArgument);
  CHECK_THROWS_WITH(kernels::generate_configs("host_rms"), ContainsSubstring("host_rms_norm"));
}

TEST_CASE("KernelTuner: tunes a kernel of the library") {
  KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 1};
  options.cache_directory = "";
  options.tuning.log_directory = "";
  options.tuning.timer = testing::scripted_timer(
      [](const LaunchInfo& launch) { return 10'000 - 500 * static_cast<std::int64_t>(launch.config_id); });
  KernelTuner tuner{kernels::rms_norm(), options};
  const std::vector<float> x(4 * 8, 2.0F);
  const std::vector<float> weight(8, 3.0F);
  std::vector<float> out(4 * 8);
  const kernels::RmsNormArgs args{x.data(), weight.data(), out.data(), 4, 8, 8, 8};
  const TuningResult result = tuner.tune({.problem_size = {4, 8}}, args);
  CHECK(result.best_config == kernels::generate_configs("host_rms_norm").back());
  CHECK(result.kernel_type == "host_rms_norm");
  CHECK(out[31] == Approx(3.0F));
}

}  // namespace contextual::configs_test
