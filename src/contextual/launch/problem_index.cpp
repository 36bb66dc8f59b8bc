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
      StableHash().add(name.name).add(name.coupling).add(name.key.hash()).value());
}

std::size_t ProblemIndex::Hash::operator()(const ProblemSlot* slot) const {
  return (*this)(ProblemName{slot->name, slot->coupling, slot->key});
}

bool ProblemIndex::Equal::operator()(const ProblemName& name, const ProblemSlot* slot) const {
  return slot->name == name.name && slot->key == name.key && slot->coupling == name.coupling;
}

}  // namespace contextual::detail
