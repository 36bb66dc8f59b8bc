#include "kernels/host/gemm_pack.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

namespace contextual::kernels {

namespace {
constexpr std::align_val_t cache_line{64};
}  // namespace

void PackBuffer::Free::operator()(float* memory) const noexcept {
  ::operator delete(memory, cache_line);
}

float* PackBuffer::reserve(long count) {
  if (count > count_) {
    memory_.reset(
        static_cast<float*>(::operator new(static_cast<std::size_t>(count) * sizeof(float), cache_line)));
    count_ = count;
  }
  return memory_.get();
}

void pack_rows(const float* from, long ld, long rows, long columns, long width, float* to) {
  for (long j = 0; j < columns; j += width) {
    const long valid = std::min(width, columns - j);
    for (long i = 0; i < rows; ++i, to += width) {
      std::copy_n(from + i * ld + j, valid, to);
      std::fill_n(to + valid, width - valid, 0.0F);
    }
  }
}

void pack_columns(const float* from, long ld, long rows, long columns, long height, float* to) {
  for (long i = 0; i < rows; i += height, to += height * columns) {
    const long valid = std::min(height, rows - i);
    for (long r = 0; r < height; ++r) {
      if (r < valid) {
        const float* row = from + (i + r) * ld;
        for (long p = 0; p < columns; ++p) {
          to[p * height + r] = row[p];
        }
      } else {
        for (long p = 0; p < columns; ++p) {
          to[p * height + r] = 0.0F;
        }
      }
    }
  }
}

}  // namespace contextual::kernels
