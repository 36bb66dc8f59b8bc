#pragma once

/// \file
/// A scripted driver (unit/cuda/scripted_driver.hpp) whose streams do NCCL's work, in order, when they are
/// asked whether it is done. It takes the place of the real driver for the rest of the process, since threads
/// that a test leaves alone still use it.

#include <cuda.h>

#include <functional>
#include <string>

namespace contextual::test::nccl_test {

/// Returns true once it is done; is called again until then.
using Work = std::function<bool()>;

/// Puts work on a stream of the scripted driver.
void enqueue(CUstream stream, Work work);

/// One at a time, before its first use by a test.
class ScriptedGpu {
 public:
  ScriptedGpu();
  ScriptedGpu(const ScriptedGpu&) = delete;
  ScriptedGpu& operator=(const ScriptedGpu&) = delete;
  ~ScriptedGpu();

  /// Which calls fail, from now on, and how; empty: none. Called on any thread.
  static void fail(std::function<CUresult(const std::string& function)> fails);

  static constexpr int device_count = 16;
  static int device_of(CUcontext context);
  static CUcontext context(int device);
  /// Of this thread; null: none. Every thread begins with device 0.
  static void set_current(CUcontext context);
  static CUcontext current();

  static int living();    ///< streams and allocations that have not been freed, of all tests
  static int retained();  ///< primary contexts
};

}  // namespace contextual::test::nccl_test
