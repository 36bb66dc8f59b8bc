#include <contextual/detail/measure/cache_clearing.hpp>

#include <atomic>

namespace contextual::detail {
namespace {

constinit std::atomic<CacheClearingFactory> in_force{nullptr};

}  // namespace

CacheClearing::~CacheClearing() = default;

void set_cache_clearing(CacheClearingFactory factory) noexcept {
  in_force.store(factory);
}

CacheClearingFactory cache_clearing() noexcept {
  return in_force.load();
}

}  // namespace contextual::detail
