#include "contextual/cuda/timing/calibration.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/timing/spin_kernel.hpp"
#include "support/catch.hpp"

#include <cstring>

namespace calibration_test {

using namespace contextual;
using namespace contextual::cuda;

namespace {

std::vector<TimedSpin> spins(const std::vector<std::int64_t>& biases_ns) {
  std::vector<TimedSpin> made;
  for (const std::int64_t bias : biases_ns) {
    made.push_back({5000 + bias, 5000});
  }
  return made;
}

/// A device that runs the calibration's kernel in order, at once, on a clock of its own. Each context is a
/// new one, because the answer is remembered for a context.
struct ScriptedDevice {
  static inline std::uint64_t now_ns = 0;
  static inline std::uint64_t event_cost_ns = 0;
  static inline std::uintptr_t context = 0x1000;
  static inline std::uint64_t memory[64] = {};
  static inline int allocations = 0;
  static inline int streams = 0;
  static inline int events = 0;
  static inline int launches = 0;
  static inline CUresult allocating = CUDA_SUCCESS;
  static inline CUresult stream_state = CUDA_SUCCESS;
  static inline std::uint64_t recorded[64] = {};

  static Driver table() {
    context += 0x10;
    now_ns = 1000;
    event_cost_ns = 700;
    allocations = streams = events = launches = 0;
    allocating = stream_state = CUDA_SUCCESS;
    Driver api;
    add_context(api);
    add_events(api);
    return api;
  }

  static void add_context(Driver& api) {
    api.cuGetErrorName = [](CUresult, const char** text) { return *text = "SCRIPTED", CUDA_SUCCESS; };
    api.cuGetErrorString = [](CUresult, const char** text) { return *text = "scripted", CUDA_SUCCESS; };
    api.cuCtxGetCurrent = [](CUcontext* current) {
      return *current = reinterpret_cast<CUcontext>(context), CUDA_SUCCESS;
    };
    api.cuModuleLoadData = [](CUmodule*, const void*) { return CUDA_SUCCESS; };
    api.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char*) {
      return *function = reinterpret_cast<CUfunction>(context), CUDA_SUCCESS;
    };
    api.cuFuncLoad = [](CUfunction) { return CUDA_SUCCESS; };
    api.cuStreamCreate = [](CUstream*, unsigned) { return ++streams, CUDA_SUCCESS; };
    api.cuStreamDestroy = [](CUstream) { return --streams, CUDA_SUCCESS; };
    api.cuStreamQuery = [](CUstream) { return stream_state; };
    api.cuMemAlloc = [](CUdeviceptr* place, std::size_t) {
      *place = reinterpret_cast<CUdeviceptr>(memory);
      allocations += allocating == CUDA_SUCCESS ? 1 : 0;
      return allocating;
    };
    api.cuMemFree = [](CUdeviceptr) { return --allocations, CUDA_SUCCESS; };
    api.cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
      std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
      return CUDA_SUCCESS;
    };
    api.cuLaunchKernelEx = [](const CUlaunchConfig*, CUfunction, void** parameters, void**) {
      auto* const times = *static_cast<std::uint64_t**>(parameters[0]);
      times[0] = now_ns;
      times[1] = now_ns += *static_cast<std::uint64_t*>(parameters[1]);
      return ++launches, CUDA_SUCCESS;
    };
  }

  static void add_events(Driver& api) {
    api.cuEventCreate = [](CUevent* event, unsigned) {
      *event = reinterpret_cast<CUevent>(&recorded[events++]);
      return CUDA_SUCCESS;
    };
    api.cuEventDestroy = [](CUevent) { return --events, CUDA_SUCCESS; };
    api.cuEventRecord = [](CUevent event, CUstream) {
      *reinterpret_cast<std::uint64_t*>(event) = now_ns;
      now_ns += event_cost_ns;
      return CUDA_SUCCESS;
    };
    api.cuEventElapsedTime = [](float* ms, CUevent begin, CUevent end) {
      const std::uint64_t elapsed_ns =
          *reinterpret_cast<std::uint64_t*>(end) - *reinterpret_cast<std::uint64_t*>(begin);
      return *ms = static_cast<float>(static_cast<double>(elapsed_ns) / 1e6), CUDA_SUCCESS;
    };
  }
};

}  // namespace

TEST_CASE("bias: the median of what was measured too long", "[unit]") {
  CHECK(bias_of(spins({690, 700, 710, 705, 695})) == 700);
  CHECK(bias_of(spins({-300, -310, -290, -300, -300})) == -300);
}

TEST_CASE("bias: outliers and kernels without a time do not count", "[unit]") {
  std::vector<TimedSpin> some = spins({690, 695, 700, 705, 710, 90000, 80000, 70000});
  CHECK(bias_of(some) == 700);
  some.push_back({0, 5000});
  some.push_back({5700, 0});
  CHECK(bias_of(some) == 700);
}

TEST_CASE("bias: the steps of a coarse clock are no outliers", "[unit]") {
  CHECK(bias_of(spins({1000, 1000, 1000, 1000, 1000, 0, 0, 0, 1000, 0, 0})) == 1000);
}

TEST_CASE("bias: too few kernels give none", "[unit]") {
  CHECK_FALSE(bias_of({}));
  CHECK_FALSE(bias_of(spins({700, 700, 700, 700})));
}

TEST_CASE("calibration: an event pair's bias is found once a context, and leaves nothing behind", "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  CHECK(event_bias_ns() == 700);
  const int launches = ScriptedDevice::launches;
  CHECK(launches > 5);
  CHECK(ScriptedDevice::allocations == 0);
  CHECK(ScriptedDevice::streams == 0);
  CHECK(ScriptedDevice::events == 0);
  ScriptedDevice::event_cost_ns = 5;
  CHECK(event_bias_ns() == 700);
  CHECK(ScriptedDevice::launches == launches);
}

TEST_CASE("calibration: without a context or memory there is no bias, and nothing is left behind", "[unit]") {
  Driver api = ScriptedDevice::table();
  ScriptedDevice::allocating = CUDA_ERROR_OUT_OF_MEMORY;
  {
    const DriverReplacement replaced(api);
    CHECK_FALSE(event_bias_ns());
    CHECK(ScriptedDevice::streams == 0);
  }
  api.cuCtxGetCurrent = [](CUcontext* current) { return *current = nullptr, CUDA_SUCCESS; };
  const DriverReplacement replaced(api);
  CHECK_FALSE(event_bias_ns());
}

TEST_CASE(
    "holds 20: calibration: a device that is occupied is not waited for without bound, and its memory not "
    "freed",
    "[unit]") {
  const Driver api = ScriptedDevice::table();
  const DriverReplacement replaced(api);
  ScriptedDevice::stream_state = CUDA_ERROR_NOT_READY;
  CHECK_FALSE(event_bias_ns());
  CHECK(ScriptedDevice::allocations == 1);
  CHECK(ScriptedDevice::streams == 1);
}

}  // namespace calibration_test
