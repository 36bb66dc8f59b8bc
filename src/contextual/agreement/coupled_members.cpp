#include "contextual/agreement/coupled_members.hpp"

#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>

namespace contextual::agreement {

void check_coupled_members(detail::RunContext& context) {
  for (const detail::ProblemSlot& slot : context.slots()) {
    if (slot.joined() || slot.problem.coupling.empty() || slot.found.members.empty()) {
      continue;
    }
    for (const auto& registered : LaunchRegistry::instance().coupled(slot.problem.coupling)) {
      const bool seen = std::any_of(slot.found.members.begin(), slot.found.members.end(),
                                    [&](const auto& member) { return member.get() == registered.get(); });
      if (!seen) {
        throw InvalidArgument(
            "region \"" + context.region() + "\": kernel \"" + registered->traits().name +
            "\" is coupled as \"" + slot.problem.coupling + "\" but was not launched with key " +
            slot.problem.key_text +
            ": coupled kernels are launched in the same runs of the region and compute equal "
            "keys");
      }
    }
  }
}

}  // namespace contextual::agreement
