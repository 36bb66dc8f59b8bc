#pragma once

/// \file
/// Which rank to look at first when a tuning run ended badly.

#include "ending.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

struct Verdict {
  std::vector<std::int64_t> ranks;  ///< sorted; empty: no rank stands out
  std::string why;
};

/// For a run in which some rank failed, is blocked, or wrote no end while others did. Rules, the first that
/// applies:
///   1. a rank that others say failed (RegionFailedError)
///   2. one rank threw out of its region and all the others' logs just end: that rank; a launcher that ends
///   the
///      others when one leaves looks like this
///   3. ranks without an end, and ranks that wrote nothing: blocked ranks and failed ones waited for them. Of
///      several, those that the others blame most
///   4. ranks whose region threw, the ones furthest behind: a region that gives up waiting for a failed rank
///      throws later than that one
///   5. a rank whose own CommunicationError names it: it was away itself
///   6. where ranks are blocked: those that left the region in an earlier iteration; else the blocked ones,
///   of
///      several those that the others blame; if nobody does, the one in another place than the others
///   7. ranks that the errors blame most
///   8. the rank whose config rejections ended the run
///   9. a rank with another error than the others
Verdict verdict_of(const TuningRun& run, const Logs& logs);

}  // namespace contextual::log_report
