#include "contextual/record/problem_view.hpp"

namespace contextual::record {

const Config& config_of(const detail::ProblemSlot& slot, std::size_t config_id) {
  static const Config unknown;
  if (slot.found.members.empty()) {
    return slot.found.configs == nullptr ? unknown : slot.found.configs->at(config_id);
  }
  return slot.found.members.front()->space().configs[config_id];
}

ProblemName name_of(const detail::ProblemSlot& slot) {
  return {slot.problem.name, slot.problem.key_text};
}

ConfigUse config_use(const detail::ProblemSlot& slot, std::size_t config_id) {
  return {name_of(slot), static_cast<std::int64_t>(config_id), config_of(slot, config_id)};
}

}  // namespace contextual::record
