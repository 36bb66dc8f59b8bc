#pragma once

/// \file
/// A CUDA stream of an example's own.

#include "common/device_matrices.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>

namespace examples {

/// A stream of the current device, apart from the default stream. The destructor waits for what is in it: as
/// the last member of a class, it is gone before the memory that its work uses.
class DeviceStream {
 public:
  DeviceStream() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  ~DeviceStream() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }

  cudaStream_t get() const noexcept { return stream_; }
  void wait() const { check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }
  /// Fills the memory with NaN of 16 bits, in stream order.
  void poison(void* memory, std::size_t bytes) const {
    check_cuda(cudaMemsetAsync(memory, 0xff, bytes, stream_), "cudaMemsetAsync");
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace examples
