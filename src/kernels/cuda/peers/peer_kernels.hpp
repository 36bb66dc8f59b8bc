#pragma once

/// \file
/// The small kernels by which ranks meet, end a call, and fetch rows. They are not tuned by
/// themselves.

#include "kernels/cuda/peers/peer_control.hpp"

#include <contextual/cuda.hpp>

#include <cuda.h>

namespace contextual::kernels::cuda {

/// Returns the source with the headers of these kernels, for another one whose ranks wait for each other.
CudaSource with_peer_headers(CudaSource source);

/// Compiles and loads them for the current device, so that no launch does so beside a kernel that waits.
/// Throws CudaError or CudaUnavailable.
void load_peer_kernels();

/// Launch one kernel each. Throw CudaError if the launch fails. `blocks` is the number of multiprocessors
/// that fetch.
void launch_peer_begin(CUstream stream, const PeerBegin& begin);
void launch_peer_end(CUstream stream, const PeerEnd& end);
void launch_peer_fetch(CUstream stream, const PeerFetch& fetch, int blocks);

}  // namespace contextual::kernels::cuda
