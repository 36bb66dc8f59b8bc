#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"
#include "support/report_of.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/cuda.hpp>
#include <contextual/kernel_tuner.hpp>
#include <contextual/kernels/cuda/configs.hpp>
#include <contextual/kernels/cuda/vector_add.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kernel_tuner_test {

using namespace contextual;
using namespace contextual::kernels::cuda;
using namespace gpu_test;

namespace {

constexpr std::size_t count = 1U << 20U;

KernelTunerOptions options() {
  KernelTunerOptions options;
  options.cache_directory = "";
  options.tuning.log_directory = "";
  options.tuning.timer = cuda_or_host_timer;
  options.work = [](const TuneRequest& request) {
    const auto elements = static_cast<double>(request.problem_size.at(0));
    return KernelWork{.flops = elements, .bytes = 12 * elements};
  };
  return options;
}

}  // namespace

TEST_CASE("KernelTuner: vector add of 2^20 elements on a GPU is tuned once", "[gpu]") {
  if (!has_gpu()) {
    return;
  }
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

TEST_CASE("KernelTuner: the same runs as a region of one kernel, and the same choice within the noise",
          "[gpu]") {
  if (!has_gpu()) {
    return;
  }
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
  const RegionReport report = engine_test::report_of(region, "kernel_tuner_test");
  REQUIRE(report.problems.size() == 1);
  CHECK(report.walk_iterations >= 16 * 110);
  const auto time_of = [](const std::vector<ConfigReport>& configs, std::size_t id) {
    return configs.at(id).time.centre_ns;
  };
  // Another choice is one that both found as fast, within the tie margin and the drift of the device.
  CHECK(time_of(alone.all_results, report.problems[0].choice) ==
        Approx(alone.metrics.latency.count()).epsilon(0.05));
}

}  // namespace kernel_tuner_test
