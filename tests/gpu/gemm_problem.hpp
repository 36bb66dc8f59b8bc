#pragma once

/// \file
/// Operands, output and reference of a GEMM, for tests of what computes C[m, n] = A[m, k] B[n, k]^T.

#include "gpu/kernel_support.hpp"

#include <contextual/kernels/cuda/gemm.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace contextual::test::gpu_test {

class GemmProblem {
 public:
  /// `offset`: elements by which A is behind an aligned address.
  GemmProblem(int m, int n, int k, bool bf16, std::size_t offset = 0)
      : m_(m),
        n_(n),
        k_(k),
        half_{bf16},
        on_a_(half_.random(size(m, k), 1), offset),
        on_b_(half_.random(size(n, k), 2)),
        on_c_(size(m, n) + guard),
        a_(values(on_a_.host())),
        b_(values(on_b_.host())) {}

  kernels::cuda::GemmArgs args() const {
    using kernels::cuda::GemmType;
    kernels::cuda::GemmArgs args;
    args.a = on_a_.get();
    args.b = on_b_.get();
    args.c = on_c_.get();
    args.m = m_;
    args.n = n_;
    args.k = k_;
    args.type = half_.bf16 ? GemmType::bf16 : GemmType::fp16;
    return args;
  }

  void poison() { on_c_.poison(); }

  /// Elements that are further off than float sums allow, NaN among them, and writes behind the end. Every
  /// `step`-th element and the last one are looked at, all of them for NaN.
  int wrong(std::size_t step = 1) const {
    const std::vector<std::uint16_t> c = on_c_.host();
    int wrong = 0;
    for (std::size_t i = 0; i < size(m_, n_); ++i) {
      if (i % step == 0 || i + 1 == size(m_, n_)) {
        wrong += is_right(c[i], i / static_cast<std::size_t>(n_), i % static_cast<std::size_t>(n_)) ? 0 : 1;
      } else {
        wrong += std::isnan(half_.value(c[i])) ? 1 : 0;
      }
    }
    return wrong + static_cast<int>(std::count_if(c.end() - guard, c.end(),
                                                  [](auto bits) { return bits != poison_bits; }));
  }

  std::string text() const {
    return std::to_string(m_) + " x " + std::to_string(n_) + " x " + std::to_string(k_) +
           (half_.bf16 ? " bf16" : " fp16");
  }

 private:
  static constexpr int guard = 64;

  static std::size_t size(int rows, int columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  }

  std::vector<float> values(const std::vector<std::uint16_t>& bits) const {
    std::vector<float> values(bits.size());
    std::transform(bits.begin(), bits.end(), values.begin(),
                   [this](std::uint16_t element) { return static_cast<float>(half_.value(element)); });
    return values;
  }

  struct Expected {
    double value = 0;
    double allowed = 0;  ///< by which a result may differ
  };

  bool is_right(std::uint16_t bits, std::size_t row, std::size_t column) const {
    const auto [place, is_new] = expected_.try_emplace(std::pair(row, column));
    if (is_new) {
      place->second = compute(row, column);
    }
    return std::abs(half_.value(bits) - place->second.value) <= place->second.allowed;
  }

  Expected compute(std::size_t row, std::size_t column) const {
    const auto k = static_cast<std::size_t>(k_);
    double sum = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const float term = a_[row * k + i] * b_[column * k + i];  // of 8 or 11 bits each: exact
      sum += static_cast<double>(term);
      magnitude += static_cast<double>(std::abs(term));
    }
    // One rounding of the result, and float sums in any order.
    return {sum, half_.rounding() * std::abs(sum) + 0x1p-20 * magnitude + 0x1p-25};
  }

  int m_;
  int n_;
  int k_;
  Half half_;
  DeviceArray<std::uint16_t> on_a_;
  DeviceArray<std::uint16_t> on_b_;
  DeviceArray<std::uint16_t> on_c_;
  std::vector<float> a_;
  std::vector<float> b_;
  /// By row and column. Computed once, as many results are compared with it.
  mutable std::map<std::pair<std::size_t, std::size_t>, Expected> expected_;
};

}  // namespace contextual::test::gpu_test
