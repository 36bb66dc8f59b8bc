#pragma once

#include <cuda.h>

#include <map>

namespace contextual::cuda {

/// A small kernel of the library itself, as PTX that the driver compiles for the device. Its code stays
/// loaded, so the object must live as long as the process. Thread-safe.
class PtxKernel {
 public:
  /// Both texts must outlive the object.
  PtxKernel(const char* ptx, const char* name) : ptx_(ptx), name_(name) {}

  /// Returns the function in the current context, and loads it once per context, on a thread of its own: the
  /// driver may wait for all kernels that run. Throws CudaUnavailable if that takes a quarter of the latest
  /// run's deadline, or if it has taken another kernel as long. If it throws CudaError, nothing stays loaded.
  CUfunction get();

 private:
  void load(CUcontext context);
  CUfunction loaded_in(CUcontext context) const;

  const char* ptx_;
  const char* name_;
  std::map<CUcontext, CUfunction> functions_;
};

}  // namespace contextual::cuda
