/// \file
/// Options::outputs and Options::restore with memory of a device.

#include "contextual/measure/elements.hpp"
#include "gpu/kernel_support.hpp"
#include "gpu/planted_outputs.hpp"
#include "support/catch.hpp"

#include <contextual/detail/measure/device_buffers.hpp>
#include <contextual/output.hpp>

#include <cstring>
#include <limits>

namespace contextual::test::gpu_test::gpu_outputs_test {

namespace {

bool has_warning(const RegionReport& report, const std::string& part) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const std::string& warning) { return warning.find(part) != std::string::npos; });
}

int rejected_count(const ProblemReport& problem) {
  return static_cast<int>(std::count_if(problem.configs.begin(), problem.configs.end(),
                                        [](const ConfigReport& config) { return bool(config.rejection); }));
}

}  // namespace

TEST_CASE("gpu outputs: what is wrong is never chosen, and what is right is") {
  ONLY_IF(has_gpu());
  for (const std::string kind : planted_kinds) {
    INFO(kind);
    PlantedRegion region(kind, nullptr, /*wrong_here=*/true);
    std::string complaint;
    for (int i = 0; i < planted_repetitions && complaint.empty(); ++i) {
      complaint = region.tune();
    }
    CHECK(complaint == "");
  }
}

TEST_CASE("gpu outputs: sums by atomics are right within their tolerance") {
  ONLY_IF(has_gpu());
  Stream stream;
  DeviceArray<float> sums(64);
  Write add = writer("gpu_outputs_add", {{"add", 60}, {"add", 40}, {"add", 20}});
  Options options = options_with({output("sums", sums.get(), 64)});
  cuda_check(cudaMemset(sums.get(), 0, 64 * sizeof(float)));
  options.restore = std::vector{restored("sums", sums.get(), 64)};
  ContextualAutotuner tuner(options);
  int rejected = 0;
  for (int i = 0; i < planted_repetitions; ++i) {
    cuda_check(cudaMemset(sums.get(), 0, 64 * sizeof(float)));
    tuner.run("gpu sums", [&] { add(stream, sums.get(), nullptr, output_elements, 0); });
    const Report report = tuner.report();
    rejected += rejected_count(report.runs.back().problems.at(0));
    rejected += has_warning(report.runs.back(), "does not repeat") ? 1 : 0;
  }
  CHECK(rejected == 0);
}

TEST_CASE("gpu outputs: what works in place is restored in the order of the device's work") {
  ONLY_IF(has_gpu());
  const bool cupti = GENERATE(false, true);
  Stream stream;
  DeviceArray<float> data(std::vector<float>(output_elements, 3));
  Write in_place =
      writer("gpu_outputs_in_place", {{"in_place", 300}, {"in_place_but_one", 100}, {"in_place", 200}});
  Options options = options_with({output("data", data.get(), output_elements)});
  options.n_repeat = 6;
  options.restore = std::vector{restored("data", data.get(), output_elements)};
  options.timer = cupti ? TimerFactory(cuda_timer) : TimerFactory(cuda_event_timer);
  ContextualAutotuner tuner(options);
  tuner.run("gpu in place",
            [&] { in_place(stream, data.get(), nullptr, output_elements, 0); });  // nobody waits
  const Report report = tuner.report();
  CHECK(report.runs.back().problems.at(0).choice == 2);
  CHECK(rejected_count(report.runs.back().problems.at(0)) == 1);
  CHECK(!has_warning(report.runs.back(), "does not repeat"));
  CHECK(has_warning(report.runs.back(), "`restore` copies 0.4 MiB back"));
  const std::vector<float> values = data.host();
  CHECK(std::all_of(values.begin(), values.end(), [](float value) { return value == 7; }));
}

TEST_CASE("gpu outputs: a device compares as the host does") {
  ONLY_IF(has_gpu());
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

TEST_CASE("gpu outputs: a device adds up the blocks of a large output") {
  ONLY_IF(has_gpu());
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

}  // namespace contextual::test::gpu_test::gpu_outputs_test
