#include "contextual/record/problem_view.hpp"

namespace contextual::record {

const Config& config_of(const detail::ProblemSlot& slot, std::size_t config_id) {
  static const Config unknown;
  return slot.found.members.empty() ? unknown : slot.found.members.front()->space().configs[config_id];
}

ConfigUse config_use(const detail::ProblemSlot& slot, std::size_t config_id) {
  return {{slot.problem.name, slot.problem.key_text},
          static_cast<std::int64_t>(config_id),
          config_of(slot, config_id)};
}

}  // namespace contextual::record
