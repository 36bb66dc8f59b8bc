#include "contextual/tuning/set_fit.hpp"

#include "contextual/tuning/journal_text.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/storage/machine.hpp>

#include <algorithm>
#include <cstddef>
#include <sstream>

namespace contextual::tuning {
namespace {

using storage::ChoiceSet;

using detail::Machine;

std::optional<std::string> value_of(const Machine& machine, const std::string& part) {
  const auto found = machine.find(part);
  return found == machine.end() ? std::nullopt : std::optional(found->second);
}

std::string quoted(const std::optional<std::string>& text) {
  return text ? "\"" + *text + "\"" : "unknown";
}

/// Each part once, with the first rank that it differs on.
std::string differing_parts(const std::vector<MachineDifference>& all) {
  std::string text;
  std::vector<std::string> said;
  for (const MachineDifference& difference : all) {
    if (difference.counts && std::find(said.begin(), said.end(), difference.part) == said.end()) {
      said.push_back(difference.part);
      text += (text.empty() ? "" : "; ") + difference.part + " on rank " + std::to_string(difference.rank) +
              ": then " + quoted(difference.then) + ", now " + quoted(difference.now);
    }
  }
  return text;
}

/// What a process that has other kernels has died of says nothing of a set.
bool is_as_then(const storage::ChosenKernel& kernel, const std::string& kernels) {
  const std::string wanted = detail::hex_text(kernel.table_digest) + " " + kernel.name;
  std::istringstream lines(kernels);
  for (std::string line; std::getline(lines, line);) {
    if (line == wanted) {
      return true;
    }
  }
  return false;
}

bool is_in_quarantine(const ChoiceSet& entry, const Surroundings& now) {
  return std::any_of(now.quarantine.begin(), now.quarantine.end(), [&](const Quarantined& quarantined) {
    return launches(entry, quarantined.assignment) &&
           std::all_of(entry.choices.begin(), entry.choices.end(), [&](const storage::KeptChoice& choice) {
             return std::all_of(choice.launched.begin(), choice.launched.end(),
                                [&](const storage::ChosenKernel& kernel) {
                                  return is_as_then(kernel, quarantined.kernels);
                                });
           });
  });
}

}  // namespace

std::vector<MachineDifference> differences(const ChoiceSet& entry, const Surroundings& now) {
  std::vector<MachineDifference> all;
  for (std::size_t rank = 0; rank < entry.machines.size(); ++rank) {
    if (!now.stands_for_all && rank >= now.machines.size()) {
      break;
    }
    const Machine& then = entry.machines[rank];
    const Machine& today = now.machines[now.stands_for_all ? 0 : rank];
    Machine both = then;
    both.insert(today.begin(), today.end());
    for (const auto& [part, unused] : both) {
      MachineDifference difference{static_cast<int>(rank), part, value_of(then, part), value_of(today, part),
                                   detail::is_version(part)};
      const bool any_processor = part == detail::processor_part && !difference.then;
      if (difference.then == difference.now || any_processor ||
          (now.stands_for_all && (part == detail::ranks_on_machine || !difference.then))) {
        continue;
      }
      const bool known = difference.then && (difference.now || !difference.version);
      difference.counts = known || !now.stands_for_all;
      all.push_back(std::move(difference));
    }
  }
  return all;
}

KeptStanding standing_of(const ChoiceSet& entry, const Surroundings& now) {
  if (is_in_quarantine(entry, now)) {
    return KeptStanding::in_quarantine;
  }
  bool other_machine = !now.stands_for_all && entry.machines.size() != now.machines.size();
  bool other_versions = false;
  for (const MachineDifference& difference : differences(entry, now)) {
    other_machine = other_machine || (difference.counts && !difference.version);
    other_versions = other_versions || (difference.counts && now.versions_count);
  }
  if (other_machine || !entry.counts_beside(now.pins)) {
    return other_machine ? KeptStanding::another_machine : KeptStanding::other_pins;
  }
  return other_versions ? KeptStanding::other_versions : KeptStanding::counts;
}

std::string misfit_text(const ChoiceSet& entry, const Surroundings& now) {
  const std::string parts = differing_parts(differences(entry, now));
  switch (standing_of(entry, now)) {
    case KeptStanding::counts:
      break;
    case KeptStanding::other_versions:
      return "they were made with other versions (" + parts + "); CONTEXTUAL_VERSION_CHECK=0 accepts them";
    case KeptStanding::other_pins:
      return "they were chosen beside pins of the region that are others now, or gone";
    case KeptStanding::another_machine:
      return now.stands_for_all || entry.machines.size() == now.machines.size()
                 ? "they were made on another machine, or with other settings (" + parts + ")"
                 : "they are of " + std::to_string(entry.machines.size()) + " ranks, and here are " +
                       std::to_string(now.machines.size());
    case KeptStanding::in_quarantine:
      return "they are in quarantine, because they have twice ended a process or broken a rank while they "
             "ran; `contextual-cache forget` removes them and the quarantine";
  }
  return {};
}

}  // namespace contextual::tuning
