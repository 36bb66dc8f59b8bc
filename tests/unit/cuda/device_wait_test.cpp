#include "contextual/cuda/timing/device_wait.hpp"

#include "contextual/cuda/timing/used_contexts.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace device_wait_test {

using namespace contextual;
using namespace contextual::cuda;
using cuda_test::ScriptedDriver;
using engine_test::error_text;

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

TEST_CASE("device wait: waits in every context, always on one thread", "[unit]") {
  ScriptedDriver gpu(3);
  std::vector<CUcontext> waited;
  int waits_of_thread = 0;
  gpu.on_synchronize = [&] {
    CUcontext context = nullptr;
    driver().cuCtxGetCurrent(&context);
    waited.push_back(context);
    thread_local int waits = 0;
    waits_of_thread = ++waits;
  };
  DeviceWaiter waiter;
  waiter.wait({gpu.context(2), gpu.context(0)}, in(long_time));
  CHECK(waited == std::vector<CUcontext>{gpu.context(2), gpu.context(0)});
  for (int i = 0; i < 10; ++i) {
    waiter.wait({gpu.context(1)}, in(long_time));
  }
  CHECK(waited.size() == 12);
  CHECK(waits_of_thread == 12);
  CHECK_FALSE(waiter.left_a_thread());
}

TEST_CASE("device wait: a failing device is told with the driver's words, and the next wait works",
          "[unit]") {
  ScriptedDriver gpu(2);
  gpu.fails = [](const std::string& function) {
    return function == "cuCtxSynchronize" ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  };
  DeviceWaiter waiter;
  CHECK_THAT(error_text<CudaError>([&] {
               waiter.wait({gpu.context(0), gpu.context(1)}, in(long_time));
             }),
             ContainsSubstring("cuCtxSynchronize") && ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY"));
  CHECK(gpu.log().count("cuCtxSynchronize") == 2);  // one that fails does not spare the others
  gpu.fails = nullptr;
  waiter.wait({gpu.context(0)}, in(long_time));
}

TEST_CASE("holds 20: device wait: gives up at the deadline, leaves its thread alone, and waits anew",
          "[unit]") {
  ScriptedDriver gpu(2);
  std::atomic<bool> stuck{true};
  std::atomic<int> inside{0};
  gpu.on_synchronize = [&] {
    CUcontext context = nullptr;
    driver().cuCtxGetCurrent(&context);
    ++inside;
    while (stuck && context == gpu.context(0)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    --inside;
  };
  {
    DeviceWaiter waiter;
    CHECK_THAT(error_text<Error>([&] { waiter.wait({gpu.context(0)}, in(std::chrono::milliseconds(20))); }),
               ContainsSubstring("did not end before the deadline"));
    CHECK(waiter.left_a_thread());
    waiter.wait({gpu.context(1)}, in(long_time));
  }  // does not wait for the thread
  CHECK(inside == 1);
  stuck = false;
  gpu.wait_until_left();
  CHECK(inside == 0);
}

TEST_CASE("used contexts: each is listed once, whichever thread adds it, and too many are an error",
          "[unit]") {
  UsedContexts contexts;
  contexts.add(nullptr);
  test::on_threads(4, [&](int) {
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

TEST_CASE("used contexts: none is none, whatever is in the list, and a full list has room for what it has",
          "[unit]") {
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

}  // namespace device_wait_test
