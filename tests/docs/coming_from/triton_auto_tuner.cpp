// section: `TritonAutoTuner`
#include "docs/coming_from/coming_from.hpp"

#include <contextual/kernels/host/configs.hpp>

using namespace coming_from;
using contextual::ConfigCache;
using contextual::ConfigSpace;
using contextual::KernelTunerOptions;
using contextual::TuneRequest;
using contextual::TuningFailedError;
using contextual::TuningResult;

namespace {

/// Few runs, and nothing on the disk.
KernelTunerOptions few_runs() {
  KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 1};
  options.tuning = quick();
  return options;
}

}  // namespace

// row: `TritonAutoTuner(warmup_runs, benchmark_runs, cache_dir)`
TEST_CASE("TritonAutoTuner: the counts and the directory are options", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  const std::filesystem::path& path = directory.path();
  KernelTunerOptions options{.warmup_runs = 10, .benchmark_runs = 100, .cache_directory = path};
  options.tuning.log_directory = "";
  options.tuning.timer = quick().timer;
  int launches = 0;
  contextual::KernelTuner tuner{"seed_counts", blocks(), [&](const Tile&) { ++launches; }, options};
  tuner.tune({});
  CHECK(launches >= 3 * (10 + 100));
  contextual::KernelTuner<void(const Tile&)> other{"seed_counts_again", blocks(), [](const Tile&) {},
                                                   options};
  CHECK(other.cache().directory() == path);
}

// row: `tune(kernel, configs, problem_size, device, kernel_type, *args)`
TEST_CASE("TritonAutoTuner: kernel and configs make the tuner, the rest is a request", "[unit]") {
  using contextual::Config;
  const std::string name = "seed_tuned";
  const std::vector<Config> configs{{{"BLOCK", 128}, {"WARPS", 4}}, {{"BLOCK", 256}, {"WARPS", 8}}};
  const KernelTunerOptions options = few_runs();
  const auto kernel = [](const Config&, int) {};
  contextual::KernelTuner tuner{name, configs, kernel, options};
  const TuneRequest request{.problem_size = {1 << 20}, .device = "host", .kernel_type = "vector add"};
  const auto tune = [&](auto... args) { return tuner.tune(request, args...); };
  CHECK(tune(1 << 20).best_config == configs[1]);
  CHECK(tune(1 << 20).from_cache);
}

// row: `config_space = {"BLOCK_M": [64, 128], "num_warps": [4, 8]}`
TEST_CASE("TritonAutoTuner: a dictionary of values is a space of configs", "[unit]") {
  const contextual::ConfigSpace<contextual::Config> space{{"BLOCK_M", {64, 128}}, {"num_warps", {4, 8}}};
  CHECK(space.size() == 4);
}

// row: `KernelMetrics`, `compute_gemm_metrics`, `compute_elementwise_metrics(...,
// bytes_per_element)`
TEST_CASE("TritonAutoTuner: the metrics have the same functions, and count bytes that are read and written",
          "[unit]") {
  using namespace std::chrono_literals;
  constexpr std::size_t bytes_per_element = 3 * sizeof(float);
  const contextual::KernelMetrics sum =
      contextual::compute_elementwise_metrics(1'000'000, bytes_per_element, 1, 10us);
  CHECK(*sum.gigabytes_per_second == Approx(1'200));
  CHECK(contextual::compute_gemm_metrics(1000, 1000, 1000, 2, 10us).teraflops_per_second == Approx(200));
}

// row: shares of the peak in percent
TEST_CASE("TritonAutoTuner: shares of the peak are fractions", "[unit]") {
  using namespace std::chrono_literals;
  const contextual::KernelMetrics half =
      contextual::compute_gemm_metrics(1000, 1000, 1000, 2, 10us, {.teraflops_per_second = 400});
  CHECK(half.peak_compute_fraction == Approx(0.5));
}

// row: `TuningResult`: best config, metrics, all results, problem size, device
TEST_CASE("TritonAutoTuner: a result has the same members, and the rejected configs", "[unit]") {
  contextual::KernelTuner tuner{"seed_result", blocks(),
                                [](const Tile& tile) {
                                  if (tile.block == 256) {
                                    throw contextual::ConfigRejected("too large");
                                  }
                                },
                                few_runs()};
  const TuningResult result = tuner.tune({.problem_size = {4096}});
  CHECK(result.best_config == contextual::Config{{"BLOCK", 128}});
  CHECK(result.metrics.latency.count() == 9'000);
  REQUIRE(result.all_results.size() == 3);
  CHECK(result.all_results[2].rejection.has_value());
  CHECK(result.problem_size == std::vector<std::int64_t>{4096});
  CHECK(result.device == "host");
}

// row: an exception when every config fails
TEST_CASE("TritonAutoTuner: if every config fails, the error has every reason", "[unit]") {
  contextual::KernelTuner tuner{"seed_failing", blocks(),
                                [](const Tile&) { throw contextual::ConfigRejected("never"); }, few_runs()};
  try {
    tuner.tune({});
    FAIL("nothing was thrown");
  } catch (const TuningFailedError& error) {
    CHECK(error.rejections().size() == 3);
  }
}

// row: `ConfigCache`: `get`, `set`, `clear`, `get_all_keys`
TEST_CASE("TritonAutoTuner: the cache has the same calls", "[unit]") {
  ConfigCache cache;
  const TuneRequest request{.problem_size = {4096}, .device = "host", .kernel_type = "gemm"};
  CHECK(cache.set(request, {.config = contextual::Config{{"BLOCK", 128}}}).empty());
  REQUIRE(cache.get(request));
  CHECK(cache.get(request)->config == contextual::Config{{"BLOCK", 128}});
  CHECK(cache.get_all_keys() == std::vector<TuneRequest>{request});
  CHECK(cache.clear("gemm").empty());
  CHECK_FALSE(cache.get(request));

  contextual::KernelTuner tuner{"seed_cached", blocks(), [](const Tile&) {}, few_runs()};
  const TuningResult result = tuner.tune({.problem_size = {4096}});
  CHECK(tuner.cache().get(tuner.completed({.problem_size = {4096}}))->config == result.best_config);
}

// row: `generate_configs`, `filter_valid_configs`, `get_default_config`
TEST_CASE("TritonAutoTuner: the library's kernels list their configs, and a space has constraints",
          "[unit]") {
  namespace kernels = contextual::kernels;
  const auto configs = kernels::generate_configs("host_gemm");
  REQUIRE_FALSE(configs.empty());
  CHECK(kernels::filter_valid_configs("host_gemm", configs) == configs);
  CHECK(kernels::get_default_config("host_gemm") == configs.front());
  const ConfigSpace<Tile> space =
      blocks().constraint("small", [](const Tile& tile) { return tile.block < 256; });
  CHECK(space.size() == 2);
}
