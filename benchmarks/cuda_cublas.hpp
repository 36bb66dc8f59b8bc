#pragma once

/// \file
/// cuBLAS with the algorithm that it chooses itself, and matrices for it.

#include "cuda_common.hpp"

#include <contextual/kernels/cuda/gemm.hpp>
#include <contextual/kernels/cuda/half_bits.hpp>

#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace contextual::benchmarks {

inline void check_cublas(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
  }
}

/// Normally distributed. What is drawn on the host is repeated, with a period that no tile divides.
class RandomMatrix {
 public:
  RandomMatrix(int rows, int columns, bool fp16, unsigned seed) : values_(element_count(rows, columns)) {
    constexpr std::size_t period = 1'000'003;
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<std::uint16_t> drawn(std::min(period, values_.size()));
    for (std::uint16_t& value : drawn) {
      value = fp16 ? kernels::cuda::to_fp16(normal(generator)) : kernels::cuda::to_bf16(normal(generator));
    }
    CONTEXTUAL_CHECKED(cudaMemcpy(values_.get(), drawn.data(), drawn.size() * sizeof(std::uint16_t),
                                  cudaMemcpyHostToDevice));
    for (std::size_t filled = drawn.size(); filled < values_.size(); filled *= 2) {
      const std::size_t more = std::min(filled, values_.size() - filled);
      CONTEXTUAL_CHECKED(cudaMemcpy(values_.get() + filled, values_.get(), more * sizeof(std::uint16_t),
                                    cudaMemcpyDeviceToDevice));
    }
    CONTEXTUAL_CHECKED(cudaDeviceSynchronize());  // no stream here waits for the default one
  }
  const std::uint16_t* get() const noexcept { return values_.get(); }

 private:
  Buffer<std::uint16_t> values_;
};

/// How far values are from others, relative, in the Frobenius norm.
inline double difference(const std::vector<std::uint16_t>& ours, const std::vector<std::uint16_t>& theirs,
                         float (*from_bits)(std::uint16_t) = kernels::cuda::from_bf16) {
  double off = 0;
  double norm = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double value = from_bits(theirs[i]);
    off += std::pow(from_bits(ours[i]) - value, 2);
    norm += value * value;
  }
  return std::sqrt(off / norm);
}

/// Throws std::runtime_error if a difference is not less than the bound.
inline void require_less(double difference, double bound) {
  if (!(difference < bound)) {
    throw std::runtime_error("the results differ by " + std::to_string(difference));
  }
}

/// The first million elements, once the stream has done its work.
inline std::vector<std::uint16_t> result_of(const Stream& stream, const Buffer<std::uint16_t>& c) {
  stream.wait();
  return c.download(0, std::min<std::size_t>(c.size(), 1 << 20));
}

class Cublas {
 public:
  explicit Cublas(const Stream& stream) {
    check_cublas(cublasCreate(&handle_));
    check_cublas(cublasSetStream(handle_, stream));
  }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas() { cublasDestroy(handle_); }

  /// cuBLAS counts in columns: it is asked for C's transpose, B * A^T.
  void gemm(const kernels::cuda::GemmArgs& args, void* c) const {
    const float one = 1;
    const float zero = 0;
    const cudaDataType_t type = args.type == kernels::cuda::GemmType::bf16 ? CUDA_R_16BF : CUDA_R_16F;
    check_cublas(cublasGemmEx(handle_, CUBLAS_OP_T, CUBLAS_OP_N, args.n, args.m, args.k, &one, args.b, type,
                              args.k, args.a, type, args.k, &zero, c, type, args.n, CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT));
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

}  // namespace contextual::benchmarks
