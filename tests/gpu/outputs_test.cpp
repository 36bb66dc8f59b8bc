/// \file
/// Options::outputs and Options::restore with memory of a device.

#include "contextual/measure/elements.hpp"
#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/cuda.hpp>
#include <contextual/detail/measure/device_buffers.hpp>
#include <contextual/output.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gpu_outputs_test {

using namespace contextual;
using namespace gpu_test;

namespace {

constexpr int repetitions = 100;
constexpr int elements = 100'003;
constexpr double tolerance = 1e-3;

struct Config {
  std::string kind = "right";
  int spin_us = 60;
};

/// Writes i + 1 to out[i], as its kind says. What is wrong is fastest.
using Write = CudaKernel<Config, float*, float*, int>;

constexpr const char* write_source = R"(
__device__ void spin() {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do { asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); } while (now - begin < US * 1000ull);
}
extern "C" __global__ void write(float* out, float* elsewhere, int n) {
  spin();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < END) { TO[i] = (i + 1.0f) * (i == 7 ? FACTOR : 1.0f); }
}
// Adds up in an order that changes from run to run.
extern "C" __global__ void add(float* out, float* elsewhere, int n) {
  spin();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { atomicAdd(&out[i % 64], 1.0f / (1 + i)); }
}
extern "C" __global__ void in_place(float* out, float* elsewhere, int n) {
  spin();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < END) { out[i] = 2.0f * out[i] + 1.0f; }
}
)";

Write::Definition definition() {
  Write::Definition definition;
  definition.source = CudaSource::text("write.cu", write_source);
  definition.variant = [](const Config& config) {
    const std::string& kind = config.kind;
    const bool other = kind == "add" || kind == "in_place";
    return CudaVariant{.function = other                        ? kind
                                   : kind == "in_place_but_one" ? "in_place"
                                                                : "write",
                       .defines = {{"US", std::to_string(config.spin_us)},
                                   {"TO", kind == "elsewhere" ? "elsewhere" : "out"},
                                   {"END", kind == "half"                                        ? "n / 2"
                                           : kind == "all_but_one" || kind == "in_place_but_one" ? "n - 1"
                                                                                                 : "n"},
                                   {"FACTOR", kind == "twice_the_tolerance" ? "1.002f" : "1.0f"}}};
  };
  definition.layout = [](const Config&, float* const&, float* const&, const int& n) {
    return CudaLayout{.grid = {(static_cast<unsigned>(n) + 255) / 256}, .block = {256}};
  };
  return definition;
}

ConfigSpace<Config> space(const std::vector<std::pair<std::string, int>>& kinds_and_us) {
  std::vector<Config> configs;
  for (const auto& [kind, us] : kinds_and_us) {
    configs.push_back({kind, us});
  }
  return ConfigSpace<Config>::list({{"KIND", &Config::kind}, {"US", &Config::spin_us}}, configs)
      .default_config(configs.front());
}

Key key_of(float* const&, float* const&, const int& n) {
  return make_key(n);
}

Options options_with(std::vector<Output> outputs) {
  return {.n_warmup = 1,
          .n_repeat = 2,
          .search = SearchLevel::off,
          .always_tune = true,
          .log_directory = "",
          .timer = cuda_event_timer,
          .outputs = std::move(outputs)};
}

bool has_warning(const RegionReport& report, const std::string& part) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const std::string& warning) { return warning.find(part) != std::string::npos; });
}

int rejected_count(const ProblemReport& problem) {
  return static_cast<int>(std::count_if(problem.configs.begin(), problem.configs.end(),
                                        [](const ConfigReport& config) { return bool(config.rejection); }));
}

}  // namespace

TEST_CASE("gpu outputs: what is wrong is never chosen, and what is right is", "[gpu]") {
  if (!has_gpu()) {
    return;
  }
  const std::string kind = GENERATE("half", "elsewhere", "all_but_one", "twice_the_tolerance");
  Stream stream;
  DeviceArray<float> out(elements, 1);  // not aligned to more than one element
  DeviceArray<float> elsewhere(elements);
  Write write("gpu_outputs_" + kind, space({{"right", 90}, {kind, 10}, {"right", 50}}), key_of, definition());
  Output output = contextual::output("out", out.get(), elements);
  output.relative = tolerance;
  output.absolute = 0;
  ContextualAutotuner tuner(options_with({output}));
  int wrong = 0;
  for (int i = 0; i < repetitions; ++i) {
    tuner.run("gpu outputs " + kind, [&] { write(stream, out.get(), elsewhere.get(), elements); });
    const Report report = tuner.report();
    const ProblemReport& problem = report.runs.back().problems.at(0);
    wrong += problem.choice == 1 || rejected_count(problem) != 1 ? 1 : 0;
  }
  CHECK(wrong == 0);
  const std::vector<float> values = out.host();
  CHECK(values.front() == 1);
  CHECK(values.back() == static_cast<float>(elements));
}

TEST_CASE("gpu outputs: sums by atomics are right within their tolerance", "[gpu]") {
  if (!has_gpu()) {
    return;
  }
  Stream stream;
  DeviceArray<float> sums(64);
  Write add("gpu_outputs_add", space({{"add", 60}, {"add", 40}, {"add", 20}}), key_of, definition());
  Options options = options_with({contextual::output("sums", sums.get(), 64)});
  cuda_check(cudaMemset(sums.get(), 0, 64 * sizeof(float)));
  options.restore = std::vector{restored("sums", sums.get(), 64)};
  ContextualAutotuner tuner(options);
  int rejected = 0;
  for (int i = 0; i < repetitions; ++i) {
    cuda_check(cudaMemset(sums.get(), 0, 64 * sizeof(float)));
    tuner.run("gpu sums", [&] { add(stream, sums.get(), nullptr, elements); });
    const Report report = tuner.report();
    rejected += rejected_count(report.runs.back().problems.at(0));
    rejected += has_warning(report.runs.back(), "does not repeat") ? 1 : 0;
  }
  CHECK(rejected == 0);
}

TEST_CASE("gpu outputs: what works in place is restored in the order of the device's work", "[gpu]") {
  if (!has_gpu()) {
    return;
  }
  const bool cupti = GENERATE(false, true);
  Stream stream;
  DeviceArray<float> data(std::vector<float>(elements, 3));
  Write in_place("gpu_outputs_in_place",
                 space({{"in_place", 300}, {"in_place_but_one", 100}, {"in_place", 200}}), key_of,
                 definition());
  Options options = options_with({contextual::output("data", data.get(), elements)});
  options.n_repeat = 6;
  options.restore = std::vector{restored("data", data.get(), elements)};
  options.timer = cupti ? TimerFactory(cuda_timer) : TimerFactory(cuda_event_timer);
  ContextualAutotuner tuner(options);
  tuner.run("gpu in place", [&] { in_place(stream, data.get(), nullptr, elements); });  // nobody waits
  const Report report = tuner.report();
  CHECK(report.runs.back().problems.at(0).choice == 2);
  CHECK(rejected_count(report.runs.back().problems.at(0)) == 1);
  CHECK(!has_warning(report.runs.back(), "does not repeat"));
  CHECK(has_warning(report.runs.back(), "`restore` copies 0.4 MiB back"));
  const std::vector<float> values = data.host();
  CHECK(std::all_of(values.begin(), values.end(), [](float value) { return value == 7; }));
}

TEST_CASE("gpu outputs: a device compares as the host does", "[gpu]") {
  if (!has_gpu()) {
    return;
  }
  cuda_check(cudaFree(nullptr));  // the first call of the runtime makes the context
  const auto timer = cuda_event_timer();
  const detail::DeviceBuffers& buffers = *detail::device_buffers();
  std::mt19937 random(1);
  for (int number = 0; number <= static_cast<int>(ElementType::fp8_e5m2); ++number) {
    const auto type = static_cast<ElementType>(number);
    const std::size_t size = size_of(type);
    for (const std::size_t count : {1, 15, 4096, 300'001}) {
      for (const std::size_t offset : {std::size_t{0}, size}) {
        std::vector<std::uint8_t> expected(count * size);
        for (std::uint8_t& byte : expected) {
          byte = static_cast<std::uint8_t>(random());
        }
        std::vector<std::uint8_t> got = expected;
        for (int change = 0; change < number; ++change) {
          got[random() % got.size()] ^= static_cast<std::uint8_t>(1U << (random() % 8));
        }
        const detail::Tolerance allowed{number % 2 == 0 ? 0.0 : 0.1, number % 3 == 0 ? 0.0 : 1.0};
        DeviceArray<std::uint8_t> on_device(got, offset);
        const auto kept = buffers.memory_to_compare(on_device.get(), expected.size());
        buffers.copy(kept.get(), expected.data(), expected.size());
        const auto of_device = buffers.compare(on_device.get(), kept.get(), count, type, allowed);
        const auto of_host =
            measure::compare(reinterpret_cast<const std::byte*>(got.data()),
                             reinterpret_cast<const std::byte*>(expected.data()), count, type, allowed);
        INFO("type " << number << ", " << count << " elements, offset " << offset);
        CHECK(of_device.count == of_host.count);
        CHECK((of_host.count == 0 || of_device.first == of_host.first));
        CHECK(of_device.largest_error == of_host.largest_error);
      }
    }
  }
}

TEST_CASE("gpu outputs: a device adds up the blocks of a large output", "[gpu]") {
  if (!has_gpu()) {
    return;
  }
  cuda_check(cudaFree(nullptr));
  const auto timer = cuda_event_timer();
  const detail::DeviceBuffers& buffers = *detail::device_buffers();
  constexpr std::size_t count = 300'001;
  constexpr std::size_t block = 100'000;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(i % 1000) - 500;
  }
  values[5] = std::numeric_limits<float>::quiet_NaN();
  std::memset(&values[6], 0xFF, sizeof(float));
  const auto sums_of = [&] {
    const DeviceArray<float> on_device(values);
    return buffers.sums(on_device.get(), count, ElementType::fp32, block);
  };
  const auto sums = sums_of();
  REQUIRE(sums.size() == 4);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t length = std::min(block, count - i * block);
    const detail::BlockSum content = measure::sum_of(
        reinterpret_cast<const std::byte*>(values.data() + i * block), ElementType::fp32, length);
    CHECK(sums[i].sum == content.sum);  // whole numbers: the order does not matter
    CHECK(sums[i].magnitude == content.magnitude);
    CHECK(sums[i].not_finite == content.not_finite);
    CHECK(sums[i].nan_count == content.nan_count);
    CHECK(sums[i].filled_count == content.filled_count);
  }
  std::swap(values[150'000], values[150'001]);
  const auto swapped = sums_of();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    CHECK((swapped[i].hash == sums[i].hash) == (i != 1));
    CHECK(swapped[i].sum == sums[i].sum);
  }
}

}  // namespace gpu_outputs_test
