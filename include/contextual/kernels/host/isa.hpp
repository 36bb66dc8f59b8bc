#pragma once

/// \file
/// The vector instructions that the kernels use. They are chosen at run time, so that one binary runs on
/// every machine.
///
/// `simd_*.cpp` compile the same code (simd_body.hpp) once for each instruction set. Everything they define
/// is a template over Isa, so that the linker never takes code of one set for another.

#include <contextual/export.hpp>

#include <vector>

namespace contextual::kernels {

enum class Isa {
  baseline,  ///< what the compiler may always use: 4 floats per vector
  avx2,      ///< x86-64 with AVX2 and FMA: 8 floats per vector
  avx512,    ///< x86-64 with AVX-512F: 16 floats per vector
};

/// Returns the instruction sets that both this CPU and this build support, baseline first.
CONTEXTUAL_API const std::vector<Isa>& supported_isas();

/// Returns the widest of `supported_isas()`.
CONTEXTUAL_API Isa native_isa();

/// Returns e.g. "avx2".
CONTEXTUAL_API const char* to_string(Isa isa);

}  // namespace contextual::kernels
