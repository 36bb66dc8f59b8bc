#include "contextual/cuda/timing/calibration.hpp"

#include "contextual/cuda/timing/spin_kernel.hpp"
#include "support/catch.hpp"
#include "unit/cuda/scripted_driver.hpp"

#include <limits>

namespace contextual::cuda::calibration_test {

namespace {

std::vector<TimedSpin> spins(const std::vector<std::int64_t>& biases_ns) {
  std::vector<TimedSpin> made;
  for (const std::int64_t bias : biases_ns) {
    made.push_back({5000 + bias, 5000});
  }
  return made;
}

/// The calibration's kernel takes a while longer than its own clock says.
struct CalibratedGpu : test::cuda_test::ScriptedDriver {
  CalibratedGpu() {
    duration_ns = [this](const test::cuda_test::Launch& launch) {
      auto* const times = *static_cast<std::uint64_t**>(launch.arguments[0]);
      const std::uint64_t length_ns = *static_cast<std::uint64_t*>(launch.arguments[1]);
      times[0] = 1000;
      times[1] = 1000 + length_ns;
      ++launches;
      return static_cast<std::int64_t>(length_ns) + event_cost_ns;
    };
  }
  void check_empty() const {
    CHECK(living_allocations() == 0);
    CHECK(living_streams() == 0);
    CHECK(living_events() == 0);
  }

  std::int64_t event_cost_ns = 700;
  int launches = 0;
};

}  // namespace

TEST_CASE("bias: the median of what was measured too long") {
  CHECK(bias_of(spins({690, 700, 710, 705, 695})) == 700);
  CHECK(bias_of(spins({-300, -310, -290, -300, -300})) == -300);
}

TEST_CASE("bias: outliers and kernels without a time do not count") {
  std::vector<TimedSpin> some = spins({690, 695, 700, 705, 710, 90000, 80000, 70000});
  CHECK(bias_of(some) == 700);
  some.push_back({0, 5000});
  some.push_back({5700, 0});
  CHECK(bias_of(some) == 700);
}

TEST_CASE("bias: the steps of a coarse clock are no outliers") {
  CHECK(bias_of(spins({1000, 1000, 1000, 1000, 1000, 0, 0, 0, 1000, 0, 0})) == 1000);
}

TEST_CASE("bias: too few kernels give none") {
  CHECK_FALSE(bias_of({}));
  CHECK_FALSE(bias_of(spins({700, 700, 700, 700})));
}

TEST_CASE("calibration: an event pair's bias is found once a context, and leaves nothing behind") {
  CalibratedGpu gpu;
  CHECK(event_bias_ns() == 700);
  const int launches = gpu.launches;
  CHECK(launches > 5);
  gpu.check_empty();
  gpu.event_cost_ns = 5;
  CHECK(event_bias_ns() == 700);
  CHECK(gpu.launches == launches);
}

TEST_CASE("calibration: without a context or memory there is no bias, and nothing is left behind") {
  CalibratedGpu gpu;
  gpu.fails = [](const std::string& function) {
    return function == "cuMemAlloc" ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  };
  CHECK_FALSE(event_bias_ns());
  gpu.check_empty();
  gpu.set_current(nullptr);
  CHECK_FALSE(event_bias_ns());
}

TEST_CASE(
    "holds 20: calibration: a device that is occupied is not waited for without bound, and its memory not "
    "freed") {
  CalibratedGpu gpu;
  gpu.busy_queries = std::numeric_limits<int>::max();
  CHECK_FALSE(event_bias_ns());
  CHECK(gpu.living_allocations() == 1);
  CHECK(gpu.living_streams() == 1);
}

}  // namespace contextual::cuda::calibration_test
