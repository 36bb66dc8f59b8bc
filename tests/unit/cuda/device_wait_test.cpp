#include "contextual/cuda/timing/device_wait.hpp"

#include "contextual/cuda/timing/used_contexts.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"
#include "unit/cuda/tuning_support.hpp"

namespace contextual::test::cuda_test::device_wait_test {

using namespace cuda;

namespace {

Deadline in(std::chrono::milliseconds time) {
  return Deadline::after(time);
}

constexpr std::chrono::milliseconds long_time{60'000};

/// One that is never used.
CUcontext numbered_context(std::size_t number) {
  return reinterpret_cast<CUcontext>(number);
}

}  // namespace

TEST_CASE("device wait: asks events of every context until they are over, and synchronizes none") {
  ScriptedDriver gpu(3);
  std::vector<CUcontext> asked;
  gpu.is_busy = [&](CUcontext context) {
    asked.push_back(context);
    return asked.size() < 50;
  };
  DeviceWaiter waiter;
  waiter.wait({gpu.context(2), gpu.context(0)}, {}, in(long_time));
  CHECK(asked.size() == 51);
  CHECK(std::set<CUcontext>(asked.begin(), asked.end()) ==
        std::set<CUcontext>{gpu.context(2), gpu.context(0)});
  CHECK_FALSE(waiter.gave_up());
}

TEST_CASE("device wait: a failing device is told with the driver's words, and the next wait works") {
  ScriptedDriver gpu(2);
  gpu.fails = [](const std::string& function) {
    return function == "cuEventQuery" ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  };
  DeviceWaiter waiter;
  CHECK_THAT(error_text<CudaError>([&] {
               waiter.wait({gpu.context(0), gpu.context(1)}, {}, in(long_time));
             }),
             ContainsSubstring("cuEventQuery") && ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY"));
  gpu.fails = nullptr;
  waiter.wait({gpu.context(0)}, {}, in(long_time));
}

TEST_CASE("holds 20: device wait: gives up at the deadline, and waits anew") {
  ScriptedDriver gpu(2);
  gpu.is_busy = [&](CUcontext context) { return context == gpu.context(0); };
  DeviceWaiter waiter;
  CHECK_THAT(error_text<Error>([&] { waiter.wait({gpu.context(0)}, {}, in(std::chrono::milliseconds(20))); }),
             ContainsSubstring("did not end before the deadline"));
  CHECK(waiter.gave_up());
  waiter.wait({gpu.context(1)}, {}, in(long_time));
}

TEST_CASE(
    "device wait: by streams nothing is recorded on one that is captured, nor on a default stream that a "
    "capture blocks") {
  ScriptedDriver gpu;
  CUstream idle = gpu.make_stream();
  CUstream captured = gpu.make_stream();
  gpu.begin_capture(captured);
  const bool blocked = GENERATE(false, true);
  gpu.default_stream_blocked = blocked;
  const CUcontext context = gpu.context();
  DeviceWaiter waiter;
  waiter.wait_for_streams({{context, idle}, {context, captured}, {context, nullptr}}, in(long_time));
  CHECK(gpu.log().count("cuEventRecord") == (blocked ? 1 : 2));
  CHECK(gpu.log().count("cuCtxRecordEvent") == 0);
  CHECK(gpu.capturing.contains(captured));
}

TEST_CASE("device wait: where a context cannot be waited for, its streams are") {
  ScriptedDriver gpu;
  CUstream stream = gpu.make_stream();
  SECTION("an older driver") {
    gpu.lose_context_events();
  }
  SECTION("a capture blocks the default stream") {
    gpu.default_stream_blocked = true;
  }
  SECTION("the driver refuses, since a stream is capturing") {
    gpu.begin_capture(gpu.make_stream());
  }
  DeviceWaiter waiter;
  waiter.wait(
      {gpu.context()},
      [&] {
        return std::vector{DeviceWaiter::Stream{gpu.context(), stream}};
      },
      in(long_time));
  CHECK(gpu.log().count("cuEventRecord") == 1);
}

TEST_CASE("used contexts: each is listed once, whichever thread adds it, and too many are an error") {
  UsedContexts contexts;
  contexts.add(nullptr);
  on_threads(4, [&](int) {
    for (std::size_t i = 1; i <= UsedContexts::capacity; ++i) {
      contexts.add(numbered_context(i));
    }
  });
  const std::vector<CUcontext> all = contexts.all();
  CHECK(all.size() == UsedContexts::capacity);
  CHECK(std::set<CUcontext>(all.begin(), all.end()).size() == UsedContexts::capacity);
  contexts.add(numbered_context(UsedContexts::capacity + 1));
  CHECK_THROWS_AS(contexts.all(), Error);
  contexts.clear();
  CHECK(contexts.all().empty());
}

TEST_CASE("used contexts: none is none, whatever is in the list, and a full list has room for what it has") {
  UsedContexts contexts;
  contexts.add(numbered_context(1));
  contexts.add(nullptr);
  CHECK(contexts.all() == std::vector<CUcontext>{numbered_context(1)});
  for (std::size_t i = 2; i <= UsedContexts::capacity; ++i) {
    contexts.add(numbered_context(i));
  }
  contexts.add(nullptr);
  contexts.add(numbered_context(UsedContexts::capacity));
  CHECK(contexts.all().size() == UsedContexts::capacity);
}

}  // namespace contextual::test::cuda_test::device_wait_test
