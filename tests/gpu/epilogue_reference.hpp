#pragma once

/// \file
/// What a GEMM's result is with bias, activation and residual, and rows that are further apart than they are
/// long: computed on the host, from sums in float.

#include "gpu/gemm_reference.hpp"
#include "gpu/kernel_support.hpp"

#include <contextual/kernels/cuda/activation.hpp>

#include <algorithm>

namespace contextual::test::gpu_test {

using kernels::cuda::Activation;

inline constexpr Activation activations[] = {Activation::none, Activation::relu, Activation::gelu,
                                             Activation::silu};

inline double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::silu:
      return x / (1 + std::exp(-x));
  }
  return NAN;
}

/// Returns where an element of a dense matrix is.
inline std::size_t element(int row, int column, int columns) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

/// Values of the host and of the device, the latter with room between the rows, which holds NaN.
class HalfMatrix {
 public:
  static constexpr int gap = 24;  ///< values between two rows of a pitched matrix

  /// `room` values are between rows.
  HalfMatrix(const Half& half, int rows, int columns, unsigned seed, int room = 0)
      : half_(half),
        columns_(columns),
        pitch_(columns + room),
        values_(half.within(0.7F, element(rows, 0, columns), seed)),
        on_device_(spread(rows)) {}

  int pitch() const { return pitch_; }
  const std::uint16_t* row(int row) const { return on_device_.get() + element(row, 0, pitch_); }
  double value(int row, int column) const { return half_.value(values_[element(row, column, columns_)]); }

 private:
  std::vector<std::uint16_t> spread(int rows) const {
    std::vector<std::uint16_t> all(element(rows, 0, pitch_), poison_bits);
    for (int row = 0; row < rows; ++row) {
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(element(row, 0, columns_)), columns_,
                  all.begin() + static_cast<std::ptrdiff_t>(element(row, 0, pitch_)));
    }
    return all;
  }

  Half half_;
  int columns_;
  int pitch_;
  std::vector<std::uint16_t> values_;
  DeviceArray<std::uint16_t> on_device_;
};

/// What is expected of an element, and by how much it may differ.
struct ExpectedValue {
  double value = 0;
  double allowed = 0;
};

/// Memory for a result, poisoned; rows may have room between them.
class ResultMemory {
 public:
  ResultMemory(const Half& half, int rows, int columns)
      : half_(half),
        columns_(columns),
        memory_(static_cast<std::size_t>(rows + 1) * static_cast<std::size_t>(columns + HalfMatrix::gap)) {}

  std::uint16_t* get() const { return memory_.get(); }
  int pitch(bool pitched) const { return columns_ + (pitched ? HalfMatrix::gap : 0); }

  /// Counts the elements of a result of so many rows that differ from `expected(row, column)`, NaN among
  /// them, and whatever was written around it; and poisons the memory. Waits for the device.
  template <typename Expected>
  std::size_t wrong(int rows, bool pitched, const Expected& expected) {
    const std::vector<std::uint16_t> values = memory_.host();
    memory_.poison();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int row = static_cast<int>(i / static_cast<std::size_t>(pitch(pitched)));
      const int column = static_cast<int>(i % static_cast<std::size_t>(pitch(pitched)));
      if (row >= rows || column >= columns_) {
        wrong += values[i] == poison_bits ? 0 : 1;
        continue;
      }
      const ExpectedValue wanted = expected(row, column);
      wrong += std::abs(half_.value(values[i]) - wanted.value) <= wanted.allowed ? 0 : 1;
    }
    return wrong;
  }

  /// Returns true if all of a result of so many rows is NaN, and nothing around it, where zeros were before.
  bool is_nan_in_zeros(int rows, bool pitched) const {
    const std::vector<std::uint16_t> values = memory_.host();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool inside = static_cast<int>(i / static_cast<std::size_t>(pitch(pitched))) < rows &&
                          static_cast<int>(i % static_cast<std::size_t>(pitch(pitched))) < columns_;
      if (inside ? !std::isnan(half_.value(values[i])) : values[i] != 0) {
        return false;
      }
    }
    return true;
  }
  void zero() {
    const std::size_t count = memory_.host().size();
    cuda_check(cudaMemset(memory_.get(), 0, count * sizeof(std::uint16_t)));
    cuda_check(cudaDeviceSynchronize());
  }

 private:
  Half half_;
  int columns_;
  DeviceArray<std::uint16_t> memory_;
};

/// A B^T in float, of dense matrices.
inline std::vector<float> reference_sums(const HalfMatrix& a, const HalfMatrix& b, int m, int n, int k,
                                         bool bf16) {
  const DeviceArray<float> sums(element(m, 0, n));
  reference_gemm()(nullptr, sums.get(), a.row(0), b.row(0), m, n, k, bf16);
  return sums.host();
}

}  // namespace contextual::test::gpu_test
