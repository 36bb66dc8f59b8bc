#include "contextual/launch/problem_index.hpp"

#include "contextual/launch/problem_slot.hpp"

#include <contextual/detail/config/stable_hash.hpp>

namespace contextual::detail {

ProblemSlot* ProblemIndex::find(const ProblemName& wanted) const {
  const auto place = slots_.find(wanted);
  return place == slots_.end() ? nullptr : *place;
}

std::size_t ProblemIndex::Hash::operator()(const ProblemName& name) const {
  return static_cast<std::size_t>(
      StableHash().add(name.name).add(name.coupling).add(name.key.hash()).add(name.scope).value());
}

std::size_t ProblemIndex::Hash::operator()(const ProblemSlot* slot) const {
  return (*this)(
      ProblemName{slot->problem.name, slot->problem.coupling, slot->problem.key, slot->problem.scope});
}

bool ProblemIndex::Equal::operator()(const ProblemName& name, const ProblemSlot* slot) const {
  return slot->problem.name == name.name && slot->problem.key == name.key &&
         slot->problem.coupling == name.coupling && slot->problem.scope == name.scope;
}

}  // namespace contextual::detail
