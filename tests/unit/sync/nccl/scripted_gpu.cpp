#include "unit/sync/nccl/scripted_gpu.hpp"

#include "unit/cuda/scripted_driver.hpp"

namespace contextual::test::nccl_test {
namespace {

std::mutex fails_mutex;
std::function<CUresult(const std::string&)> fails_now;

/// Never destroyed.
cuda_test::ScriptedDriver& the_driver() {
  static auto* const driver = [] {
    auto* const made = new cuda_test::ScriptedDriver(ScriptedGpu::device_count);
    made->fails = [](const std::string& function) {
      const std::lock_guard lock(fails_mutex);
      return fails_now ? fails_now(function) : CUDA_SUCCESS;
    };
    return made;
  }();
  return *driver;
}

}  // namespace

void enqueue(CUstream stream, Work work) {
  the_driver().enqueue(stream, std::move(work));
}

ScriptedGpu::ScriptedGpu() {
  fail(nullptr);
  set_current(context(0));
}

ScriptedGpu::~ScriptedGpu() {
  fail(nullptr);
  set_current(context(0));
}

void ScriptedGpu::fail(std::function<CUresult(const std::string& function)> fails) {
  const std::lock_guard lock(fails_mutex);
  fails_now = std::move(fails);
}

int ScriptedGpu::device_of(CUcontext context) {
  int device = device_count - 1;
  while (device >= 0 && ScriptedGpu::context(device) != context) {
    --device;
  }
  return device;
}

CUcontext ScriptedGpu::context(int device) {
  return the_driver().context(device);
}

void ScriptedGpu::set_current(CUcontext context) {
  the_driver().set_current(context);
}

CUcontext ScriptedGpu::current() {
  CUcontext context = nullptr;
  cuda::driver().cuCtxGetCurrent(&context);
  return context;
}

int ScriptedGpu::living() {
  return static_cast<int>(the_driver().living_allocations() + the_driver().living_streams());
}

int ScriptedGpu::retained() {
  return static_cast<int>(the_driver().log().count("cuDevicePrimaryCtxRetain")) -
         static_cast<int>(the_driver().log().count("cuDevicePrimaryCtxRelease"));
}

}  // namespace contextual::test::nccl_test
