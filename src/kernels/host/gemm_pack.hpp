#pragma once

/// \file
/// Blocks of A and B in the order in which the micro-kernel reads them, filled up with zeros to whole tiles.

#include <memory>

namespace contextual::kernels {

/// `value` or the next multiple of `unit`.
constexpr long round_up(long value, long unit) {
  return (value + unit - 1) / unit * unit;
}

/// Memory that a thread keeps between calls; aligned to 64 bytes.
class PackBuffer {
 public:
  /// At least `count` floats, contents unspecified. Earlier pointers are invalid afterwards. Throws
  /// std::bad_alloc.
  float* reserve(long count);

 private:
  struct Free {
    void operator()(float* memory) const noexcept;
  };
  std::unique_ptr<float, Free> memory_;
  long count_ = 0;
};

/// `rows` x `columns` of a row-major matrix in panels of `width` columns, each panel row by row: tiles of B.
void pack_rows(const float* from, long ld, long rows, long columns, long width, float* to);

/// `rows` x `columns` of a row-major matrix in panels of `height` rows, each panel column by column: tiles of
/// A.
void pack_columns(const float* from, long ld, long rows, long columns, long height, float* to);

}  // namespace contextual::kernels
