#pragma once

/// \file
/// A region in which everything is locked in: do all ranks think so, and did its run bring anything new?

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/told_failure.hpp"

#include <string>

namespace contextual::agreement {

/// What a run of such a region came to on this rank.
struct SettledOutcome {
  OwnFailure failure;
  bool something_new = false;  ///< a launch without a lasting choice, or a choice that was rejected
};

/// The collective after the run. Returns whether something was new on any rank: then all tune. Throws on all
/// ranks alike when the region threw on one.
bool agree_on_settled_run(Exchange& exchange, const std::string& region, const SettledOutcome& outcome);

}  // namespace contextual::agreement
