#pragma once

/// \file
/// The rules by which the report names a culprit. Each returns a verdict, or nothing if it does not apply.
/// `verdict_of` knows their order.

#include "report/judging/culprit.hpp"
#include "report/judging/evidence.hpp"

#include <optional>

namespace contextual::log_report {

/// Names the ranks on which every config of a kernel failed. Such a rank leaves the region with an error,
/// while the others wait for it in the region until they are blocked or give up. Names no rank if that
/// happened on all ranks.
std::optional<Verdict> by_tuning_failure(const Evidence& evidence);

/// Names the rank whose failure other ranks report (RegionFailedError), even if that rank wrote no log.
std::optional<Verdict> by_region_failure(const Evidence& evidence);

/// Names the ranks that ended with an error of their own, such as wrong options: not one that a rank gets
/// because of another one. Such a rank leaves, and the others may never come to the run.
std::optional<Verdict> by_own_error(const Evidence& evidence);

/// Names the only rank whose region threw, if the logs of all others just end. That happens if the launcher
/// ends the other ranks when one leaves.
std::optional<Verdict> by_lonely_throw(const Evidence& evidence);

/// Names a rank whose error says that no other rank came to meet it and that blames this rank itself. That is
/// a rank that alone met a new key in a later call. The others never began the run, so that their logs do not
/// have it.
std::optional<Verdict> by_lonely_meeting(const Evidence& evidence);

/// Names ranks without an end and ranks that wrote nothing, for which blocked and failed ranks waited. Among
/// several, it names those that the others blame most.
std::optional<Verdict> by_missing_end(const Evidence& evidence);

/// Names the ranks whose region threw, or among several those in the earliest iteration: a region that gives
/// up waiting for a failed rank throws later than that rank.
std::optional<Verdict> by_throw(const Evidence& evidence);

/// Names ranks whose own CommunicationError names them. They were away, for example stopped, and continued
/// too late.
std::optional<Verdict> by_own_absence(const Evidence& evidence);

/// If ranks are blocked, names the ranks that left the region in an earlier iteration than the blocked ones
/// are in. If there are none, names the blocked rank that others blame, or that is blocked in another place
/// than all others.
std::optional<Verdict> by_block(const Evidence& evidence);

/// Names the ranks that the errors blame most.
std::optional<Verdict> by_blame(const Evidence& evidence);

/// Names the ranks with another error than most.
std::optional<Verdict> by_odd_error(const Evidence& evidence);

}  // namespace contextual::log_report
