#pragma once

/// \file
/// What a CudaKernel is made of.

#include <contextual/cuda/parameters.hpp>
#include <contextual/cuda/program.hpp>
#include <contextual/detail/cuda/definition_arguments.hpp>
#include <contextual/detail/launch/checked_function.hpp>
#include <contextual/kernel_options.hpp>

#include <cuda.h>

namespace contextual {

/// Everything but `source`, `variant` and `layout` may be left out. The callables are as std::function of the
/// signature that is written here; what does not fit is named by the compiler.
template <typename C, typename... Args>
struct CudaKernelDefinition {
  CudaSource source{};
  detail::CheckedFunction<detail::VariantFits, CudaVariant(const C&)> variant{};
  /// Grid, block, cluster and shared memory of one launch. Pure: also called for configs that are not
  /// launched, to find out whether they could be.
  detail::CheckedFunction<detail::LayoutFits, CudaLayout(const C&, const Args&...)> layout{};
  /// Adds the kernel's parameters in their order, where they are not `Args` as they are: e.g. a tensor map,
  /// which is made of a pointer and the config's tile. Called for every launch, on the launching thread;
  /// obeys the rule of the interception. ConfigRejected rejects the config.
  detail::CheckedFunction<detail::ParametersFits, void(CudaParameters&, const C&, const Args&...)>
      parameters{};
  /// `prepare` is called after the variant is compiled and loaded.
  KernelOptions<CUresult(const C&, CUstream, Args...)> options{};
};

}  // namespace contextual
