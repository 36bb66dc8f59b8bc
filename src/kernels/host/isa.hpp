#pragma once

/// \file
/// Which vector instructions the kernels use, chosen while running: one binary runs on every machine.
///
/// `simd_*.cpp` hold the same code (simd_body.hpp) compiled once for each set; everything they define is a
/// template over Isa, so that code of one set never answers for another.

#include <vector>

namespace contextual::kernels {

enum class Isa {
  baseline,  ///< what the compiler may always use: 4 floats a vector
  avx2,      ///< x86-64 with AVX2 and FMA: 8 floats
  avx512,    ///< x86-64 with AVX-512F: 16 floats
};

/// What this CPU and this build offer, baseline first.
const std::vector<Isa>& supported_isas();

/// The widest of `supported_isas()`.
Isa native_isa();

/// "avx2".
const char* to_string(Isa isa);

}  // namespace contextual::kernels
