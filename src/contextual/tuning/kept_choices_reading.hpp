#pragma once

/// \file
/// Choices that outlive the process: reads them on rank 0.

#include "contextual/options/resolved_options.hpp"
#include "contextual/storage/choice_set.hpp"
#include "contextual/tuning/rank_groups.hpp"

#include <string>
#include <vector>

namespace contextual::tuning {

/// What a run reads of what is kept.
enum class Reads {
  pins,  ///< what no option overrides
  pins_and_choices,
};

/// Returns what is kept of a region in the options' directories, for the hello: a line of details, and the
/// text of a RegionFile, or nothing. Notes the sets that are told, and those in quarantine, which are not
/// unless the options say to try them. Names on stderr what cannot be used. Throws nothing but
/// std::bad_alloc.
std::string read_kept_choices(const options::ResolvedOptions& options, const std::string& region, Reads what,
                              KnownRegion& known);

/// Returns the sets of a region in the directories that are only read, the first one's first. Names on stderr
/// what cannot be used.
std::vector<storage::ChoiceSet> shipped_sets(const options::ResolvedOptions& options,
                                             const std::string& region);

/// Says on stderr, once, that a set is not used.
void warn_of_unused(const storage::ChoiceSet& entry, const std::string& why);

}  // namespace contextual::tuning
