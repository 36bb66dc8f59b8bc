#include "unit/sync/nccl/scripted_gpu.hpp"

#include "contextual/cuda/api/driver.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

struct CUctx_st {
  int device = 0;
};
struct CUstream_st {
  std::mutex mutex;
  std::deque<nccl_test::Work> work;
};

namespace nccl_test {
namespace {

std::array<CUctx_st, ScriptedGpu::device_count> contexts;
std::atomic<int> retained_count{0};
std::mutex fails_mutex;
std::function<CUresult(const std::string&)> fails_now;

thread_local std::vector<CUcontext> current_stack{contexts.data()};

CUresult failure(const char* function) {
  const std::lock_guard lock(fails_mutex);
  return fails_now ? fails_now(function) : CUDA_SUCCESS;
}

/// Calls `body` unless the test says that the function fails.
template <typename Body>
CUresult scripted(const char* function, const Body& body) {
  const CUresult code = failure(function);
  if (code == CUDA_SUCCESS) {
    body();
  }
  return code;
}

/// What has not been freed, as memory or a stream. Never destroyed, so that what was abandoned is no leak.
struct Living {
  std::mutex mutex;
  std::map<void*, std::unique_ptr<char[]>> memory;
  std::map<CUstream, std::unique_ptr<CUstream_st>> streams;
};

Living& living_now() {
  static auto* const all = new Living;
  return *all;
}

void* allocate(std::size_t bytes) {
  auto fresh = std::make_unique<char[]>(bytes);
  void* const address = fresh.get();
  const std::lock_guard lock(living_now().mutex);
  living_now().memory.emplace(address, std::move(fresh));
  return address;
}

void release(void* memory) {
  const std::lock_guard lock(living_now().mutex);
  living_now().memory.erase(memory);
}

void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

CUresult query(CUstream stream) {
  if (const CUresult code = failure("cuStreamQuery"); code != CUDA_SUCCESS) {
    return code;
  }
  const std::lock_guard lock(stream->mutex);
  while (!stream->work.empty() && stream->work.front()()) {
    stream->work.pop_front();
  }
  return stream->work.empty() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult copy(const char* function, CUstream stream, void* to, const void* from, std::size_t bytes) {
  return scripted(function, [&] {
    enqueue(stream, [=] {
      std::memcpy(to, from, bytes);
      return true;
    });
  });
}

void set_contexts(contextual::cuda::Driver& table) {
  table.cuCtxGetCurrent = [](CUcontext* context) {
    return scripted("cuCtxGetCurrent", [&] { *context = ScriptedGpu::current(); });
  };
  table.cuCtxPushCurrent = [](CUcontext context) {
    return scripted("cuCtxPushCurrent", [&] { current_stack.push_back(context); });
  };
  table.cuCtxPopCurrent = [](CUcontext* context) {
    *context = current_stack.back();
    current_stack.pop_back();
    return CUDA_SUCCESS;
  };
  table.cuDeviceGetCount = [](int* count) {
    return scripted("cuDeviceGetCount", [&] { *count = ScriptedGpu::device_count; });
  };
  table.cuDeviceGet = [](CUdevice* device, int ordinal) {
    return scripted("cuDeviceGet", [&] { *device = ordinal; });
  };
  table.cuDevicePrimaryCtxRetain = [](CUcontext* context, CUdevice device) {
    return scripted("cuDevicePrimaryCtxRetain", [&] {
      ++retained_count;
      *context = ScriptedGpu::context(device);
    });
  };
  table.cuDevicePrimaryCtxRelease = [](CUdevice) {
    --retained_count;
    return CUDA_SUCCESS;
  };
}

void set_streams_and_memory(contextual::cuda::Driver& table) {
  table.cuStreamCreate = [](CUstream* stream, unsigned) {
    return scripted("cuStreamCreate", [&] {
      auto fresh = std::make_unique<CUstream_st>();
      *stream = fresh.get();
      const std::lock_guard lock(living_now().mutex);
      living_now().streams.emplace(*stream, std::move(fresh));
    });
  };
  table.cuStreamDestroy = [](CUstream stream) {
    const std::lock_guard lock(living_now().mutex);
    living_now().streams.erase(stream);
    return CUDA_SUCCESS;
  };
  table.cuStreamQuery = query;
  table.cuMemAlloc = [](CUdeviceptr* memory, std::size_t bytes) {
    return scripted("cuMemAlloc", [&] { *memory = reinterpret_cast<CUdeviceptr>(allocate(bytes)); });
  };
  table.cuMemFree = [](CUdeviceptr memory) {
    release(pointer(memory));
    return CUDA_SUCCESS;
  };
  table.cuMemHostAlloc = [](void** memory, std::size_t bytes, unsigned) {
    return scripted("cuMemHostAlloc", [&] { *memory = allocate(bytes); });
  };
  table.cuMemFreeHost = [](void* memory) {
    release(memory);
    return CUDA_SUCCESS;
  };
  table.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    return copy("cuMemcpyHtoDAsync", stream, pointer(to), from, bytes);
  };
  table.cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return copy("cuMemcpyDtoHAsync", stream, to, pointer(from), bytes);
  };
}

contextual::cuda::Driver make_table() {
  for (int device = 0; device < ScriptedGpu::device_count; ++device) {
    contexts[static_cast<std::size_t>(device)].device = device;
  }
  contextual::cuda::Driver table;
  set_contexts(table);
  set_streams_and_memory(table);
  table.cuGetErrorName = [](CUresult code, const char** name) {
    *name = code == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OUT_OF_MEMORY";
    return CUDA_SUCCESS;
  };
  table.cuGetErrorString = [](CUresult, const char** text) {
    *text = "scripted";
    return CUDA_SUCCESS;
  };
  return table;
}

}  // namespace

void enqueue(CUstream stream, Work work) {
  const std::lock_guard lock(stream->mutex);
  stream->work.push_back(std::move(work));
}

ScriptedGpu::ScriptedGpu() {
  static const auto* const table = new contextual::cuda::Driver(make_table());
  // In place, and never destroyed.
  alignas(contextual::cuda::DriverReplacement) static std::byte
      place[sizeof(contextual::cuda::DriverReplacement)];
  static const auto* const replaced = new (place) contextual::cuda::DriverReplacement(*table);
  static_cast<void>(replaced);
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
  return context == nullptr ? -1 : context->device;
}

CUcontext ScriptedGpu::context(int device) {
  return &contexts.at(static_cast<std::size_t>(device));
}

void ScriptedGpu::set_current(CUcontext context) {
  current_stack = {context};
}

CUcontext ScriptedGpu::current() {
  return current_stack.empty() ? nullptr : current_stack.back();
}

int ScriptedGpu::living() {
  const std::lock_guard lock(living_now().mutex);
  return static_cast<int>(living_now().memory.size() + living_now().streams.size());
}

int ScriptedGpu::retained() {
  return retained_count.load();
}

}  // namespace nccl_test
