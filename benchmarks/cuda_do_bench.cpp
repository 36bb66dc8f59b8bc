/// \file
/// How repeatable do_bench is: ten calls each on a matrix product of cuBLAS and on a kernel of about 2 us, by
/// CUPTI and by events. `benchmarks/peers/triton_do_bench.py` does the same with Triton's do_bench.
///
/// Printed are the median, the extremes and the spread of the ten medians. The last line is JSON.

#include "cuda_common.hpp"
#include "cuda_cublas.hpp"

#include <contextual/cuda/device_facts.hpp>
#include <contextual/cuda/do_bench.hpp>
#include <contextual/metrics.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using kernels::cuda::GemmArgs;
using kernels::cuda::GemmType;

constexpr const char* short_add_source =
#include "embedded/cuda_short_add.cu.inc"
    ;

constexpr int add_threads = 128;

struct AddConfig {
  int threads = add_threads;
};
using ShortAdd = CudaKernel<AddConfig, float*, const float*, const float*, int>;

ShortAdd::Definition short_add_definition() {
  ShortAdd::Definition definition;
  definition.source = CudaSource::text("cuda_short_add.cu", short_add_source);
  definition.variant = [](const AddConfig&) { return CudaVariant{.function = "short_add"}; };
  definition.layout = [](const AddConfig& config, float* const&, const float* const&, const float* const&,
                         const int& n) {
    return CudaLayout{.grid = {static_cast<unsigned>((n + config.threads - 1) / config.threads)},
                      .block = {static_cast<unsigned>(config.threads)}};
  };
  return definition;
}

struct Settings {
  int calls = 10;
  int extent = 4096;
  int elements = 1 << 14;
};

/// What the calls of do_bench said about one function.
struct Calls {
  std::string function;
  std::string timer;
  std::vector<double> medians_us;  ///< by call
  double samples = 0;              ///< of a call, mean
  double inner_spread = 0;         ///< interquartile range over the median within a call, mean
  double seconds = 0;              ///< of a call, mean
  KernelMetrics metrics;           ///< by the median of the medians
  std::vector<std::string> warnings;
};

double us_of(BenchTime time) {
  return time.count() / 1e3;
}

Calls measure(const std::string& function, cudaStream_t stream, const std::function<void()>& launch,
              const TimerFactory& timer, int calls) {
  Calls all;
  all.function = function;
  for (int i = 0; i < calls; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const BenchResult result = do_bench(stream, launch, {.timer = timer});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    all.timer = result.timer;
    all.medians_us.push_back(us_of(result.median));
    all.samples += static_cast<double>(result.samples.size()) / calls;
    all.inner_spread += result.interquartile_range / result.median / calls;
    all.seconds += elapsed.count() / calls;
    for (const std::string& warning : result.warnings) {
      if (std::find(all.warnings.begin(), all.warnings.end(), warning) == all.warnings.end()) {
        all.warnings.push_back(warning);
      }
    }
  }
  return all;
}

nlohmann::json print(const Calls& calls) {
  const auto [least, most] = std::minmax_element(calls.medians_us.begin(), calls.medians_us.end());
  const double middle = median(calls.medians_us);
  const double spread = (*most - *least) / middle;
  std::printf("%-10s %-12s %10.3f %10.3f %10.3f %8.2f %8.2f %8.0f %8.3f", calls.function.c_str(),
              calls.timer.c_str(), middle, *least, *most, 100 * spread, 100 * calls.inner_spread,
              calls.samples, calls.seconds);
  if (calls.metrics.teraflops_per_second) {
    std::printf(" %9.2f", *calls.metrics.teraflops_per_second);
  }
  if (calls.metrics.peak_compute_fraction) {
    std::printf(" %6.1f %% of the peak", 100 * *calls.metrics.peak_compute_fraction);
  }
  std::printf("\n");
  for (const std::string& warning : calls.warnings) {
    std::printf("  warning: %s\n", warning.c_str());
  }
  std::fflush(stdout);
  return {{"function", calls.function},
          {"timer", calls.timer},
          {"medians_us", calls.medians_us},
          {"median_us", middle},
          {"min_us", *least},
          {"max_us", *most},
          {"spread", spread},
          {"inner_spread", calls.inner_spread},
          {"samples", calls.samples},
          {"seconds", calls.seconds}};
}

class DoBench {
 public:
  explicit DoBench(const Settings& settings)
      : settings_(settings),
        a_(settings.extent, settings.extent, false, 1),
        b_(settings.extent, settings.extent, false, 2),
        c_(element_count(settings.extent, settings.extent)),
        x_(static_cast<std::size_t>(settings.elements)),
        y_(static_cast<std::size_t>(settings.elements)),
        z_(static_cast<std::size_t>(settings.elements)),
        cublas_(stream_) {}

  nlohmann::json measure_by(const TimerFactory& timer) {
    nlohmann::json rows = nlohmann::json::array();
    const std::function<void()> product = [this] { cublas_.gemm(args(), c_.get()); };
    Calls calls = measure("cublas", stream_, product, timer, settings_.calls);
    const auto extent = static_cast<std::size_t>(settings_.extent);
    calls.metrics = compute_gemm_metrics(extent, extent, extent, sizeof(std::uint16_t), latency(calls),
                                         device_peak(ArithmeticUnit::tensor_cores_16_bit));
    rows.push_back(print(calls));
    const std::function<void()> add = [this] {
      add_(stream_, z_.get(), x_.get(), y_.get(), settings_.elements);
    };
    calls = measure("short_add", stream_, add, timer, settings_.calls);
    calls.metrics =
        compute_elementwise_metrics(static_cast<std::size_t>(settings_.elements), 3 * sizeof(float), 1,
                                    latency(calls), device_peak(ArithmeticUnit::cuda_cores_fp32));
    rows.push_back(print(calls));
    return rows;
  }

 private:
  GemmArgs args() const {
    return {.a = a_.get(),
            .b = b_.get(),
            .c = c_.get(),
            .m = settings_.extent,
            .n = settings_.extent,
            .k = settings_.extent,
            .type = GemmType::bf16};
  }
  static BenchTime latency(const Calls& calls) { return BenchTime(1e3 * median(calls.medians_us)); }

  const Settings& settings_;
  RandomMatrix a_;
  RandomMatrix b_;
  Buffer<std::uint16_t> c_;
  Buffer<float> x_;
  Buffer<float> y_;
  Buffer<float> z_;
  Stream stream_;
  Cublas cublas_;
  ShortAdd add_{"short_add", ConfigSpace<AddConfig>{{"THREADS", &AddConfig::threads, {add_threads}}},
                single_problem, short_add_definition()};
};

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"How repeatable do_bench is"};
  Settings settings;
  app.add_option("--calls", settings.calls, "calls of do_bench for each function and timer")
      ->check(CLI::Range(2, 1000));
  app.add_option("--extent", settings.extent, "rows and columns of the bf16 matrices")
      ->check(CLI::Range(16, 16384));
  app.add_option("--elements", settings.elements, "of the short kernel")->check(CLI::Range(1, 1 << 28));
  return run_on_gpu(app, argc, argv, [&] {
    DoBench benchmark(settings);
    std::printf(
        "medians of %d calls, in us; spread: (largest - smallest) / median; inner: interquartile range\n"
        "within a call, over its median\n\n"
        "function   timer            median   smallest    largest spread %%  inner %%  samples  s/call"
        "   TFLOP/s\n",
        settings.calls);
    nlohmann::json rows = nlohmann::json::array();
    for (const TimerFactory& timer : {TimerFactory([] { return cuda_cupti_timer_with({.detach = false}); }),
                                      TimerFactory(cuda_event_timer)}) {
      try {
        for (const nlohmann::json& row : benchmark.measure_by(timer)) {
          rows.push_back(row);
        }
      } catch (const CudaUnavailable& reason) {
        std::printf("left out: %s\n", reason.what());
      }
      detach_cupti();  // or it would be in the events' times
    }
    std::printf("%s\n", nlohmann::json{{"do_bench", rows}}.dump().c_str());
    return rows.empty() ? 1 : 0;
  });
}
