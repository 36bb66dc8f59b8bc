#pragma once

/// \file
/// The compiler's messages for arguments of a CudaKernel that do not fit. `C` is the config type, `Args` are
/// the kernel's arguments.

namespace contextual::detail {

template <bool Fits>
struct CudaKeyFits {
  static_assert(Fits,
                "the key function of a CudaKernel takes the kernel's arguments without the stream, as "
                "Key(const Args&...), and returns a contextual::Key: see make_key, single_problem");
};
template <bool Fits>
struct VariantFits {
  static_assert(Fits, "CudaKernelDefinition::variant is called as CudaVariant(const C&)");
};
template <bool Fits>
struct LayoutFits {
  static_assert(
      Fits,
      "CudaKernelDefinition::layout is called as CudaLayout(const C&, const Args&...), without the stream");
};
template <bool Fits>
struct ParametersFits {
  static_assert(Fits,
                "CudaKernelDefinition::parameters is called as void(CudaParameters&, const C&, const "
                "Args&...), without the stream");
};

}  // namespace contextual::detail
