#pragma once

/// \file
/// Which sizes a GEMM takes, and what it runs on; for all that launch one.

#include <contextual/bucket.hpp>

#include <string>

namespace contextual::kernels::cuda {

/// Returns e.g. "m = 8192, n = 14336, k = 4096".
std::string size_text(int m, int n, int k);

/// Throws InvalidArgument, whose text begins with `who`, unless m, n and k are at least 1 and n and k
/// multiples of 8, so that a row takes whole accesses of 16 bytes.
void check_gemm_sizes(const char* who, int m, int n, int k);

/// Returns the smallest of 1, 2, 4, ..., 512, 1024, 1536, ... that is not below `m`. What is chosen for one
/// number of rows is used for all of a bucket.
constexpr int bucket_of(int m) {
  constexpr int step = 512;
  return static_cast<int>(m > step ? bucket(m, step) : bucket(m));
}

/// Returns how many rows a call has: `m`, or `most` if it is 0. Throws InvalidArgument, whose text begins
/// with `who`, unless it is in [0, most].
int rows_of_call(const char* who, int m, int most);

/// Returns the values from row to row of a matrix, where 0 says that it is dense.
constexpr int row_pitch(int pitch, int columns) {
  return pitch == 0 ? columns : pitch;
}

/// Throws InvalidArgument, whose text begins with `who` and the name, unless the pitch is 0, or a multiple of
/// 8 and at least `columns`.
void check_pitch(const char* who, const char* name, int pitch, int columns);

/// Returns the number of multiprocessors of the current device. Throws CudaError.
int multiprocessors();

/// Returns true if the current device runs the kernels for Hopper. Throws CudaError.
bool is_hopper();

}  // namespace contextual::kernels::cuda
