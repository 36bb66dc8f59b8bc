#pragma once

#include <contextual/deadline.hpp>
#include <contextual/detail/cuda/exchange_buffer.hpp>
#include <contextual/detail/sync/nccl_api.hpp>

#include <cstddef>
#include <functional>

namespace contextual::sync {

/// Runs operations of an NCCL communicator one after the other, each with its data on the way to the device
/// and back. Waits by polling only. Does not own the communicator.
class NcclChannel {
 public:
  using Range = detail::ExchangeBuffer::Range;
  /// Posts the operation on this stream, on data in the buffer's memory on the device. The device is current.
  using Post = std::function<ncclResult_t(std::byte* device, CUstream stream)>;

  NcclChannel(ncclComm_t communicator, detail::ExchangeBuffer& buffer) noexcept
      : communicator_(communicator), buffer_(buffer) {}

  /// Waits until the communicator is ready for the next operation. Throws CommunicationError if the deadline
  /// expires first, or with NCCL's words.
  void wait_until_ready(Deadline& deadline) const;

  /// Copies `sent` to the device, runs the operation, and copies `received` back. Throws as
  /// `wait_until_ready` does, and CudaError or DeviceError. What was begun is then still under way.
  void run(Range sent, const Post& post, Range received, Deadline& deadline) const;

 private:
  bool in_progress() const;
  void wait_for_device(Deadline& deadline) const;

  ncclComm_t communicator_;
  detail::ExchangeBuffer& buffer_;
};

}  // namespace contextual::sync
