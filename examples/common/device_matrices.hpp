#pragma once

/// \file
/// Matrices in bf16 on a GPU whose elements everybody can compute again: what several ranks need to
/// check each other's results without sending data.

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

std::size_t elements_of(int rows, int columns);

/// Of a matrix in bf16, at least one row.
std::size_t bytes_of(int rows, int columns);

/// A matrix of random elements in (-1, 1) times `scale`, rounded to bf16, whose standard deviation is 0.29 of
/// it and whose distribution is about normal, as that of weights and activations: a device's power depends on
/// it. The number decides about all elements.
struct RandomMatrix {
  std::uint64_t number = 0;
  float scale = 1;

  std::uint16_t bits(std::size_t index) const;
  double value(std::size_t index) const;
  /// Writes elements [first, first + count) to the device, and waits.
  void upload(void* to, std::size_t first, std::size_t count) const;
};

}  // namespace examples
