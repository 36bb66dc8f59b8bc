#pragma once

/// \file
/// A result that is worth nothing once a call on its workspace has failed. Also compiled by NVRTC.

#include "peer_control.hpp"

namespace contextual::kernels::cuda {

/// Rows of 16-bit values; n and the pitch are multiples of 8.
struct SpoilParameters {
  const PeerControl* control = nullptr;  ///< of this rank
  void* output = nullptr;
  int rows = 0;
  const int* rows_on_device = nullptr;  ///< where only the device knows how many there are; null otherwise
  int n = 0;
  int pitch = 0;
};

}  // namespace contextual::kernels::cuda
