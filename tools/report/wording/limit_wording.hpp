#pragma once

/// \file
/// Texts about how short a region could be, by its parts.

#include "report/reading/events.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

/// Returns a sentence for each thing that is known: the parts alone, the limit, and what is hidden. The last
/// one says what is missing, if something is.
std::vector<std::string> limit_texts(const Limit& limit);

}  // namespace contextual::log_report
