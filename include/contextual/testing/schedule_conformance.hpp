#pragma once

/// \file
/// Checks a Schedule against its contract. Needs no test framework; call it from a test of your own.

#include <contextual/export.hpp>
#include <contextual/schedule.hpp>

#include <string>
#include <vector>

namespace contextual::testing {

/// Makes schedules for a set of requests and drives them to their end, with few and many configs, some left
/// out, with missing times and with rejections in between. Returns one line per violation, which names the
/// request; none if the schedule conforms.
///
/// It finds empty plans while steps remain; plans that change without an observation or differ between two
/// instances; planned configs that are left out or rejected; wrong use counts; repeats without a time that
/// are not planned again; a wrong bound of the remaining steps; a default that is never sampled; and a walk
/// that does not end. It does not judge whether the order is a good one.
CONTEXTUAL_API std::vector<std::string> check_schedule(const ScheduleFactory& factory);

}  // namespace contextual::testing
