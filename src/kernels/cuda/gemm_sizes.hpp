#pragma once

/// \file
/// Which sizes a GEMM takes, and what it runs on; for all that launch one.

#include <string>

namespace contextual::kernels::cuda {

/// Returns e.g. "m = 8192, n = 14336, k = 4096".
std::string size_text(int m, int n, int k);

/// Throws InvalidArgument, whose text begins with `who`, unless m, n and k are at least 1 and n and k
/// multiples of 8, so that a row takes whole accesses of 16 bytes.
void check_gemm_sizes(const char* who, int m, int n, int k);

/// Returns the number of multiprocessors of the current device. Throws CudaError.
int multiprocessors();

}  // namespace contextual::kernels::cuda
