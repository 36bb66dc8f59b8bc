#include "contextual/launch/failed_slot.hpp"

namespace contextual::detail {
namespace {

bool all_rejected(const ProblemSlot& slot) {
  for (std::size_t id = 0; id < slot.problem.config_count; ++id) {
    if (!slot.launched.rejected[id]) {
      return false;
    }
  }
  return true;
}

}  // namespace

const ProblemSlot* failed_slot(const std::vector<const ProblemSlot*>& slots, const TuningFailedError& error) {
  const ProblemSlot* named = nullptr;
  for (const ProblemSlot* slot : slots) {
    if (slot->problem.name == error.kernel() && slot->problem.key_text == error.key() &&
        (named == nullptr || (all_rejected(*slot) && !all_rejected(*named)))) {
      named = slot;
    }
  }
  return named;
}

}  // namespace contextual::detail
