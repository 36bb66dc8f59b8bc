#include <contextual/kernels/host/isa.hpp>

namespace contextual::kernels {

const std::vector<Isa>& supported_isas() {
  static const std::vector<Isa> isas = [] {
    std::vector<Isa> found{Isa::baseline};
#if defined(CONTEXTUAL_KERNELS_X86)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      found.push_back(Isa::avx2);
      if (__builtin_cpu_supports("avx512f")) {
        found.push_back(Isa::avx512);
      }
    }
#endif
    return found;
  }();
  return isas;
}

Isa native_isa() {
  return supported_isas().back();
}

const char* to_string(Isa isa) {
  switch (isa) {
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::baseline:
      break;
  }
  return "baseline";
}

}  // namespace contextual::kernels
