#pragma once

/// \file
/// Operands, output and reference of a GEMM, the reference from a plain kernel on the GPU: for every element
/// of matrices of a real size.

#include "gpu/kernel_support.hpp"

#include <contextual/kernels/cuda/gemm.hpp>

#include <cmath>
#include <cstddef>

namespace contextual::test::gpu_test {

struct GemmShape {
  int m = 1;
  int n = 1;
  int k = 1;
  bool bf16 = true;

  std::string text() const {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
           (bf16 ? " bf16" : " fp16");
  }
};

/// One thread an element, in float, one product after the other.
inline constexpr const char* reference_gemm_source = R"(
__device__ float value(unsigned short bits, bool bf16) {
  float f;
  if (bf16) { return __uint_as_float(static_cast<unsigned>(bits) << 16); }
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(bits));
  return f;
}
extern "C" __global__ void reference_gemm(float* c, const unsigned short* a, const unsigned short* b, int m, int n,
                                          int k, bool bf16) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) { return; }
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    sum += value(a[static_cast<long long>(row) * k + i], bf16) * value(b[static_cast<long long>(column) * k + i], bf16);
  }
  c[static_cast<long long>(row) * n + column] = sum;
}
)";

struct ReferenceGemmConfig {
  int threads = 16;
};
using ReferenceKernel =
    CudaKernel<ReferenceGemmConfig, float*, const std::uint16_t*, const std::uint16_t*, int, int, int, bool>;

inline ReferenceKernel& reference_gemm() {
  static ReferenceKernel kernel(
      "reference_gemm", {{"THREADS", &ReferenceGemmConfig::threads, {16}}},
      [](float* const&, const std::uint16_t* const&, const std::uint16_t* const&, const int& m, const int& n,
         const int& k, const bool& bf16) { return make_key(m, n, k, bf16); },
      {.source = CudaSource::text("reference_gemm.cu", reference_gemm_source),
       .variant = [](const ReferenceGemmConfig&) { return CudaVariant{.function = "reference_gemm"}; },
       .layout =
           [](const ReferenceGemmConfig& config, float* const&, const std::uint16_t* const&,
              const std::uint16_t* const&, const int& m, const int& n, const int&, const bool&) {
             const auto side = static_cast<unsigned>(config.threads);
             return CudaLayout{.grid = {(static_cast<unsigned>(n) + side - 1) / side,
                                        (static_cast<unsigned>(m) + side - 1) / side},
                               .block = {side, side}};
           }});
  return kernel;
}

/// Operands, result with a guard behind it, and reference of one shape.
class ReferenceGemm {
 public:
  /// Roundings are spread evenly over a step, so their root mean square is well below the largest; sums in
  /// float add next to nothing.
  static constexpr double most_error = 0.5;

  explicit ReferenceGemm(const GemmShape& shape)
      : shape_(shape),
        half_{shape.bf16},
        a_(half_.random(static_cast<std::size_t>(shape.m) * shape.k, 1)),
        b_(half_.random(static_cast<std::size_t>(shape.n) * shape.k, 2)),
        c_(count() + guard) {
    const DeviceArray<float> sums(count());
    reference_gemm()(nullptr, sums.get(), a_.get(), b_.get(), shape.m, shape.n, shape.k, shape.bf16);
    expected_ = sums.host();
  }

  kernels::cuda::GemmArgs args() const {
    return {.a = a_.get(),
            .b = b_.get(),
            .c = c_.get(),
            .m = shape_.m,
            .n = shape_.n,
            .k = shape_.k,
            .type = shape_.bf16 ? kernels::cuda::GemmType::bf16 : kernels::cuda::GemmType::fp16};
  }
  void poison() { c_.poison(); }

  /// Relative, in the Frobenius norm, over the largest error of one rounding to the type. NaN where something
  /// was not written; infinite where something outside of C was.
  double error() const {
    const std::vector<std::uint16_t> c = c_.host();
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < count(); ++i) {
      const double wrong_by = half_.value(c[i]) - static_cast<double>(expected_[i]);
      difference += wrong_by * wrong_by;
      norm += static_cast<double>(expected_[i]) * static_cast<double>(expected_[i]);
    }
    for (std::size_t i = count(); i < c.size(); ++i) {
      if (c[i] != poison_bits) {
        return HUGE_VAL;
      }
    }
    return std::sqrt(difference / norm) / half_.rounding();
  }

 private:
  static constexpr std::size_t guard = 4096;

  std::size_t count() const {
    return static_cast<std::size_t>(shape_.m) * static_cast<std::size_t>(shape_.n);
  }

  GemmShape shape_;
  Half half_;
  DeviceArray<std::uint16_t> a_;
  DeviceArray<std::uint16_t> b_;
  DeviceArray<std::uint16_t> c_;
  std::vector<float> expected_;
};

}  // namespace contextual::test::gpu_test
