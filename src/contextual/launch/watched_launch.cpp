#include "contextual/launch/kernel_pins.hpp"
#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/launch/use_pass.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/watched_launch.hpp>
#include <contextual/error.hpp>

#include <utility>

namespace contextual::detail {

bool WatchedLaunch::fall_back(const std::string& reason) {
  const ThreadState& thread = thread_state();
  if (const std::string file = core_.pinning_file(region_of(thread), key_, thread.scope); !file.empty()) {
    throw Error(pinned_failure_text(file, core_, key_, config_id_, reason));
  }
  thread.use->saw_rejection();
  const KernelTraits& traits = core_.traits();
  if (!traits.coupling.empty()) {
    return false;
  }
  return std::exchange(config_id_, 0) != 0;
}

}  // namespace contextual::detail
