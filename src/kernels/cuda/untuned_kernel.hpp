#pragma once

/// \file
/// Kernels that are compiled at run time and have nothing to tune.

#include "kernels/cuda/cuda_check.hpp"

#include <contextual/cuda.hpp>

#include <string>

namespace contextual::kernels::cuda {

/// Of a kernel that waits, beside which others shall run that use shared memory.
inline constexpr int most_carveout = 100;

/// A kernel of one config. Use it as an object that is never destroyed, because it may be launched while the
/// process exits.
template <typename... Args>
class UntunedKernel {
 public:
  /// The function of the source is launched with so many threads a block. `blocks` returns their number.
  /// `carveout`: see CudaLayout::shared_memory_carveout.
  UntunedKernel(const char* function, const CudaSource& source, int threads, int (*blocks)(const Args&...),
                int carveout = -1)
      : kernel_(
            std::string("cuda_") + function, {{"THREADS", &Config::threads, {0}}},
            [](const Args&...) { return single_problem(); },
            definition(function, source, threads, blocks, carveout)) {}

  /// Throws CudaError, also if the source does not compile.
  void launch(CUstream stream, const Args&... args) {
    check_cuda(kernel_.launch_config(0, stream, args...), kernel_.name().c_str());
  }
  /// Compiles and loads the kernel, as the first launch would.
  void load() { kernel_.load(); }

 private:
  struct Config {
    int threads = 0;
  };
  using Kernel = CudaKernel<Config, Args...>;

  static typename Kernel::Definition definition(const char* function, const CudaSource& source, int threads,
                                                int (*blocks)(const Args&...), int carveout) {
    typename Kernel::Definition definition;
    definition.source = source;
    definition.variant = [name = std::string(function)](const Config&) {
      return CudaVariant{.function = name};
    };
    definition.layout = [threads, blocks, carveout](const Config&, const Args&... args) {
      return CudaLayout{.grid = {static_cast<unsigned>(blocks(args...))},
                        .block = {static_cast<unsigned>(threads)},
                        .shared_memory_carveout = carveout};
    };
    return definition;
  }

  Kernel kernel_;
};

}  // namespace contextual::kernels::cuda
