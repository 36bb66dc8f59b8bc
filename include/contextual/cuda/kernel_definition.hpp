#pragma once

/// \file
/// The definition of a CudaKernel.

#include <contextual/cuda/parameters.hpp>
#include <contextual/cuda/program.hpp>
#include <contextual/detail/config/checked_callable.hpp>
#include <contextual/detail/cuda/definition_arguments.hpp>
#include <contextual/kernel_options.hpp>

#include <cuda.h>

namespace contextual {

/// `source`, `variant` and `layout` are required; the other members may be left out. A callable member holds
/// any copyable callable of the signature written with it; for others, a compile-time message names the
/// member.
template <typename C, typename... Args>
struct CudaKernelDefinition {
  CudaSource source{};
  /// Returns what to compile for a config. Called for all configs at the first compilation.
  detail::CheckedFunction<detail::VariantFits, CudaVariant(const C&)> variant{};
  /// Returns the grid, block, cluster and shared memory of a launch. It must be a pure function: it is also
  /// called for configs that are not launched, to find out whether they could be.
  detail::CheckedFunction<detail::LayoutFits, CudaLayout(const C&, const Args&...)> layout{};
  /// Adds the kernel's parameters in their order, if they differ from `Args`; for example, a tensor map is
  /// made of a pointer and the config's tile. Called for every launch, on the launching thread. It must never
  /// wait for a device and never communicate. ConfigRejected rejects the config.
  detail::CheckedFunction<detail::ParametersFits, void(CudaParameters&, const C&, const Args&...)>
      parameters{};
  /// Further options. Their `load` is called after the variant is compiled and loaded.
  KernelOptions<CUresult(const C&, CUstream, Args...)> options{};
};

}  // namespace contextual
