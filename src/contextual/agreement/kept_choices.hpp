#pragma once

/// \file
/// The exchanges about choices that rank 0 keeps on the disk.

#include "contextual/agreement/agreed_failure.hpp"
#include "contextual/agreement/exchange.hpp"

#include <string>
#include <vector>

namespace contextual::agreement {

/// What a rank makes of the sets of choices that rank 0 has read.
struct KeptOutcome {
  OwnFailure failure;        ///< with it no set can be used
  std::vector<bool> usable;  ///< whether this rank can use a set; as long on all ranks
};

/// Returns for each set whether all ranks can use it. Collective: a header and a reduction. Throws on all
/// ranks if one has failed, and RankMismatchError or CommunicationError.
std::vector<bool> agree_on_kept_choices(Exchange& exchange, const std::string& region,
                                        const KeptOutcome& outcome);

}  // namespace contextual::agreement
