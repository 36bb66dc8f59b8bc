#pragma once

/// \file
/// The exchange about choices that rank 0 has read from the disk.

#include "contextual/agreement/exchange.hpp"

#include <string>
#include <vector>

namespace contextual::agreement {

/// Returns, for each of the sets of choices, whether it can be used on all ranks; `usable` says so for this
/// rank, and is as long on all of them. Collective: one header and one reduction. Throws RankMismatchError or
/// CommunicationError.
std::vector<bool> agree_on_kept_choices(Exchange& exchange, const std::string& region,
                                        const std::vector<bool>& usable);

}  // namespace contextual::agreement
