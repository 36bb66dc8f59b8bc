#include "unit/cuda/scripted_driver_parts.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace contextual::test::cuda_test {
namespace {

ScriptedDriver& it() {
  return ScriptedDriver::it();
}
ScriptedDriver::Impl& impl() {
  return it().impl();
}

/// A body without a result succeeds.
template <typename Body>
CUresult watched(const char* name, CUpti_driver_api_trace_cbid id, const Body& body) {
  return it().call(name, id, [&]() -> CUresult {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return CUDA_SUCCESS;
    } else {
      return body();
    }
  });
}

template <typename Body>
CUresult quietly(const char* name, const Body& body) {
  return watched(name, CUPTI_DRIVER_TRACE_CBID_INVALID, body);
}

template <typename Map>
auto* add_to(Map& map) {
  auto fresh = std::make_unique<typename Map::mapped_type::element_type>();
  auto* const handle = fresh.get();
  map.emplace(handle, std::move(fresh));
  return handle;
}

template <typename Map, typename Handle>
CUresult remove_from(Map& map, Handle handle) {
  const std::lock_guard lock(impl().mutex);
  return map.erase(handle) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

const char* name_of(CUresult code) {
  switch (code) {
    case CUDA_ERROR_INVALID_VALUE:
      return "CUDA_ERROR_INVALID_VALUE";
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case CUDA_ERROR_INVALID_HANDLE:
      return "CUDA_ERROR_INVALID_HANDLE";
    default:
      return "CUDA_ERROR_UNKNOWN";
  }
}

void add_devices(cuda::Driver& api) {
  api.cuInit = [](unsigned) { return quietly("cuInit", [&] {}); };
  api.cuDriverGetVersion = [](int* version) {
    return watched("cuDriverGetVersion", CUPTI_DRIVER_TRACE_CBID_cuDriverGetVersion,
                   [&] { *version = 13000; });
  };
  api.cuGetErrorName = [](CUresult code, const char** text) { return *text = name_of(code), CUDA_SUCCESS; };
  api.cuGetErrorString = [](CUresult, const char** text) { return *text = "scripted", CUDA_SUCCESS; };
  api.cuDeviceGetCount = [](int* count) {
    return quietly("cuDeviceGetCount", [&] { *count = static_cast<int>(impl().contexts.size()); });
  };
  api.cuDeviceGetName = [](char* name, int length, CUdevice) {
    return quietly("cuDeviceGetName", [&] {
      std::snprintf(name, static_cast<std::size_t>(length), "%s", it().device_name.c_str());
    });
  };
  api.cuDeviceGet = [](CUdevice* device, int ordinal) {
    return quietly("cuDeviceGet", [&] { *device = ordinal; });
  };
  api.cuDeviceGetPCIBusId = [](char* id, int length, CUdevice device) {
    return quietly("cuDeviceGetPCIBusId",
                   [&] { std::snprintf(id, static_cast<std::size_t>(length), "0000:%02x:00.0", device); });
  };
  api.cuDeviceGetP2PAttribute = [](int* value, CUdevice_P2PAttribute, CUdevice, CUdevice) {
    return quietly("cuDeviceGetP2PAttribute", [&] { *value = 1; });
  };
  api.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice) {
    return quietly("cuDeviceGetAttribute", [&] {
      const std::lock_guard lock(impl().mutex);
      *value = it().device_attributes[which];
    });
  };
}

void add_contexts(cuda::Driver& api) {
  api.cuDevicePrimaryCtxRetain = [](CUcontext* context, CUdevice device) {
    return quietly("cuDevicePrimaryCtxRetain", [&] { *context = it().context(device); });
  };
  api.cuDevicePrimaryCtxRelease = [](CUdevice) { return quietly("cuDevicePrimaryCtxRelease", [&] {}); };
  api.cuDevicePrimaryCtxGetState = [](CUdevice, unsigned* flags, int* active) {
    return quietly("cuDevicePrimaryCtxGetState", [&] {
      *flags = 0;
      *active = 1;
    });
  };
  api.cuCtxGetCurrent = [](CUcontext* context) {
    return quietly("cuCtxGetCurrent", [&] { *context = impl().current(); });
  };
  api.cuCtxGetDevice = [](CUdevice* device) {
    return quietly("cuCtxGetDevice", [&]() -> CUresult {
      if (impl().current() == nullptr) {
        return CUDA_ERROR_INVALID_CONTEXT;
      }
      *device = impl().current()->device;
      return CUDA_SUCCESS;
    });
  };
  api.cuCtxGetLimit = [](std::size_t* bytes, CUlimit which) {
    return quietly("cuCtxGetLimit", [&]() -> CUresult {
      const std::lock_guard lock(impl().mutex);
      const auto found = it().stack_limits.find(impl().current());
      *bytes = found == it().stack_limits.end() ? 1024 : found->second;
      return which == CU_LIMIT_STACK_SIZE ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
    });
  };
  api.cuCtxSetLimit = [](CUlimit which, std::size_t bytes) {
    return quietly("cuCtxSetLimit", [&]() -> CUresult {
      const std::lock_guard lock(impl().mutex);
      it().stack_limits[impl().current()] = bytes;
      return which == CU_LIMIT_STACK_SIZE ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
    });
  };
  api.cuCtxPushCurrent = [](CUcontext context) {
    return quietly("cuCtxPushCurrent", [&] {
      impl().stack().push_back(context);
      ++impl().pushed;
    });
  };
  api.cuCtxPopCurrent = [](CUcontext* context) {
    return quietly("cuCtxPopCurrent", [&] {
      *context = impl().current();
      impl().stack().pop_back();
      --impl().pushed;
    });
  };
}

void add_streams(cuda::Driver& api) {
  api.cuStreamCreate = [](CUstream* stream, unsigned) {
    return quietly("cuStreamCreate", [&] {
      const std::lock_guard lock(impl().mutex);
      *stream = add_to(impl().streams);
      (*stream)->context = impl().current();
    });
  };
  api.cuStreamDestroy = [](CUstream stream) {
    return quietly("cuStreamDestroy", [&]() -> CUresult { return remove_from(impl().streams, stream); });
  };
  api.cuStreamGetCtx = [](CUstream stream, CUcontext* context) {
    return quietly("cuStreamGetCtx", [&]() -> CUresult {
      const std::lock_guard lock(impl().mutex);
      *context = stream->context;
      return it().destroyed.contains(stream) ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
    });
  };
  api.cuStreamQuery = [](CUstream stream) {
    return quietly("cuStreamQuery", [&]() -> CUresult {
      const bool busy = it().busy_queries.fetch_sub(1) > 0 || !it().run_queue(stream);
      return busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
    });
  };
  api.cuStreamIsCapturing = [](CUstream stream, CUstreamCaptureStatus* status) {
    return quietly("cuStreamIsCapturing", [&]() -> CUresult {
      if (stream == nullptr && it().default_stream_blocked) {
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
      }
      *status =
          it().capturing.contains(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
      return CUDA_SUCCESS;
    });
  };
  api.cuEventCreate = [](CUevent* event, unsigned) {
    return quietly("cuEventCreate", [&] {
      const std::lock_guard lock(impl().mutex);
      *event = add_to(impl().events);
      (*event)->context = impl().current();
    });
  };
  api.cuEventDestroy = [](CUevent event) {
    return quietly("cuEventDestroy", [&]() -> CUresult { return remove_from(impl().events, event); });
  };
  api.cuEventRecord = [](CUevent event, CUstream stream) {
    return quietly("cuEventRecord", [&]() -> CUresult {
      const std::lock_guard lock(impl().mutex);
      CUstream on = impl().stream_of(stream);
      if (on->context != event->context) {
        return CUDA_ERROR_INVALID_HANDLE;
      }
      event->time_ns = impl().idle_from_ns(on);
      return CUDA_SUCCESS;
    });
  };
  api.cuEventQuery = [](CUevent event) {
    return quietly("cuEventQuery", [&]() -> CUresult {
      if (it().is_busy && it().is_busy(event->context)) {
        return CUDA_ERROR_NOT_READY;
      }
      it().finish_all();
      return CUDA_SUCCESS;
    });
  };
  api.cuThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode* mode) {
    thread_local CUstreamCaptureMode of_thread = CU_STREAM_CAPTURE_MODE_GLOBAL;
    return quietly("cuThreadExchangeStreamCaptureMode", [&] { std::swap(*mode, of_thread); });
  };
  api.cuStreamWaitEvent = [](CUstream stream, CUevent event, unsigned) {
    return quietly("cuStreamWaitEvent", [&] {
      const std::lock_guard lock(impl().mutex);
      CUstream on = impl().stream_of(stream);
      on->busy_until_ns = std::max(on->busy_until_ns, event->time_ns);
    });
  };
  api.cuEventElapsedTime = [](float* elapsed_ms, CUevent begin, CUevent end) {
    return quietly("cuEventElapsedTime", [&]() -> CUresult {
      if (begin->time_ns == 0 || end->time_ns == 0) {
        return CUDA_ERROR_INVALID_HANDLE;
      }
      *elapsed_ms = static_cast<float>(static_cast<double>(end->time_ns - begin->time_ns) / 1e6);
      return CUDA_SUCCESS;
    });
  };
}

/// As the real driver, it ends the captures of the context.
bool invalidates_captures(CUcontext context) {
  return std::erase_if(it().capturing, [&](CUstream stream) { return stream->context == context; }) > 0;
}

void add_context_events(cuda::Driver& api) {
  api.cuCtxRecordEvent = [](CUcontext context, CUevent event) {
    return quietly("cuCtxRecordEvent", [&]() -> CUresult {
      const std::lock_guard lock(impl().mutex);
      if (invalidates_captures(context)) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
      }
      if (event->context != context) {
        return CUDA_ERROR_INVALID_HANDLE;
      }
      for (CUstream stream : impl().streams_of(context)) {
        event->time_ns = std::max(event->time_ns, impl().idle_from_ns(stream));
      }
      return CUDA_SUCCESS;
    });
  };
  api.cuCtxWaitEvent = [](CUcontext context, CUevent event) {
    return quietly("cuCtxWaitEvent", [&]() -> CUresult {
      const std::lock_guard lock(impl().mutex);
      if (invalidates_captures(context)) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
      }
      context->waits_until_ns = std::max(context->waits_until_ns, event->time_ns);
      return CUDA_SUCCESS;
    });
  };
}

CUdeviceptr allocate(std::size_t bytes) {
  const std::lock_guard lock(impl().mutex);
  auto fresh = std::make_unique<char[]>(bytes);
  const auto address = reinterpret_cast<CUdeviceptr>(fresh.get());
  impl().allocations.emplace(address, std::move(fresh));
  return address;
}

void add_memory(cuda::Driver& api) {
  api.cuMemAlloc = [](CUdeviceptr* memory, std::size_t bytes) {
    return quietly("cuMemAlloc", [&] {
      *memory = allocate(bytes);
      const std::lock_guard lock(impl().mutex);
      impl().device_memory[*memory] = {bytes, impl().current()};
    });
  };
  api.cuMemGetInfo = [](std::size_t* free, std::size_t* all) {
    *free = *all = it().free_bytes;
    return CUDA_SUCCESS;
  };
  api.cuMemFree = [](CUdeviceptr memory) {
    return quietly("cuMemFree", [&]() -> CUresult {
      {
        const std::lock_guard lock(impl().mutex);
        impl().device_memory.erase(memory);
      }
      return remove_from(impl().allocations, memory);
    });
  };
  api.cuPointerGetAttribute = [](void* value, CUpointer_attribute which, CUdeviceptr address) {
    return quietly("cuPointerGetAttribute", [&]() -> CUresult {
      const std::lock_guard lock(impl().mutex);
      for (const auto& [memory, owner] : impl().device_memory) {
        if (address >= memory && address < memory + owner.first) {
          if (which == CU_POINTER_ATTRIBUTE_CONTEXT) {
            *static_cast<CUcontext*>(value) = owner.second;
          } else {
            *static_cast<unsigned*>(value) = CU_MEMORYTYPE_DEVICE;
          }
          return CUDA_SUCCESS;
        }
      }
      return CUDA_ERROR_INVALID_VALUE;  // as for memory of the host
    });
  };
  api.cuMemcpyAsync = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return quietly("cuMemcpyAsync", [&] {
      it().copy(stream, reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    });
  };
  api.cuMemHostAlloc = [](void** memory, std::size_t bytes, unsigned) {
    return quietly("cuMemHostAlloc", [&]() -> CUresult {
      *memory = reinterpret_cast<void*>(allocate(bytes));
      return CUDA_SUCCESS;
    });
  };
  api.cuMemFreeHost = [](void* memory) {
    return quietly("cuMemFreeHost",
                   [&] { return remove_from(impl().allocations, reinterpret_cast<CUdeviceptr>(memory)); });
  };
  api.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    return quietly("cuMemcpyHtoDAsync", [&] { it().copy(stream, reinterpret_cast<void*>(to), from, bytes); });
  };
  api.cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return quietly("cuMemcpyDtoHAsync",
                   [&] { it().copy(stream, to, reinterpret_cast<const void*>(from), bytes); });
  };
  api.cuMemsetD8Async = [](CUdeviceptr memory, unsigned char value, std::size_t bytes, CUstream stream) {
    return it().call("cuMemsetD8Async", CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, [&]() -> CUresult {
      std::memset(reinterpret_cast<void*>(memory), value, bytes);
      return it().fill(stream, static_cast<std::int64_t>(bytes));
    });
  };
}

void add_modules(cuda::Driver& api) {
  api.cuModuleGetLoadingMode = [](CUmoduleLoadingMode* mode) {
    return quietly("cuModuleGetLoadingMode", [&] { *mode = it().loading_mode; });
  };
  api.cuModuleLoadData = [](CUmodule* module, const void* image) {
    return quietly("cuModuleLoadData", [&] {
      const std::lock_guard lock(impl().mutex);
      *module = add_to(impl().modules);
      (*module)->code = static_cast<const char*>(image);
    });
  };
  api.cuModuleUnload = [](CUmodule module) {
    return quietly("cuModuleUnload", [&]() -> CUresult { return remove_from(impl().modules, module); });
  };
  api.cuModuleGetFunction = [](CUfunction* function, CUmodule module, const char* name) {
    return quietly("cuModuleGetFunction", [&]() -> CUresult {
      const std::lock_guard lock(impl().mutex);
      module->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{module->code, name}));
      *function = module->functions.back().get();
      return CUDA_SUCCESS;
    });
  };
  api.cuFuncLoad = [](CUfunction) { return quietly("cuFuncLoad", [&] {}); };
  api.cuFuncGetAttribute = [](int* value, CUfunction_attribute which, CUfunction function) {
    return quietly("cuFuncGetAttribute", [&] {
      const std::lock_guard lock(impl().mutex);
      const bool of_each = which == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES && it().local_bytes;
      *value = of_each ? it().local_bytes(function->code) : it().function_attributes[which];
    });
  };
  api.cuFuncSetAttribute = [](CUfunction, CUfunction_attribute which, int value) {
    return quietly("cuFuncSetAttribute", [&] {
      const std::lock_guard lock(impl().mutex);
      it().function_attributes[which] = value;
    });
  };
  api.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, CUfunction, int threads,
                                                       std::size_t shared) {
    return quietly("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
      const std::lock_guard lock(impl().mutex);
      it().asked_threads = threads;
      it().asked_shared_bytes = shared;
      *blocks = it().resident_blocks;
    });
  };
  api.cuOccupancyMaxActiveClusters = [](int* clusters, CUfunction, const CUlaunchConfig* config) {
    return quietly("cuOccupancyMaxActiveClusters", [&]() -> CUresult {
      const std::lock_guard lock(impl().mutex);
      it().asked_cluster = config->numAttrs == 1 ? config->attrs[0].value.clusterDim.x : 1;
      *clusters = it().resident_clusters;
      return config->gridDimX % it().asked_cluster == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
    });
  };
  api.cuLaunchKernelEx = [](const CUlaunchConfig* config, CUfunction function, void** arguments, void**) {
    return it().call("cuLaunchKernelEx", CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, [&]() -> CUresult {
      const Launch launch{function->code,   function->name,  config->blockDimX,
                          impl().current(), config->hStream, arguments};
      const CUresult result = it().launch_result ? it().launch_result(launch) : CUDA_SUCCESS;
      return result == CUDA_SUCCESS
                 ? it().run_kernel(launch, it().duration_ns ? it().duration_ns(launch) : 10'000)
                 : result;
    });
  };
}

#define CHECK_IS_SCRIPTED(function)                                              \
  if (api.function == nullptr) {                                                 \
    std::fprintf(stderr, "the scripted driver has no function " #function "\n"); \
    std::abort();                                                                \
  }

}  // namespace

cuda::Driver scripted_table() {
  cuda::Driver api;
  add_devices(api);
  add_contexts(api);
  add_streams(api);
  add_context_events(api);
  add_memory(api);
  add_modules(api);
  CONTEXTUAL_DRIVER_FUNCTIONS(CHECK_IS_SCRIPTED)
  return api;
}

}  // namespace contextual::test::cuda_test
