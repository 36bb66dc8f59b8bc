#pragma once

/// \file
/// A loop over blocks, shared among the threads of the pool.

#include "kernels/host/thread_pool.hpp"

#include <algorithm>

namespace contextual::kernels {

/// Calls `body(begin, end)` for the blocks [0, block), [block, 2 block), ... of [0, count). Thread t of
/// `threads` takes the blocks t, t + threads, ..., so the assignment does not depend on timing. `block` and
/// `threads` must be at least 1.
template <typename Body>
void for_blocks(long count, long block, int threads, const Body& body) {
  const long blocks = (count + block - 1) / block;
  const int parts = static_cast<int>(std::min<long>(threads, blocks));
  ThreadPool::shared().run(parts, [&](int part) {
    for (long b = part; b < blocks; b += parts) {
      body(b * block, std::min(count, (b + 1) * block));
    }
  });
}

}  // namespace contextual::kernels
