#include "common/device_matrices.hpp"

#include <contextual/kernels/cuda/half_bits.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {

namespace cuda = contextual::kernels::cuda;

void check_cuda(cudaError_t code, const char* what) {
  if (code != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
  }
}

DeviceBytes::DeviceBytes(std::size_t bytes) {
  check_cuda(cudaMalloc(&memory_, bytes), "cudaMalloc");
}

std::size_t elements_of(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

std::size_t bytes_of(int rows, int columns) {
  return elements_of(std::max(rows, 1), columns) * sizeof(std::uint16_t);
}

std::uint16_t RandomMatrix::bits(std::size_t index) const {
  std::uint64_t random = (number + 1) * 0x9e3779b97f4a7c15U + index;  // splitmix64
  random = (random ^ (random >> 30U)) * 0xbf58476d1ce4e5b9U;
  random = (random ^ (random >> 27U)) * 0x94d049bb133111ebU;
  random ^= random >> 31U;
  std::uint64_t sum = 0;  // of four uniform numbers: close to normal
  for (unsigned shift = 0; shift < 64; shift += 16) {
    sum += random >> shift & 0xffffU;
  }
  return cuda::to_bf16(scale * (static_cast<float>(sum) * 0x1p-17F - 1));
}

double RandomMatrix::value(std::size_t index) const {
  return cuda::from_bf16(bits(index));
}

void RandomMatrix::upload(void* to, std::size_t first, std::size_t count) const {
  std::vector<std::uint16_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = bits(first + i);
  }
  check_cuda(cudaMemcpy(to, values.data(), count * sizeof(std::uint16_t), cudaMemcpyHostToDevice),
             "an upload");
  check_cuda(cudaDeviceSynchronize(), "an upload");
}

}  // namespace examples
