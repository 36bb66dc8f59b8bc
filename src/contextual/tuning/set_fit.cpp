#include "contextual/tuning/set_fit.hpp"

#include "contextual/options/option_text.hpp"
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
std::string differing_parts(const std::vector<PartDifference>& all) {
  std::string text;
  std::vector<std::string> said;
  for (const PartDifference& difference : all) {
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

std::vector<PartDifference> differences(const ChoiceSet& entry, const Surroundings& now) {
  std::vector<PartDifference> all;
  for (std::size_t rank = 0; rank < entry.machines.size(); ++rank) {
    if (!now.stands_for_all && rank >= now.machines.size()) {
      break;
    }
    const Machine& then = entry.machines[rank];
    const Machine& today = now.machines[now.stands_for_all ? 0 : rank];
    Machine both = then;
    both.insert(today.begin(), today.end());
    for (const auto& [part, unused] : both) {
      PartDifference difference{static_cast<int>(rank), part, value_of(then, part), value_of(today, part),
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

Fit fit_of(const ChoiceSet& entry, const Surroundings& now) {
  if (is_in_quarantine(entry, now)) {
    return Fit::in_quarantine;
  }
  if (!now.stands_for_all && entry.machines.size() != now.machines.size()) {
    return Fit::other_ranks;
  }
  bool versions = false;
  for (const PartDifference& difference : differences(entry, now)) {
    if (difference.counts && !difference.version) {
      return Fit::another_machine;
    }
    versions = versions || (difference.counts && now.versions_count);
  }
  if (!entry.counts_beside(now.pins)) {
    return Fit::other_pins;
  }
  if (versions) {
    return Fit::other_versions;
  }
  return search_of(entry) < now.search ? Fit::less_search : Fit::counts;
}

std::string misfit_text(const ChoiceSet& entry, const Surroundings& now) {
  switch (fit_of(entry, now)) {
    case Fit::counts:
      break;
    case Fit::less_search:
      return "they were found by search " + options::text_of(search_of(entry)) + ", and " +
             options::text_of(now.search) + " is asked for: the tuning goes on from them";
    case Fit::other_versions:
      return "they were made with other versions (" + differing_parts(differences(entry, now)) +
             "); CONTEXTUAL_VERSION_CHECK=0 accepts them";
    case Fit::other_pins:
      return "they were chosen beside pins of the region that are others now, or gone";
    case Fit::another_machine:
      return "they were made on another machine, or with other settings (" +
             differing_parts(differences(entry, now)) + ")";
    case Fit::other_ranks:
      return "they are of " + std::to_string(entry.machines.size()) + " ranks, and here are " +
             std::to_string(now.machines.size());
    case Fit::in_quarantine:
      return "they are in quarantine, because they have twice ended a process or broken a rank while they "
             "ran; option `try_quarantined` lets them run again";
  }
  return {};
}

}  // namespace contextual::tuning
