#pragma once

/// \file
/// Matrices of 16-bit values on a GPU whose elements everybody can compute again: what several ranks need to
/// check each other's results without sending data.

#include <contextual/kernels/cuda/gemm.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace examples {

/// Throws std::runtime_error with CUDA's words.
void check_cuda(cudaError_t code, const char* what);

/// Memory on the current device.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes);
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(memory_); }

  void* get() const noexcept { return memory_; }

 private:
  void* memory_ = nullptr;
};

/// Of a matrix of 16-bit values, at least one row.
std::size_t bytes_of(int rows, int columns);

/// A matrix of random elements in (-1/2, 1/2) times `scale`, rounded to the type. The number decides about
/// all elements.
struct RandomMatrix {
  std::uint64_t number = 0;
  contextual::kernels::cuda::GemmType type = contextual::kernels::cuda::GemmType::bf16;
  float scale = 1;

  std::uint16_t bits(std::size_t index) const;
  double value(std::size_t index) const;
  /// Writes elements [first, first + count) to the device, and waits.
  void upload(void* to, std::size_t first, std::size_t count) const;
};

/// The value of 16 bits of the type.
double value_of(std::uint16_t bits, contextual::kernels::cuda::GemmType type);

}  // namespace examples
