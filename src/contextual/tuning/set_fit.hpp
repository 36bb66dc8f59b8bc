#pragma once

/// \file
/// Whether a set of kept choices counts where it is looked at, as far as the kernels of this process do not
/// decide it. Pure. The one judgement of runs and of those that show what is kept.

#include "contextual/storage/choice_set.hpp"

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
};

/// By rank, and by the names of parts. Leaves out how many ranks there are.
std::vector<MachineDifference> differences(const storage::ChoiceSet& entry, const Surroundings& now);

/// For the reason that is named last in KeptStanding, if there are several. Another number of ranks is
/// another machine.
KeptStanding standing_of(const storage::ChoiceSet& entry, const Surroundings& now);

/// Returns why a set does not count, in one line that says what differs; an empty text if it counts.
std::string misfit_text(const storage::ChoiceSet& entry, const Surroundings& now);

}  // namespace contextual::tuning
