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

/// How long a thread waits for others: until the call has waited for its budget, the host wants it, or something has
/// failed already. The call's time begins with its first wait that does not end at once.
class Patience {
 public:
  __device__ explicit Patience(const PeerBegin& p) : p_(p) {}

  /// Fails for this reason if it has ended by itself.
  __device__ bool has_ended(unsigned reason) {
    if (load_from_peers(&p_.control[p_.rank]->failed) != PeerFailure::none) {
      return true;
    }
    const unsigned long long now = now_ns();
    if (begin_ == 0) {
      const unsigned long long before = atomicCAS(&p_.control[p_.rank]->waits_since, 0ULL, now);
      begin_ = before == 0 ? now : before;
      next_look_at_host_ = now + host_interval_ns;
    }
    if (now > begin_ + p_.wait_budget_ns) {
      fail(p_, reason);
      return true;
    }
    if (may_look_at_host(now) && load_from_peers(p_.host_abort) != 0) {
      fail(p_, PeerFailure::aborted);
      return true;
    }
    return false;
  }

 private:
  static constexpr unsigned long long host_interval_ns = 50'000;

  /// One thread of the device at a time: if many read the host's memory, whoever tells another device something waits
  /// for them for hundreds of microseconds.
  __device__ bool may_look_at_host(unsigned long long now) {
    if (now < next_look_at_host_) {
      return false;
    }
    next_look_at_host_ = now + host_interval_ns;
    unsigned long long* const looked = &p_.control[p_.rank]->looked_at_host;
    const unsigned long long before = load_from_peers(looked);
    return now - before >= host_interval_ns && atomicCAS(looked, before, now) == before;
  }

  const PeerBegin& p_;
  unsigned long long begin_ = 0;
  unsigned long long next_look_at_host_ = 0;
};

/// Waits until `holds()`, and returns true; or false in vain.
template <typename Condition>
__device__ bool wait_until(const PeerBegin& p, unsigned reason, const Condition& holds) {
  Patience patience(p);
  while (!holds()) {
    if (patience.has_ended(reason)) {
      return false;
    }
  }
  return true;
}

/// One of `warps` that fill rows of `n` 16-bit values, which are `pitch` values apart, so that a result that lacks
/// something never looks right. Both are multiples of 8.
__device__ void fill_with_nan(void* output, int rows, int n, int pitch, int warp, int warps) {
  constexpr unsigned nans = 0xffffffff;  // two in bf16 and in fp16
  auto* const vectors = static_cast<uint4*>(output);
  for (int row = warp; row < rows; row += warps) {
    for (int i = static_cast<int>(threadIdx.x) % 32; i < n / 8; i += 32) {
      vectors[static_cast<long long>(row) * (pitch / 8) + i] = {nans, nans, nans, nans};
    }
  }
}

}  // namespace
