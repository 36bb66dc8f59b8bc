#pragma once

#include <contextual/export.hpp>

#include <cuda.h>

#include <cstddef>
#include <optional>

namespace contextual::detail {

/// Memory of a device, as much pinned memory of the host, and a stream of their own, through which a small
/// message goes to a device and back. Nothing here waits for the device but the destructor. One thread at a
/// time may use it, whichever context is current there.
class CONTEXTUAL_API ExchangeBuffer {
 public:
  /// A piece of both memories.
  struct Range {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };

  /// On this device, in its primary context; or, for nothing, in the context that is current on the calling
  /// thread. Throws InvalidArgument if no context is current or there is no such device, CudaUnavailable, and
  /// CudaError.
  ExchangeBuffer(std::optional<int> device, std::size_t bytes);
  ExchangeBuffer(const ExchangeBuffer&) = delete;
  ExchangeBuffer& operator=(const ExchangeBuffer&) = delete;
  /// Frees everything, unless it was abandoned. Waits for work on the device.
  ~ExchangeBuffer();

  std::byte* host() noexcept { return static_cast<std::byte*>(host_); }
  std::byte* device() noexcept;
  std::size_t bytes() const noexcept { return bytes_; }
  CUstream stream() const noexcept { return stream_; }
  CUcontext context() const noexcept { return context_; }

  void copy_to_device(Range range);  ///< puts a copy on the stream; throws CudaError or DeviceError
  void copy_to_host(Range range);    ///< the same in the other direction
  /// Returns true if all work of the stream is done. Throws CudaError or DeviceError if the device failed.
  bool done();

  /// Keeps the destructor from freeing anything: work that may never end still uses it.
  void abandon() noexcept { abandoned_ = true; }

 private:
  void allocate();
  void free() noexcept;

  std::size_t bytes_;
  std::optional<CUdevice> retained_;  ///< whose primary context was retained here
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr device_ = 0;
  void* host_ = nullptr;
  bool abandoned_ = false;
};

}  // namespace contextual::detail
