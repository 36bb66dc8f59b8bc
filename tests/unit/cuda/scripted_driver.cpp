#include "contextual/cuda/timing/device_wait.hpp"
#include "unit/cuda/scripted_driver_parts.hpp"

#include <contextual/detail/sync/ongoing_run.hpp>

#include <chrono>
#include <cstring>
#include <thread>

namespace contextual::test::cuda_test {
namespace {

constexpr std::int64_t call_ns = 1'000;

ScriptedDriver* the_driver = nullptr;
std::atomic<std::uint64_t> generations{0};
thread_local std::uint32_t current_correlation = 0;

/// Lives for ever: the library remembers what it loaded by the context's address, which no later driver's
/// context may have.
CUcontext new_context() {
  static auto* const all = new std::vector<std::unique_ptr<CUctx_st>>;
  return all->emplace_back(std::make_unique<CUctx_st>()).get();
}

}  // namespace

ScriptedDriver::ScriptedDriver(int devices)
    : device_attributes{{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1'980'000},
                        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3'201'000},
                        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
                        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1024},  // clearing it takes 1 us
                        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 * 1024},
                        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
                        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
                        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
                        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
                        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
                        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64}},
      function_attributes{{CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                          {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 * 1024},
                          {CU_FUNC_ATTRIBUTE_NUM_REGS, 168},
                          {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 24}},
      impl_(std::make_unique<Impl>()),
      table_(scripted_table()) {
  cuda::forget_captures_of_others();
  const detail::OngoingRun none_before{detail::RunBounds{}};
  impl_->generation = ++generations;
  for (int device = 0; device < devices; ++device) {
    auto* const context = new_context();
    impl_->contexts.push_back(context);
    context->device = device;
    context->default_stream.context = context;
  }
  the_driver = this;
  replaced_ = std::make_unique<cuda::DriverReplacement>(table_);
}

ScriptedDriver::~ScriptedDriver() {
  wait_until_left();
  replaced_.reset();
  the_driver = nullptr;
}

ScriptedDriver& ScriptedDriver::it() {
  return *the_driver;
}

CUcontext ScriptedDriver::context(int device) const {
  return impl_->contexts.at(static_cast<std::size_t>(device));
}

void ScriptedDriver::set_current(CUcontext context) {
  impl_->stack() = {context};
}

CUstream ScriptedDriver::make_stream(int device) {
  auto& stream = context(device)->of_tests.emplace_back(std::make_unique<CUstream_st>());
  stream->context = context(device);
  return stream.get();
}

CUresult ScriptedDriver::call(const char* name, CUpti_driver_api_trace_cbid id,
                              const std::function<CUresult()>& body) {
  ++calls_under_way_;
  log_.add(name);
  std::uint32_t correlation = 0;
  {
    const std::lock_guard lock(impl_->mutex);
    correlation = ++impl_->correlation;
    impl_->now_ns += call_ns;
  }
  const CUcontext context = impl_->current();
  DriverObserver* const observer = observer_.load();
  if (observer != nullptr) {
    observer->enter(id, correlation, context);
  }
  const std::uint32_t outer = std::exchange(current_correlation, correlation);
  const CUresult failure = fails ? fails(name) : CUDA_SUCCESS;
  const CUresult result = failure == CUDA_SUCCESS ? body() : failure;
  current_correlation = outer;
  if (observer != nullptr) {
    observer->exit(id, correlation, context, result);
  }
  --calls_under_way_;
  return result;
}

namespace {

/// Puts work at a stream's end. Its observer is told when the lock is free again.
Work put(CUstream stream, Work::Kind kind, std::int64_t length_ns) {
  const std::lock_guard lock(ScriptedDriver::it().impl().mutex);
  CUstream on = ScriptedDriver::it().impl().stream_of(stream);
  Work work;
  work.kind = kind;
  work.device = on->context->device;
  work.correlation = current_correlation;
  work.begin_ns = ScriptedDriver::it().impl().idle_from_ns(on);
  work.end_ns = on->busy_until_ns = work.begin_ns + length_ns;
  return work;
}

}  // namespace

/// Tells the observer.
CUresult ScriptedDriver::done(const Work& work) {
  if (DriverObserver* const observer = observer_.load()) {
    observer->done(work);
  }
  return CUDA_SUCCESS;
}

CUresult ScriptedDriver::run_kernel(const Launch& launch, std::int64_t length_ns) {
  Work work = put(launch.stream, Work::Kind::kernel, length_ns);
  work.launch = launch;
  return done(work);
}

CUresult ScriptedDriver::fill(CUstream stream, std::int64_t length_ns) {
  return done(put(stream, Work::Kind::fill, length_ns));
}

void ScriptedDriver::enqueue(CUstream stream, std::function<bool()> work) {
  CUstream on = impl_->stream_of(stream);
  const std::lock_guard lock(on->queue_mutex);
  on->queue.push_back(std::move(work));
}

void ScriptedDriver::copy(CUstream stream, void* to, const void* from, std::size_t bytes) {
  enqueue(stream, [=] { return std::memcpy(to, from, bytes) != nullptr; });
  run_queue(stream);
}

bool ScriptedDriver::run_queue(CUstream stream) {
  CUstream on = impl_->stream_of(stream);
  const std::lock_guard lock(on->queue_mutex);
  while (!on->queue.empty() && on->queue.front()()) {
    on->queue.pop_front();
  }
  return on->queue.empty();
}

CUresult ScriptedDriver::launch_kernel(CUstream stream, std::int64_t length_ns) {
  return call("cuLaunchKernel", CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, [&]() -> CUresult {
    if (capturing.contains(stream)) {
      return CUDA_SUCCESS;
    }
    return run_kernel({"", "plain", 1, impl_->current(), stream}, length_ns);
  });
}

CUresult ScriptedDriver::write_word() {
  return call("cuStreamWriteValue32", CUPTI_DRIVER_TRACE_CBID_cuStreamWriteValue32_v2,
              []() -> CUresult { return CUDA_SUCCESS; });
}

CUresult ScriptedDriver::copy_async(CUstream stream, std::int64_t length_ns, Work::Kind kind) {
  return call("cuMemcpyAsync", CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,
              [&]() -> CUresult { return done(put(stream, kind, length_ns)); });
}

void ScriptedDriver::copy_unwatched(std::int64_t length_ns) {
  call("cuMemcpyOfAKindThatNobodyKnows", CUPTI_DRIVER_TRACE_CBID_INVALID, [&]() -> CUresult {
    const Work work = put(nullptr, Work::Kind::copy, length_ns);
    done(work);
    const std::lock_guard lock(impl_->mutex);
    impl_->now_ns = std::max(impl_->now_ns, work.end_ns);
    return CUDA_SUCCESS;
  });
}

CUresult ScriptedDriver::launch_graph(CUstream stream, const std::vector<std::int64_t>& kernels_ns) {
  return call("cuGraphLaunch", CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, [&]() -> CUresult {
    for (std::int64_t length_ns : kernels_ns) {
      run_kernel({"", "node", 1, impl_->current(), stream}, length_ns);
    }
    return CUDA_SUCCESS;
  });
}

CUresult ScriptedDriver::begin_capture(CUstream stream) {
  return call("cuStreamBeginCapture", CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, [&]() -> CUresult {
    return capturing.insert(stream).second ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
  });
}

CUresult ScriptedDriver::end_capture(CUstream stream) {
  return call("cuStreamEndCapture", CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, [&]() -> CUresult {
    return capturing.erase(stream) == 1 ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
  });
}

void ScriptedDriver::wait_until_left() {
  while (impl_->pushed > 0 || calls_under_way_ > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::int64_t ScriptedDriver::idle_from_ns(CUstream stream) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->idle_from_ns(stream);
}

void ScriptedDriver::finish_all() {
  const std::lock_guard lock(impl_->mutex);
  const auto finish = [this](const CUstream_st& stream) {
    impl_->now_ns = std::max(impl_->now_ns, stream.busy_until_ns);
  };
  for (CUcontext context : impl_->contexts) {
    finish(context->default_stream);
    for (const auto& stream : context->of_tests) {
      finish(*stream);
    }
  }
  for (const auto& [handle, stream] : impl_->streams) {
    finish(*stream);
  }
}

std::size_t ScriptedDriver::living_events() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->events.size();
}
std::size_t ScriptedDriver::living_streams() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->streams.size();
}
std::size_t ScriptedDriver::living_modules() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->modules.size();
}
std::size_t ScriptedDriver::living_allocations() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->allocations.size();
}

}  // namespace contextual::test::cuda_test
