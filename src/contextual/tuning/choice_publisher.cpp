#include "contextual/tuning/choice_publisher.hpp"

#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/reason_text.hpp"

#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <string>

namespace contextual::tuning {

using detail::ChoiceFinality;
using detail::ProblemSlot;
using policy::ProblemStatus;

void ChoicePublisher::publish(const agreement::ProblemSet& problems) {
  published_.resize(context_.slots().size());
  for (ProblemSlot& slot : context_.slots()) {
    const policy::ProblemRecord* record = problems.record_of(slot);
    if (record == nullptr) {
      continue;
    }
    const bool provisional = record->status == ProblemStatus::provisional;
    if (!provisional && record->status != ProblemStatus::locked_in) {
      continue;
    }
    if (problems.state().out_of_use(*problems.index_of(slot))) {
      published_[slot.index] = Published{record->choice, provisional};  // nobody launches it any more
      continue;
    }
    publish(slot, *record, {record->choice, provisional});
  }
}

void ChoicePublisher::publish(ProblemSlot& slot, const policy::ProblemRecord& record, Published choice) {
  std::optional<Published>& known = published_[slot.index];
  const bool of_earlier_run = !known && !choice.provisional && slot.found.locked_config == choice.config_id;
  if (known && known->config_id == choice.config_id && known->provisional == choice.provisional) {
    return;
  }
  choice.finality = known ? known->finality : std::nullopt;
  if (choice.provisional && !choice.finality) {
    choice.finality = count_attempt(slot);
  }
  known = choice;
  if (of_earlier_run) {
    return;
  }
  const ChoiceFinality finality = choice.provisional ? *choice.finality : ChoiceFinality::lasting;
  LaunchRegistry::instance().note_publication(context_.region_id());
  for (const auto& member : slot.found.members) {
    member->table()->lock_in(context_.region_id(), slot.problem.key, static_cast<int>(choice.config_id),
                             finality, slot.problem.scope, search_);
  }
  recorder_.choice({&slot, &record});
  if (choice.provisional) {
    lasting_ = false;
    recorder_.warning("kernel \"" + slot.problem.name + "\", key " + slot.problem.key_text + ": config-" +
                      std::to_string(choice.config_id) + " is provisional (" +
                      record::reason_text(record.reason) + "). It is used in this region only, and " +
                      (finality == ChoiceFinality::kept
                           ? "wrapped calls keep it now, having tuned it again " +
                                 std::to_string(detail::LockInTable::most_attempts) +
                                 " times; a `run` tunes it again"
                           : "the next run that launches it tunes it again"));
  }
}

void ChoicePublisher::note_who_uses(const agreement::LaunchedKernels& launched, int rank) {
  const std::vector<std::size_t> only{static_cast<std::size_t>(rank)};
  for (const ProblemSlot& slot : context_.slots()) {
    const bool here_only = launched.of(slot).ranks == only;
    for (const auto& member : slot.found.members) {
      member->table()->note_used_here_only(context_.region_id(), slot.problem.key, slot.problem.scope,
                                           here_only);
    }
  }
}

/// What is not launched here is not looked up here.
ChoiceFinality ChoicePublisher::count_attempt(const ProblemSlot& slot) const {
  const auto& members = slot.found.members;
  return members.empty() ? ChoiceFinality::provisional
                         : members.front()->table()->count_attempt(context_.region_id(), slot.problem.key,
                                                                   slot.problem.scope);
}

std::size_t ChoicePublisher::open_count() const {
  const auto published =
      std::count_if(published_.begin(), published_.end(),
                    [](const std::optional<Published>& choice) { return choice.has_value(); });
  return context_.slots().size() - static_cast<std::size_t>(published);
}

}  // namespace contextual::tuning
