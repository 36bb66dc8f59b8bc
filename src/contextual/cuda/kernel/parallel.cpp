#include "contextual/cuda/kernel/parallel.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace contextual::cuda {
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      work(i);
    }
  };
  std::vector<std::jthread> helpers;
  // Several ranks of a node are often given a part of its cores each.
  const auto cores = static_cast<std::size_t>(detail::usable_processors(0));
  for (std::size_t i = 1; i < std::min(count, cores); ++i) {
    helpers.emplace_back(take);
  }
  take();
}

}  // namespace contextual::cuda
