#pragma once

/// \file
/// The collective after a run of a region in which everything is locked in.

#include "contextual/agreement/agreed_failure.hpp"
#include "contextual/agreement/exchange.hpp"

#include <string>

namespace contextual::agreement {

/// The outcome of such a run on this rank.
struct PlainOutcome {
  OwnFailure failure;
  bool something_new = false;  ///< a launch without a lasting choice, or a choice that was rejected
};

/// Returns true if something was new on any rank, so that all ranks must tune. Collective. Throws on all
/// ranks if the region threw on one.
bool agree_on_plain_run(Exchange& exchange, const std::string& region, const PlainOutcome& outcome);

}  // namespace contextual::agreement
