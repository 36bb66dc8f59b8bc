#pragma once

/// \file
/// Streams that run beside a caller's stream for a part of a call.

#include "kernels/cuda/peers/peer_control.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

namespace contextual::kernels::cuda {

/// Streams of the current device. Works under stream capture, too. One thread uses it.
class PeerLanes {
 public:
  /// Throws CudaError.
  PeerLanes();
  PeerLanes(const PeerLanes&) = delete;
  PeerLanes& operator=(const PeerLanes&) = delete;
  ~PeerLanes();

  /// Lets the first `count` lanes wait for what `stream` has been given so far. Throws CudaError.
  void fork(cudaStream_t stream, int count);
  /// Lets `stream` wait for what those lanes have been given.
  void join(cudaStream_t stream);

  cudaStream_t operator[](int lane) const noexcept { return lanes_[static_cast<std::size_t>(lane)].stream; }

 private:
  struct Lane {
    cudaStream_t stream = nullptr;
    cudaEvent_t end = nullptr;
  };

  std::array<Lane, PeerControl::most_lanes> lanes_;
  cudaEvent_t begin_ = nullptr;
  int forked_ = 0;
};

}  // namespace contextual::kernels::cuda
