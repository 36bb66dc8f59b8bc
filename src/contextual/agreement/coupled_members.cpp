#include "contextual/agreement/coupled_members.hpp"

#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>

namespace contextual::agreement {

void check_coupled_members(detail::RunContext& context) {
  for (const detail::ProblemSlot& slot : context.slots()) {
    if (slot.state_index || slot.coupling.empty() || slot.members.empty()) {
      continue;
    }
    for (const auto& registered : LaunchRegistry::instance().coupled(slot.coupling)) {
      const bool seen = std::any_of(slot.members.begin(), slot.members.end(),
                                    [&](const auto& member) { return member.get() == registered.get(); });
      if (!seen) {
        throw InvalidArgument(
            "region \"" + context.region() + "\": kernel \"" + registered->traits().name +
            "\" is coupled as \"" + slot.coupling + "\" but was not launched with key " + slot.key_text +
            ": coupled kernels are launched in the same runs of the region and compute equal "
            "keys");
      }
    }
  }
}

}  // namespace contextual::agreement
