#pragma once

/// \file
/// The reference of a product on a GPU, or of a sum of products: sums in float, with how far a result may be
/// from them.

#include "common/device_matrices.hpp"
#include "common/device_stream.hpp"

#include <cstddef>

namespace examples {

/// sum[rows, n] = the sum of A[rows, k] * B[n, k]^T over the parts that were added, of every element, by a
/// plain kernel with a thread for each.
///
/// Bound of an element: 1e-3 for float sums in another order, for which elements of A and B should deviate by
/// 0.1 at most; and half an ulp for each rounding to bf16, which is that of every part, of the result, and,
/// where NCCL adds, of its sums of several parts.
class SummedParts {
 public:
  SummedParts(int rows, int n);

  /// Adds a product, whose k may be split into so many parts, or a divisor of that. The matrices are dense,
  /// on the device. Waits.
  void add(const void* a_rows, const void* b, int k, int splits = 1);

  /// Returns the largest difference of an element of `c` from the sum, over its bound; infinity if one is
  /// NaN. `c` is [rows, n] in bf16. Waits for the stream.
  double error(const DeviceStream& stream, const void* c);

 private:
  std::size_t elements() const;

  int rows_;
  int n_;
  int parts_ = 0;
  DeviceBytes sum_;
  DeviceBytes magnitude_;  ///< the sum of the parts' magnitudes
  DeviceBytes worst_;      ///< what `error` finds
};

}  // namespace examples
