#pragma once

/// \file
/// Choices that outlive the process: reads them on rank 0.

#include "contextual/options/resolved_options.hpp"
#include "contextual/storage/choice_set.hpp"

#include <string>
#include <vector>

namespace contextual::tuning {

/// What a run reads of what is kept.
enum class Reads {
  pins,  ///< what no option overrides
  pins_and_choices,
};

/// What rank 0 has read.
struct ReadChoices {
  /// For the hello; empty if there is nothing: a line of details, and the text of a RegionFile.
  std::string told{};
  std::vector<std::string> sets{};         ///< the ids of its sets as they are kept, in the same order
  std::vector<std::string> quarantined{};  ///< ids of sets that are not told, because they are in quarantine
};

/// Returns what is kept of a region in the options' directories. Choices that cannot be used are named on
/// stderr, and so are those that are in quarantine, unless the options say to try them. Throws nothing but
/// std::bad_alloc.
ReadChoices read_kept_choices(const options::ResolvedOptions& options, const std::string& region, Reads what);

/// Returns the sets of a region in the directories that are only read, the first one's first. Names on stderr
/// what cannot be used.
std::vector<storage::ChoiceSet> shipped_sets(const options::ResolvedOptions& options,
                                             const std::string& region);

/// Says on stderr, once, that a set is not used.
void warn_of_unused(const storage::ChoiceSet& entry, const std::string& why);

}  // namespace contextual::tuning
