#pragma once

/// \file
/// The rules by which the report names a culprit. Each returns a verdict, or nothing where it does not apply.
/// `verdict_of` knows their order.

#include "report/judging/culprit.hpp"
#include "report/judging/evidence.hpp"

#include <optional>

namespace contextual::log_report {

/// Names the ranks on which every config of a kernel failed. Such a rank leaves the region with an error; the
/// others wait for it in the region, and are blocked or give up. Names nobody where that happened on all
/// ranks.
std::optional<Verdict> by_tuning_failure(const Evidence& evidence);

/// Names the rank that others say failed (RegionFailedError), also where that rank wrote no log.
std::optional<Verdict> by_region_failure(const Evidence& evidence);

/// Names the one rank that threw out of its region where the logs of all others just end: a launcher that
/// ends the others when one leaves looks like this.
std::optional<Verdict> by_lonely_throw(const Evidence& evidence);

/// Names the rank that tells of itself that no other rank came to meet it, as after a later call in which it
/// alone met a new key: the others never began the run, so that their logs hold nothing of it.
std::optional<Verdict> by_lonely_meeting(const Evidence& evidence);

/// Names ranks without an end, and ranks that wrote nothing: blocked and failed ranks waited for them. Of
/// several, those that the others blame most.
std::optional<Verdict> by_missing_end(const Evidence& evidence);

/// Names the ranks whose region threw, of several those in the earliest iteration: a region that gives up
/// waiting for a failed rank throws later than that one.
std::optional<Verdict> by_throw(const Evidence& evidence);

/// Names ranks whose own CommunicationError names them: they were away, such as stopped and continued too
/// late.
std::optional<Verdict> by_own_absence(const Evidence& evidence);

/// Where ranks are blocked, names those that left the region in an earlier iteration than the blocked ones
/// are in. Else names the blocked rank that others blame, or that is blocked in another place than all
/// others.
std::optional<Verdict> by_block(const Evidence& evidence);

/// Names the ranks that the errors blame most.
std::optional<Verdict> by_blame(const Evidence& evidence);

/// Names the ranks with another error than most.
std::optional<Verdict> by_odd_error(const Evidence& evidence);

}  // namespace contextual::log_report
