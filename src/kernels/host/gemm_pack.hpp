#pragma once

/// \file
/// Packs blocks of A and B in the order in which the micro-kernel reads them, padded with zeros to whole
/// tiles.

#include <memory>

namespace contextual::kernels {

/// Returns the least multiple of `unit` that is not below `value`.
constexpr long round_up(long value, long unit) {
  return (value + unit - 1) / unit * unit;
}

/// Memory, aligned to 64 bytes, that a thread keeps between calls.
class PackBuffer {
 public:
  /// Returns memory for at least `count` floats, with unspecified contents. Invalidates earlier pointers.
  /// Throws std::bad_alloc.
  float* reserve(long count);

 private:
  struct Free {
    void operator()(float* memory) const noexcept;
  };
  std::unique_ptr<float, Free> memory_;
  long count_ = 0;
};

/// Packs tiles of B: `rows` x `columns` of a row-major matrix in panels of `width` columns, each panel row by
/// row.
void pack_rows(const float* from, long ld, long rows, long columns, long width, float* to);

/// Packs tiles of A: `rows` x `columns` of a row-major matrix in panels of `height` rows, each panel column
/// by column.
void pack_columns(const float* from, long ld, long rows, long columns, long height, float* to);

}  // namespace contextual::kernels
