#pragma once

/// \file
/// Whether a set of kept choices counts where it is looked at, as far as the kernels of this process do not
/// decide it. Pure. The one judgement of runs and of those that show what is kept.

#include "contextual/storage/choice_set.hpp"

#include <optional>
#include <string>
#include <vector>

namespace contextual::tuning {

/// What has twice ended a process.
struct Quarantined {
  std::string kernels;     ///< of that process, see agreement::kernels_text
  std::string assignment;  ///< see journal_text
};

/// What a set is compared with.
struct Surroundings {
  /// By rank. Or, for one who has no ranks, that of this process, which stands for all of them: then it is
  /// not compared how many ranks there are, what only the program that made the set has described, and the
  /// version of a library that this process does not use.
  std::vector<detail::Machine> machines{};
  bool stands_for_all = false;
  std::string pins{};                     ///< see pins_digest
  bool versions_count = true;             ///< false with CONTEXTUAL_VERSION_CHECK=0
  std::vector<Quarantined> quarantine{};  ///< of the region
  SearchLevel search = SearchLevel::off;  ///< that is asked for: less does not count
};

/// A part of a machine that a set and its surroundings say different things of.
struct PartDifference {
  int rank = 0;
  std::string part;
  std::optional<std::string> then;  ///< nothing if the set does not describe the part
  std::optional<std::string> now;
  bool version = false;  ///< of software: CONTEXTUAL_VERSION_CHECK=0 accepts the difference
  bool counts = true;    ///< false where only the program can say whether it differs
};

/// By rank, and by the names of parts. Leaves out how many ranks there are.
std::vector<PartDifference> differences(const storage::ChoiceSet& entry, const Surroundings& now);

/// From what is nearest to a set that counts.
enum class Fit {
  counts,
  less_search,
  other_versions,
  other_pins,
  another_machine,
  other_ranks,
  in_quarantine
};

/// For the reason that is named last among those above, if there are several.
Fit fit_of(const storage::ChoiceSet& entry, const Surroundings& now);

/// Returns why a set does not count, in one line that says what differs; an empty text if it counts.
std::string misfit_text(const storage::ChoiceSet& entry, const Surroundings& now);

}  // namespace contextual::tuning
