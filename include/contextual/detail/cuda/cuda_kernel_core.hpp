#pragma once

/// \file
/// The part of a CudaKernel that does not depend on its types: its compiled and loaded variants.

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
  /// `variants` is called once, by the first compilation, and returns one variant per config in order.
  /// Nothing is read before that.
  CudaKernelCore(CudaSource source, std::function<std::vector<CudaVariant>()> variants);
  CudaKernelCore(const CudaKernelCore&) = delete;
  CudaKernelCore& operator=(const CudaKernelCore&) = delete;
  ~CudaKernelCore();

  /// Returns a digest of the source and its headers, and the builds of NVRTC, as text, or an empty one if the
  /// source cannot be read.
  std::string source_text() const noexcept;

  /// Remembers the layout of this config's launches for this key, which `load_for` then checks. Allocates,
  /// and takes a short lock; does not touch a device.
  void expect(std::size_t config_id, const Key& key, const CudaLayout& layout);

  /// Compiles, in parallel on all cores, all configs that are not compiled yet. Loads this config for the
  /// current context and for each device's primary context that is in use, and raises its shared memory
  /// limit. Asks the driver whether the layout remembered for `key` fits. Throws ConfigRejected with the
  /// words of the compiler or the driver, CudaUnavailable or CudaError.
  ///
  /// Without a key, compiles and loads only this config, for the same contexts, and nothing if there is none.
  void load_for(std::size_t config_id, const Key* key);

  /// Compiles and loads only this config, for the current context. Returns its function there, which stays
  /// loaded.
  CUfunction load(std::size_t config_id);

  /// Launches in the stream's context, or in the current context for a null stream. Loads the config first
  /// unless it is loaded. Throws as `load` does. Cost in addition to cuLaunchKernelEx: three atomic loads;
  /// with several contexts or a null stream also a driver call for the context.
  ///
  /// Defined in the header to keep the call stack flat: after the driver has run, the processor mispredicts
  /// the return of every function between the driver and the kernel's call.
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
    CUfunction function = nullptr;  ///< null if it has to be found by context, or to be loaded
    decltype(&::cuLaunchKernelEx) launch = nullptr;
  };
  Ready ready(std::size_t config_id, CUstream stream);
  CUresult launch_by_context(std::size_t config_id, CUstream stream, const CudaLayout& layout,
                             void** parameters);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual::detail
