#pragma once

/// \file
/// The part of a CudaKernel that does not depend on its types: variants, compiled and loaded.

#include <contextual/cuda/program.hpp>
#include <contextual/detail/cuda/cuda_launch_config.hpp>
#include <contextual/export.hpp>
#include <contextual/key.hpp>

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace contextual::detail {

/// Thread-safe.
class CONTEXTUAL_API CudaKernelCore {
 public:
  /// `variants` is asked once, at the first compilation: one a config, in order. Nothing is read before.
  CudaKernelCore(CudaSource source, std::function<std::vector<CudaVariant>()> variants);
  CudaKernelCore(const CudaKernelCore&) = delete;
  CudaKernelCore& operator=(const CudaKernelCore&) = delete;
  ~CudaKernelCore();

  /// Remembers that this config is to be launched so for this key, for `prepare` to find out whether it can
  /// be. Allocates, and takes a short lock; touches no device.
  void expect(std::size_t config_id, const Key& key, const CudaLayout& layout);

  /// Compiles all configs that have not been, in parallel on all cores, loads this one for the current
  /// context and for every device's primary context that is in use, raises its shared memory limit and asks
  /// the driver whether the key's layouts fit. Throws ConfigRejected with the compiler's or the driver's
  /// words, CudaUnavailable, CudaError.
  void prepare(std::size_t config_id, const Key& key);

  /// Compiles and loads this config alone, for the same contexts. Does nothing where there is no context yet.
  void preload(std::size_t config_id);

  /// Compiles and loads this config alone, for the current context.
  void load(std::size_t config_id);

  /// Launches in the stream's context, in the current one for a null stream; loads first where that has not
  /// been done. Throws as `load`. Cost over cuLaunchKernelEx: three atomic loads; with several contexts, or a
  /// null stream, a driver call for the context as well.
  /// In the header, so that few functions lie between the driver and the kernel's call: when the driver
  /// returns the processor has forgotten where those return to.
  CUresult launch(std::size_t config_id, CUstream stream, const CudaLayout& layout, void** parameters) {
    if (const Ready now = ready(config_id, stream); now.function != nullptr) [[likely]] {
      const CudaLaunchConfig config(layout, stream);
      const CUresult code = now.launch(config.get(), now.function, parameters, nullptr);
      if (code != CUDA_ERROR_INVALID_HANDLE && code != CUDA_ERROR_INVALID_CONTEXT) [[likely]] {
        return code;
      }
    }
    return launch_by_context(config_id, stream, layout, parameters);
  }

 private:
  struct Ready {
    CUfunction function = nullptr;  ///< null: has to be found by the context, or loaded
    decltype(&::cuLaunchKernelEx) launch = nullptr;
  };
  Ready ready(std::size_t config_id, CUstream stream);
  CUresult launch_by_context(std::size_t config_id, CUstream stream, const CudaLayout& layout,
                             void** parameters);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual::detail
