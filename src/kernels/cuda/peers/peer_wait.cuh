#pragma once

/// Waits of a rank for what the others do, which fail together. Compiled by NVRTC.

#include "peer_control.hpp"
#include "peer_words.cuh"

namespace {

using contextual::kernels::cuda::PeerBegin;
using contextual::kernels::cuda::PeerFailure;

/// Tells this rank, its host and all peers, unless they know of a failure already.
__device__ void fail(const PeerBegin& p, unsigned reason) {
  for (int rank = 0; rank < p.ranks; ++rank) {
    atomicCAS_system(&p.control[rank]->failed, PeerFailure::none,
                     rank == p.rank ? reason : PeerFailure::told_by + p.rank);
  }
  store_for_peers(p.host_failed, load_from_peers(&p.control[p.rank]->failed));
}

/// Waits until `holds()`, and returns true. Gives up when the time is up, the host wants it, or something has failed
/// already.
template <typename Condition>
__device__ bool wait_until(const PeerBegin& p, unsigned reason, const Condition& holds) {
  constexpr unsigned long long host_interval_ns = 50'000;  // a read of its memory takes about a microsecond
  const unsigned* const failed = &p.control[p.rank]->failed;
  const unsigned long long begin = now_ns();
  unsigned long long next_look_at_host = begin + host_interval_ns;
  while (!holds()) {
    if (load_from_peers(failed) != PeerFailure::none) {
      return false;
    }
    const unsigned long long now = now_ns();
    if (now - begin > p.wait_budget_ns) {
      fail(p, reason);
      return false;
    }
    if (now >= next_look_at_host) {
      next_look_at_host = now + host_interval_ns;
      if (load_from_peers(p.host_abort) != 0) {
        fail(p, PeerFailure::aborted);
        return false;
      }
    }
  }
  return true;
}

/// Fills `count` 16-bit values, a multiple of 8 at a multiple of 16 bytes, so that a result that lacks something never
/// looks right.
__device__ void fill_with_nan(void* output, unsigned long long count, int thread, int threads) {
  constexpr unsigned nans = 0xffffffff;  // two in bf16 and in fp16
  auto* const vectors = static_cast<uint4*>(output);
  for (unsigned long long i = thread; i < count / 8; i += threads) {
    vectors[i] = {nans, nans, nans, nans};
  }
}

}  // namespace
