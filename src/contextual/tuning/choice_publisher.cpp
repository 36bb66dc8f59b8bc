#include "contextual/tuning/choice_publisher.hpp"

#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/reason_text.hpp"

#include <contextual/key.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

namespace contextual::tuning {

using detail::ChoiceFinality;
using detail::ProblemSlot;
using policy::ProblemStatus;

namespace {

/// So often a wrapped region's later calls tune a provisional choice again.
constexpr int most_later_attempts = 2;

/// A problem in all runs of a process. Its key is the key itself: the texts of 1 and "1" are equal, and a
/// long key may show its digest.
struct ProblemOfRegion {
  std::uint32_t region_id = 0;
  std::string name;
  Key key;
  std::uint64_t scope = 0;
  bool operator==(const ProblemOfRegion&) const = default;
};

struct ProblemHash {
  std::size_t operator()(const ProblemOfRegion& problem) const noexcept {
    return static_cast<std::size_t>(problem.key.hash() ^ problem.scope) ^
           (std::hash<std::string>()(problem.name) + problem.region_id);
  }
};

/// How often later calls have tuned a problem, and have not come to a lasting choice. Counted for the whole
/// process, alike on all ranks, because what is counted is agreed.
class LaterAttempts {
 public:
  int count(std::uint32_t region_id, const ProblemSlot& slot, bool one_more) {
    const std::lock_guard lock(mutex_);
    int& count = counts_[{region_id, slot.problem.name, slot.problem.key, slot.problem.scope}];
    count += one_more ? 1 : 0;
    return count;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<ProblemOfRegion, int, ProblemHash> counts_;
};

LaterAttempts& later_attempts() {
  static auto* const attempts = new LaterAttempts;  // outlives static tuners
  return *attempts;
}

class CountsByRegion {
 public:
  std::uint64_t count(std::uint32_t region_id, bool one_more) {
    const std::lock_guard lock(mutex_);
    std::uint64_t& count = counts_[region_id];
    count += one_more ? 1 : 0;
    return count;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint32_t, std::uint64_t> counts_;
};

CountsByRegion& publications() {
  static auto* const counts = new CountsByRegion;  // outlives static tuners
  return *counts;
}

CountsByRegion& forgettings() {
  static auto* const counts = new CountsByRegion;  // outlives static tuners
  return *counts;
}

}  // namespace

std::uint64_t publications_of(std::uint32_t region_id) {
  return publications().count(region_id, false);
}

void note_publication(std::uint32_t region_id) {
  publications().count(region_id, true);
}

void forget_choices(std::uint32_t region_id) {
  LaunchRegistry::instance().forget_choices(region_id);
  forgettings().count(region_id, true);
  note_publication(region_id);
}

void forget_failed_choices(std::uint32_t region_id) {
  if (LaunchRegistry::instance().has_failed_choice(region_id)) {
    forget_choices(region_id);
  }
}

std::uint64_t times_forgotten(std::uint32_t region_id) {
  return forgettings().count(region_id, false);
}

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
  if (known == choice) {
    return;
  }
  known = choice;
  if (of_earlier_run) {
    return;
  }
  const ChoiceFinality finality = choice.provisional ? provisional_finality(slot) : ChoiceFinality::lasting;
  publications().count(context_.region_id(), true);
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
                                 std::to_string(most_later_attempts) + " times; a `run` tunes it again"
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

ChoiceFinality ChoicePublisher::provisional_finality(const ProblemSlot& slot) const {
  const int attempts = later_attempts().count(context_.region_id(), slot, origin_ == Origin::later_call);
  return attempts >= most_later_attempts ? ChoiceFinality::kept : ChoiceFinality::provisional;
}

std::size_t ChoicePublisher::open_count() const {
  const auto published =
      std::count_if(published_.begin(), published_.end(),
                    [](const std::optional<Published>& choice) { return choice.has_value(); });
  return context_.slots().size() - static_cast<std::size_t>(published);
}

}  // namespace contextual::tuning
