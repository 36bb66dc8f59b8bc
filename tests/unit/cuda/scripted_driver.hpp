#pragma once

/// \file
/// A driver that tests script: contexts, streams, events, modules, and launches that take as long as the test
/// says, on a clock of their own. It stands in for the real one for as long as it lives.

#include "contextual/cuda/api/driver.hpp"
#include "unit/cuda/call_log.hpp"

#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>

namespace contextual::test::cuda_test {

/// A kernel's launch, as the driver was asked for it.
struct Launch {
  std::string code;  ///< the image of the kernel's module, up to its first zero
  std::string function;
  unsigned block = 0;  ///< threads in x
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  void** arguments = nullptr;
};

/// What a device did.
struct Work {
  enum class Kind { kernel, copy, peer_copy, fill };
  Kind kind = Kind::kernel;
  int device = 0;
  std::uint32_t correlation = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  Launch launch{};  ///< of a kernel
};

/// Is told of every call, as CUPTI is. On the calling thread.
class DriverObserver {
 public:
  virtual ~DriverObserver() = default;
  virtual void enter(CUpti_driver_api_trace_cbid call, std::uint32_t correlation, CUcontext context) = 0;
  virtual void exit(CUpti_driver_api_trace_cbid call, std::uint32_t correlation, CUcontext context,
                    CUresult result) = 0;
  virtual void done(const Work& work) = 0;
};

/// One at a time. Thread-safe where the driver is. A context is current on every thread, until a test or a
/// caller changes that.
class ScriptedDriver {
 public:
  explicit ScriptedDriver(int devices = 1);
  ScriptedDriver(const ScriptedDriver&) = delete;
  ScriptedDriver& operator=(const ScriptedDriver&) = delete;
  /// Waits for threads that were left alone in a call.
  ~ScriptedDriver();

  // What is scripted: set before use.
  std::size_t free_bytes = std::size_t{1} << 30;               ///< what cuMemGetInfo says
  std::function<CUresult(const Launch&)> launch_result;        ///< empty: success
  std::function<std::int64_t(const Launch&)> duration_ns;      ///< empty: 10 us
  std::function<CUresult(const std::string& function)> fails;  ///< of other calls; empty: success
  std::function<bool(CUcontext)> is_busy;  ///< as events tell; empty: no, since time passes when one asks
  CUmoduleLoadingMode loading_mode = CU_MODULE_EAGER_LOADING;
  std::set<CUstream> capturing;
  std::set<CUstream> destroyed;
  bool default_stream_blocked = false;  ///< a stream that waits for the default one is capturing
  std::atomic<int> busy_queries{0};     ///< so many times a stream that is asked for is not ready
  std::string device_name = "Scripted GPU";
  std::map<CUdevice_attribute, int> device_attributes;      ///< an H200's
  std::map<CUfunction_attribute, int> function_attributes;  ///< of every kernel
  std::function<int(const std::string& code)> local_bytes;  ///< of a kernel, for each thread; empty: none
  std::map<CUcontext, std::size_t> stack_limits;            ///< CU_LIMIT_STACK_SIZE, where it is not 1 KiB
  int resident_blocks = 1;                                  ///< of every kernel, on a multiprocessor
  int resident_clusters = 1;

  // What was asked last of how many blocks or clusters a device holds.
  int asked_threads = 0;
  std::size_t asked_shared_bytes = 0;
  unsigned asked_cluster = 0;

  /// The primary context of a device.
  CUcontext context(int device = 0) const;
  /// From now on it is a driver that is older than CUDA 12.5.
  void lose_context_events() {
    table_.cuCtxRecordEvent = nullptr;
    table_.cuCtxWaitEvent = nullptr;
  }
  /// Makes it current on this thread.
  void set_current(CUcontext context);
  CUstream make_stream(int device = 0);

  // What other code of a process does, in the driver's functions that the library does not call.
  CUresult launch_kernel(CUstream stream, std::int64_t length_ns);  ///< `<<<>>>`: cuLaunchKernel
  CUresult write_word();  ///< cuStreamWriteValue32, which keeps no device busy
  CUresult copy_async(CUstream stream, std::int64_t length_ns, Work::Kind kind = Work::Kind::copy);
  void copy_unwatched(std::int64_t length_ns);  ///< a call that nobody is told of
  CUresult launch_graph(CUstream stream, const std::vector<std::int64_t>& kernels_ns);
  /// What `launch_kernel` launches on the stream meanwhile is not run.
  CUresult begin_capture(CUstream stream);
  CUresult end_capture(CUstream stream);

  /// Is called, after what was queued before it, whenever somebody asks whether the stream is ready, until it
  /// returns true. Copies to and from the host wait for it.
  void enqueue(CUstream stream, std::function<bool()> work);

  /// No thread is in a call, or between making a context current and giving it back.
  void wait_until_left();
  std::int64_t idle_from_ns(CUstream stream) const;  ///< when the stream could begin with more work
  void finish_all();                                 ///< time passes until all streams are idle

  CallLog& log() noexcept { return log_; }
  std::size_t living_events() const;
  std::size_t living_streams() const;  ///< those of `make_stream` not counted
  std::size_t living_modules() const;
  std::size_t living_allocations() const;

  void observe(DriverObserver* observer) noexcept { observer_.store(observer); }

  // For the table's functions.
  static ScriptedDriver& it();
  CUresult call(const char* name, CUpti_driver_api_trace_cbid id, const std::function<CUresult()>& body);
  struct Impl;
  Impl& impl() noexcept { return *impl_; }
  CUresult run_kernel(const Launch& launch, std::int64_t length_ns);
  CUresult fill(CUstream stream, std::int64_t length_ns);
  void copy(CUstream stream, void* to, const void* from, std::size_t bytes);
  bool run_queue(CUstream stream);  ///< returns true when nothing is left of it

 private:
  CUresult done(const Work& work);

  CallLog log_;
  std::atomic<DriverObserver*> observer_{nullptr};
  std::atomic<int> calls_under_way_{0};
  std::unique_ptr<Impl> impl_;
  cuda::Driver table_;
  std::unique_ptr<cuda::DriverReplacement> replaced_;
};

}  // namespace contextual::test::cuda_test
