#pragma once

#include <cuda.h>

#include <map>
#include <mutex>

namespace contextual::cuda {

/// A small kernel of the library's own, as PTX that the driver compiles for what is there. Thread-safe. Its
/// code stays loaded, so an object lives as long as the process.
class PtxKernel {
 public:
  /// Both texts must live longer.
  PtxKernel(const char* ptx, const char* name) : ptx_(ptx), name_(name) {}

  /// In the current context, loaded once a context. Throws CudaError; what was loaded is then unloaded again.
  CUfunction get();

 private:
  const char* ptx_;
  const char* name_;
  std::mutex mutex_;
  std::map<CUcontext, CUfunction> functions_;
};

}  // namespace contextual::cuda
