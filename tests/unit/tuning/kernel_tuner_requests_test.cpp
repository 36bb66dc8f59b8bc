/// \file
/// A KernelTuner's requests and configs in the words of its user: what is left out, set, or wrong.

#include "support/engine.hpp"

namespace contextual::test::kernel_tuner_requests_test {

namespace {

KernelTunerOptions quick() {
  KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 2};
  options.cache_directory = "";
  options.tuning.log_directory = "";
  options.tuning.timer = last_is_fastest();
  return options;
}

using Tuner = KernelTuner<void(const Config&, int)>;

/// Four configs, of which the last one is the fastest.
struct Counted {
  explicit Counted(const std::string& kernel, KernelTunerOptions options = quick())
      : tuner(
            kernel, {{"BLOCK", {64, 128}}, {"RATIO", {0.1F, 0.2F}}},
            [this](const Config& /*config*/, int) { ++launches; }, std::move(options)) {}

  int launches = 0;
  Tuner tuner;
};

}  // namespace

TEST_CASE("KernelTuner: a completed request finds what was tuned for it, and sets what is used for it") {
  Counted counted("kernel_tuner completed");
  const TuneRequest request{.problem_size = {5}};
  CHECK(counted.tuner.completed(request) == TuneRequest{{5}, "host", "kernel_tuner completed"});
  const TuneRequest whole{.problem_size = {5}, .device = "H200", .kernel_type = "mine"};
  CHECK(counted.tuner.completed(whole) == whole);

  const TuningResult tuned = counted.tuner.tune(request, 1);
  REQUIRE(counted.tuner.cache().get(counted.tuner.completed(request)).has_value());
  CHECK(counted.tuner.cache().get(counted.tuner.completed(request))->config == tuned.best_config);

  const CachedConfig set{counted.tuner.space().to_config(1)};
  CHECK(counted.tuner.cache().set(counted.tuner.completed(request), set).empty());
  const TuningResult result = counted.tuner.tune(request, 1);
  CHECK(result.from_cache);
  CHECK(result.best_config_id == 1);
  CHECK(result.metrics.latency.count() == 0);
  CHECK(result.warnings.empty());
}

TEST_CASE("KernelTuner: a copy of what was tuned is used for another request as one that is set") {
  Counted counted("kernel_tuner copied");
  ConfigCache& cache = counted.tuner.cache();
  const TuneRequest one = counted.tuner.completed({.problem_size = {1}});
  const TuneRequest other = counted.tuner.completed({.problem_size = {2}});
  counted.tuner.tune(one, 1);
  CHECK(cache.get(one)->belongs_to.starts_with("test_tuning "));
  CHECK(cache.set(other, *cache.get(one)).empty());
  CHECK(cache.get(other)->belongs_to.empty());
  counted.launches = 0;
  CHECK(counted.tuner.tune(other, 1).from_cache);
  CHECK(counted.launches == 0);
}

TEST_CASE("KernelTuner: a config that is set with its parameters in another order is used") {
  Counted counted("kernel_tuner other order");
  const TuneRequest request = counted.tuner.completed({.problem_size = {5}});
  CHECK(counted.tuner.cache().set(request, {{{"RATIO", 0.1}, {"BLOCK", 128}}}).empty());
  const TuningResult result = counted.tuner.tune(request, 1);
  CHECK(result.from_cache);
  CHECK(result.best_config_id == 2);
  CHECK(result.best_config == counted.tuner.space().to_config(2));
  CHECK(counted.tuner.best(result) == result.best_config);
  CHECK(counted.launches == 0);
}

TEST_CASE("KernelTuner: a config that is set and that the kernel does not have is a warning") {
  for (const Config& config : {Config{{"BLOCK", 512}, {"RATIO", 0.1F}}, Config{{"BLOCK", 64}},
                               Config{{"BLOCK", 64}, {"RATIO", 0.1F}, {"STAGES", 2}}}) {
    Counted counted("kernel_tuner unknown config");
    const TuneRequest request = counted.tuner.completed({.problem_size = {5}});
    CHECK(counted.tuner.cache().set(request, {config}).empty());
    const TuningResult result = counted.tuner.tune(request, 1);
    CHECK_FALSE(result.from_cache);
    CHECK(result.best_config_id == 3);
    CHECK(counted.tuner.cache().get(request)->config == result.best_config);
    CHECK_THAT(only(result.warnings),
               ContainsAll(config.to_string(),
                           "is no config of kernel \"kernel_tuner unknown config\": it is not used"));
  }
}

TEST_CASE("KernelTuner: a count that is too small is named as the options name it") {
  KernelTunerOptions no_warmup = quick();
  no_warmup.warmup_runs = 0;
  CHECK(error_text<InvalidArgument>([&] { Counted("kernel_tuner counts", no_warmup).tuner.tune({}, 1); }) ==
        "kernel \"kernel_tuner counts\": warmup_runs is 0, but must be at least 1");
  KernelTunerOptions no_runs = quick();
  no_runs.benchmark_runs = -3;
  CHECK(error_text<InvalidArgument>([&] { Counted("kernel_tuner counts", no_runs).tuner.tune({}, 1); }) ==
        "kernel \"kernel_tuner counts\": benchmark_runs is -3, but must be at least 1");
}

TEST_CASE("KernelTuner: a bad config space is an error that names the kernel") {
  Tuner empty(
      "kernel_tuner empty list", std::vector<Config>{}, [](const Config&, int) {}, quick());
  const auto tune = [&] { empty.tune({}, 1); };
  CHECK_THAT(error_text<ConfigSpaceError>(tune), ContainsSubstring("kernel \"kernel_tuner empty list\": "));
}

}  // namespace contextual::test::kernel_tuner_requests_test
