/// \file
/// What a device was like reaches the choice: a scripted GPU with a scripted NVML, tuned by the engine.

#include "support/catch.hpp"
#include "unit/cuda/scripted_nvml.hpp"
#include "unit/cuda/tuning_support.hpp"

namespace contextual::cuda::device_conditions_test {

using namespace test::cuda_test;

namespace {

/// Every reading of what slows the device down takes the next one; the last one stays.
std::vector<unsigned long long> script;
std::size_t next_in_script = 0;

struct MonitoredGpu : ScriptedGpu {
  explicit MonitoredGpu(std::vector<unsigned long long> reasons) : nvml_table(ScriptedNvml::table()) {
    script = std::move(reasons);
    next_in_script = 0;
    ScriptedNvml::bus_id = "0000:00:00.0";
    nvml_table.nvmlDeviceGetCurrentClocksEventReasons = [](NvmlDevice, unsigned long long* bits) {
      *bits = script[std::min(next_in_script++, script.size() - 1)];
      return nvml_success;
    };
  }
  Nvml nvml_table;
  NvmlReplacement nvml_replaced{nvml_table};
  ScriptedTime time;  // a reading that is interrupted would cost so much that the next one is left out
};

/// Three samples of each config, none of them three times as long as it should be, none rejected. Events add
/// some us.
void check_samples(const ProblemReport& problem) {
  for (const ConfigReport& config : problem.configs) {
    CHECK_FALSE(config.rejection);
    CHECK(config.time.count == 3);
    const auto block = static_cast<unsigned>(config.config.get<int>("BLOCK"));
    CHECK(config.time.centre_ns == Approx(ScriptedGpu::duration_of(block)).margin(5000));
  }
}

TimerFactory timer() {
  return GENERATE(as<TimerFactory>{}, cuda_cupti_timer, cuda_event_timer);
}

}  // namespace

TEST_CASE("device conditions: a batch under a slowdown is taken again, no config is rejected for it") {
  MonitoredGpu gpu({0, 0, clock_reason::hardware_thermal, 0});
  gpu.driver.duration_ns = [](const Launch& launch) {
    const bool slow = script[std::min(next_in_script, script.size() - 1)] != 0;
    return ScriptedGpu::duration_of(launch.block) * (slow ? 3 : 1);
  };
  Block block("slow_once");
  const RegionReport report = tuned(timer(), "slow_once", [&] { block(gpu.stream, 1); });
  check_samples(test::of_kernel(report, "slow_once"));
  CHECK(report.retakes == 3);
}

TEST_CASE("device conditions: a device that never settles ends the run with a warning and no rejection") {
  std::vector<unsigned long long> on_and_off;
  for (int i = 0; i < 200; ++i) {
    on_and_off.push_back(i % 2 == 0 ? 0 : clock_reason::power_brake);
  }
  const MonitoredGpu gpu(on_and_off);
  CUstream stream = ScriptedDriver::it().make_stream();
  std::vector<int> sizes;
  for (int warps = 1; warps <= 12; ++warps) {  // enough batches to reach the bound of those taken again
    sizes.push_back(32 * warps);
  }
  Block block("never_settles", sizes);
  const RegionReport report = tuned(timer(), "never_settles", [&] { block(stream, 1); });
  check_samples(test::of_kernel(report, "never_settles"));
  CHECK(report.retakes > 0);
  const auto kept = std::count_if(
      report.warnings.begin(), report.warnings.end(),
      [](const std::string& warning) { return warning.find("its times are kept") != std::string::npos; });
  CHECK(kept == 1);
}

TEST_CASE("device conditions: a timer tells them of the batch that it settled last") {
  MonitoredGpu gpu({clock_reason::power_cap});
  const std::unique_ptr<Timer> made = timer()();
  IterationNote note;
  made->begin_iteration(0, note);
  made->end_iteration(0, note);
  std::vector<IterationTiming> iterations{{note, 0, 0}};
  made->settle({}, iterations, Deadline::after(std::chrono::seconds(5)));
  const BatchConditions conditions = made->conditions();
  REQUIRE(conditions.devices.size() == 1);
  CHECK(conditions.devices[0].slowed_by == "power cap");
  CHECK(conditions.disturbance.empty());
  CHECK(conditions.warnings.size() == 1);
}

}  // namespace contextual::cuda::device_conditions_test
