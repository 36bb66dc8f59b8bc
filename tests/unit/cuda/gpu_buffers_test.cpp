#include "support/catch.hpp"
#include "support/stderr_capture.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/measure/device_buffers.hpp>
#include <contextual/detail/sync/ongoing_run.hpp>

namespace contextual::test::cuda_test::gpu_buffers_test {

namespace {

constexpr int count = 16;

/// Memory of the scripted device.
struct DeviceInts {
  DeviceInts() {
    CUdeviceptr memory = 0;
    cuda::driver().cuMemAlloc(&memory, count * sizeof(int));
    data = reinterpret_cast<int*>(memory);
  }
  ~DeviceInts() { cuda::driver().cuMemFree(reinterpret_cast<CUdeviceptr>(data)); }
  int* data = nullptr;
};

}  // namespace

// One test case, because the library keeps a stream and events for each context as long as the process lives.
TEST_CASE("gpu buffers: a tuning run fills, compares and restores them in the order of the device's work") {
  CHECK(detail::device_buffers() != nullptr);  // a run with kept choices makes no timer before it copies
  ScriptedGpu gpu;
  Block kernel("restored_on_device");
  DeviceInts state;
  DeviceInts out;
  std::memset(state.data, 0, count * sizeof(int));
  state.data[3] = 7;
  bool filled = false;
  int compared = 0;
  gpu.driver.launch_result = [&](const Launch& launch) {
    if (launch.function == "contextual_compare") {  // takes the kernel's place: nothing differs
      ++compared;
    }
    return CUDA_SUCCESS;
  };
  Options options = options_with(cuda_event_timer);
  options.outputs = std::vector{output("out", out.data, count)};
  options.restore = std::vector{restored("state", state.data, count)};
  options.before_iteration = [&](const IterationInfo&) {
    CHECK(state.data[3] == 7);
    filled = filled || out.data[0] == -1;
  };
  const auto region = [&] {
    kernel(gpu.stream, 1);
    ++state.data[3];
    std::memset(out.data, 1, count * sizeof(int));
  };
  const RegionReport report = tuned(options, "restored on device", region);
  CHECK(filled);
  CHECK(compared == 4);  // the defaults once more, the two other configs, and the final run
  CHECK(state.data[3] == 8);

  gpu.driver.lose_context_events();  // then by waiting
  state.data[3] = 7;
  tuned(options, "restored by waiting", region);
  CHECK(state.data[3] == 8);

  const detail::DeviceBuffers* const buffers = detail::device_of(state.data);
  REQUIRE(buffers != nullptr);
  int of_host = 0;
  CHECK(detail::device_of(&of_host) == nullptr);
  CHECK(detail::device_of(state.data + count) == nullptr);
  CHECK(detail::device_of(buffers->memory_to_compare(state.data, 8).get()) != nullptr);
  gpu.driver.free_bytes = 63;  // more than an eighth
  CHECK(detail::device_of(buffers->memory_to_compare(state.data, 8).get()) == nullptr);
  gpu.driver.fails = [](const std::string& function) {
    return function == "cuMemAlloc" ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  };
  CHECK_THROWS_AS(buffers->memory_beside(state.data, 8), CudaError);
  gpu.driver.free_bytes = 64;
  CHECK(detail::device_of(buffers->memory_to_compare(state.data, 8).get()) == nullptr);
}

TEST_CASE("gpu buffers: beside a thread that captures none of its captures ends") {
  const bool cupti = GENERATE(true, false);
  ScriptedGpu gpu;
  const StderrCapture capture;
  Block kernel("restored_beside_captures");
  DeviceInts state;
  DeviceInts out;
  state.data[3] = 7;
  CUstream captured = gpu.driver.make_stream();
  int captures = 0;
  Options options = options_with(cupti ? cuda_cupti_timer : cuda_event_timer);
  options.outputs = std::vector{output("out", out.data, count)};
  options.restore = std::vector{restored("state", state.data, count)};
  options.before_iteration = [&](const IterationInfo&) { CHECK(state.data[3] == 7); };
  tuned(options, "restored beside captures", [&] {
    if (!gpu.driver.capturing.contains(captured)) {
      std::thread([&] { gpu.driver.begin_capture(captured); }).join();
      ++captures;
    }
    kernel(gpu.stream, 1);
    ++state.data[3];
    std::memset(out.data, 1, count * sizeof(int));
  });
  CHECK(state.data[3] == 8);
  // Without CUPTI the first one tells of the thread.
  CHECK(captures == (cupti ? 1 : 2));
  CHECK(gpu.driver.capturing.contains(captured));
}

TEST_CASE("holds 20: gpu buffers: what they wait for has the deadline of the run") {
  ScriptedGpu gpu;
  const detail::OngoingRun run({std::chrono::milliseconds(20), std::chrono::milliseconds(0)});
  DeviceInts ints;
  const detail::DeviceBuffers& buffers = *detail::device_of(ints.data);
  gpu.driver.is_busy = [](CUcontext) { return true; };
  CHECK_THROWS_AS(buffers.wait(), Error);
  CHECK_THROWS_AS(buffers.fill(ints.data, 0, 8), Error);
  CHECK_THROWS_AS(buffers.copy(ints.data, ints.data + 8, 8), Error);
}

}  // namespace contextual::test::cuda_test::gpu_buffers_test
