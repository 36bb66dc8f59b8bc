#include "contextual/launch/use_pass.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/watched_launch.hpp>

#include <utility>

namespace contextual::detail {

bool WatchedLaunch::fall_back() {
  thread_state().use->saw_rejection();
  const KernelTraits& traits = core_.traits();
  if (!traits.coupling.empty()) {
    return false;
  }
  return std::exchange(config_id_, 0) != 0;
}

}  // namespace contextual::detail
