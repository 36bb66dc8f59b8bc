#pragma once

/// \file
/// Checks a Schedule against its contract. Framework-independent; call it from a test of your own.

#include <contextual/export.hpp>
#include <contextual/schedule.hpp>

#include <string>
#include <vector>

namespace contextual::testing {

/// Walks schedules over a set of requests: few and many configs, some left out, missing times, rejections in
/// the middle. Empty: conforms. Else one line a violation, with the request at which it was seen.
///
/// Looked for: empty plans while steps remain, plans that change without an observation or differ between
/// two instances, configs that are left out or rejected, wrong use counts, repeats without a time that are
/// not planned again, a bound of the remaining steps that does not hold, a default that is never sampled, a
/// walk that does not end. Whether the order is a good one is not checked.
CONTEXTUAL_API std::vector<std::string> check_schedule(const ScheduleFactory& factory);

}  // namespace contextual::testing
