#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"
#include "support/report_of.hpp"

#include <contextual/kernel_tuner.hpp>
#include <contextual/kernels/cuda/configs.hpp>
#include <contextual/kernels/cuda/vector_add.hpp>

namespace contextual::test::gpu_test::kernel_tuner_test {

using namespace kernels::cuda;

namespace {

constexpr std::size_t count = 1U << 20U;

KernelTunerOptions options() {
  KernelTunerOptions options{.cache_directory = ""};
  options.tuning.log_directory = "";
  options.tuning.timer = cuda_or_host_timer;
  options.work = [](const TuneRequest& request) {
    const auto elements = static_cast<double>(request.problem_size.at(0));
    return KernelWork{.flops = elements, .bytes = 12 * elements};
  };
  return options;
}

/// The config of the library's kernel that has as many threads as the seed's has warps.
std::size_t variant_of(const Config& config) {
  const std::vector<VectorAddConfig>& all = vector_add().space().configs();
  const auto found = std::find_if(all.begin(), all.end(), [&](const VectorAddConfig& variant) {
    return variant.block == 32 * config.get<int>("WARPS") && variant.per_thread == 1;
  });
  return static_cast<std::size_t>(found - all.begin());
}

}  // namespace

TEST_CASE(
    "KernelTuner: the seed's two configs of vector add are tuned once, and a second call does not tune") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const DeviceArray<float> a(std::vector<float>(count, 1.5F));
  const DeviceArray<float> b(std::vector<float>(count, 2.0F));
  DeviceArray<float> c(count);
  int launches = 0;
  const std::vector<Config> configs{{{"BLOCK", 128}, {"WARPS", 4}}, {{"BLOCK", 256}, {"WARPS", 8}}};
  KernelTuner tuner{"seed_vector_add",
                    configs,
                    [&](const Config& config, CUstream on, float* sum, const float* x, const float* y) {
                      ++launches;
                      return vector_add().launch_config(variant_of(config), on, sum, x, y,
                                                        static_cast<long long>(count), true);
                    },
                    options(),
                    {.load = [](const Config& config) { vector_add().load(variant_of(config)); }}};
  const TuneRequest request{.problem_size = {count}};
  const TuningResult first = tuner.tune(request, stream, c.get(), a.get(), b.get());
  CHECK(launches == 2 * 110 + 1);
  REQUIRE(first.all_results.size() == 2);
  for (const ConfigReport& config : first.all_results) {
    CHECK(config.time.count == 100);
  }
  const std::vector<float> sums = c.host();
  CHECK(static_cast<std::size_t>(std::count(sums.begin(), sums.end(), 3.5F)) == count);

  const TuningResult second = tuner.tune(request, stream, c.get(), a.get(), b.get());
  CHECK(second.from_cache);
  CHECK(launches == 2 * 110 + 1);
  CHECK(second.best_config == first.best_config);
}

TEST_CASE("KernelTuner: vector add of 2^20 elements on a GPU is tuned once") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const DeviceArray<float> a(std::vector<float>(count, 1.5F));
  const DeviceArray<float> b(std::vector<float>(count, 2.0F));
  DeviceArray<float> c(count);
  KernelTuner tuner{vector_add(), options()};
  const TuneRequest request{.problem_size = {count}};
  const TuningResult first =
      tuner.tune(request, stream, c.get(), a.get(), b.get(), static_cast<long long>(count), true);
  CHECK(first.device == "cuda");
  CHECK(first.kernel_type == "cuda_vector_add");
  REQUIRE(first.all_results.size() == generate_configs("cuda_vector_add").size());
  for (const ConfigReport& config : first.all_results) {
    INFO(config.config.to_string());
    CHECK(config.time.count == 100);
    CHECK(config.time.centre_ns > 500);        // 12 MiB cannot be moved in less
    CHECK(config.time.centre_ns < 1'000'000);  // nor take longer than over PCIe
  }
  REQUIRE(first.metrics.gigabytes_per_second.has_value());
  CHECK(*first.metrics.gigabytes_per_second == Approx(12.0 * count / first.metrics.latency.count()));
  CHECK(first.metrics.registers_per_thread.value_or(0) > 0);
  CHECK(first.metrics.local_memory_bytes_per_thread.has_value());
  CHECK(first.metrics.occupancy.value_or(0) > 0);
  CHECK(first.metrics.occupancy.value_or(2) <= 1);
  CHECK(first.metrics.peak_bandwidth_fraction.value_or(0) > 0);
  CHECK_FALSE(first.metrics.peak_compute_fraction.has_value());  // nobody says what it computes with
  const std::vector<float> sums = c.host();
  CHECK(static_cast<std::size_t>(std::count(sums.begin(), sums.end(), 3.5F)) == count);

  c.poison();
  const TuningResult second =
      tuner.tune(request, stream, c.get(), a.get(), b.get(), static_cast<long long>(count), true);
  CHECK(second.from_cache);
  CHECK(second.best_config == first.best_config);
  const std::vector<float> untouched = c.host();
  CHECK(std::count(untouched.begin(), untouched.end(), 3.5F) == 0);
}

TEST_CASE("KernelTuner: the same runs as a region of one kernel, and the same choice within the noise") {
  ONLY_IF(has_gpu());
  const Stream stream;
  const DeviceArray<float> a(std::vector<float>(count, 1.5F));
  const DeviceArray<float> b(std::vector<float>(count, 2.0F));
  DeviceArray<float> c(count);
  KernelTuner tuner{vector_add(), options()};
  const TuningResult alone = tuner.tune({.problem_size = {count}}, stream, c.get(), a.get(), b.get(),
                                        static_cast<long long>(count), true);
  ContextualAutotuner region{{.n_warmup = 10,
                              .n_repeat = 100,
                              .search = SearchLevel::off,
                              .always_tune = true,
                              .log_directory = "",
                              .cache_directory = "",
                              .timer = cuda_or_host_timer}};
  region.run("kernel_tuner_test",
             [&] { vector_add(stream, c.get(), a.get(), b.get(), static_cast<long long>(count)); });
  const RegionReport report = report_of(region, "kernel_tuner_test");
  REQUIRE(report.problems.size() == 1);
  CHECK(report.walk_iterations >= 16 * 110);
  const auto time_of = [](const std::vector<ConfigReport>& configs, std::size_t id) {
    return configs.at(id).time.centre_ns;
  };
  // Another choice is one that both found as fast, within the tie margin and the drift of the device.
  CHECK(time_of(alone.all_results, report.problems[0].choice) ==
        Approx(alone.metrics.latency.count()).epsilon(0.05));
}

}  // namespace contextual::test::gpu_test::kernel_tuner_test
