#pragma once

#include <cstddef>
#include <functional>

namespace contextual::cuda {

/// Calls `work(i)` for i in [0, count) on as many threads as there are cores, at most `count`, and returns
/// when all are done. `work` must not throw.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace contextual::cuda
