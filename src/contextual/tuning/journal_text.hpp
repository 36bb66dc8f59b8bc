#pragma once

/// \file
/// Assignments as texts that mean the same in another process.

#include "contextual/agreement/problem_set.hpp"
#include "contextual/storage/choice_set.hpp"

#include <contextual/report.hpp>

#include <string>

namespace contextual::tuning {

/// Returns the assignment that an iteration uses, as one line of JSON: of each problem the kernel, the key, a
/// digest of what it is, and the config's id.
std::string journal_text(const agreement::ProblemSet& problems, const policy::IterationPlan& planned);

/// Returns such a text of kept choices, as they have been installed.
std::string journal_text(const RegionReport& installed);

/// Returns the same kind of text for one config that is being made ready.
std::string loading_text(const detail::Problem& problem, std::size_t config_id);

/// Returns the same kind of text for one config beside whatever others.
std::string config_text(const detail::Problem& problem, std::size_t config_id);

/// Returns true if a region that uses the set launches what such a text says.
bool launches(const storage::ChoiceSet& entry, const std::string& text);

/// Returns true if such a text has nothing but defaults.
bool is_of_defaults(const std::string& text);

}  // namespace contextual::tuning
