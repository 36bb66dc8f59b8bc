#include "contextual/launch/use_pass.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/watched_launch.hpp>

namespace contextual::detail {

bool WatchedLaunch::fall_back() {
  thread_state().use->saw_rejection();
  const KernelTraits& traits = core_.traits();
  if (!traits.coupling.empty()) {
    return false;
  }
  const std::size_t failed = config_id_;
  const std::size_t count = traits.prepare ? 1 : core_.space().size;
  while (next_ < count) {
    config_id_ = next_++;
    if (config_id_ != failed) {
      return true;
    }
  }
  return false;
}

}  // namespace contextual::detail
