#include "contextual/tuning/timer_warning.hpp"

namespace contextual::tuning {

std::optional<std::string> timer_warning(const Timer& timer, const std::deque<detail::ProblemSlot>& slots) {
  if (timer.measures_devices()) {
    return std::nullopt;
  }
  for (const detail::ProblemSlot& slot : slots) {
    for (const auto& member : slot.found.members) {
      if (member->traits().works_on_stream()) {
        return "kernel \"" + member->traits().name + "\" works on a stream, but the timer \"" +
               std::string(timer.name()) +
               "\" measures only how long the call of a launch takes. Give the options a timer of devices: "
               "Options{.timer = contextual::cuda_or_host_timer}, or once in the program "
               "contextual::set_default_timer(contextual::cuda_or_host_timer). Without a GPU, that timer is "
               "the "
               "host's clock, too";
      }
    }
  }
  return std::nullopt;
}

}  // namespace contextual::tuning
