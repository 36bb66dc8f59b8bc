#include "kernels/host/simd_body.hpp"

CONTEXTUAL_KERNELS_INSTANTIATE(contextual::kernels::Isa::avx512)
