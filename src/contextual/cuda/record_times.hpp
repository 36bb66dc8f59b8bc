#pragma once

/// \file
/// From device records to times of launches and tuning iterations. Pure.

#include "contextual/cuda/cupti_session.hpp"

#include <contextual/timer.hpp>

#include <span>

namespace contextual::cuda {

/// Fills in the launches' spans: all records of the API calls that were made inside a launch, whose number is
/// its note's `begin`. A launch without any call, one of whose kernel calls has no record, or with a record
/// without a time keeps no spans.
///
/// A tuning iteration's makespan covers all records of calls with correlation ids in (note.begin, note.end],
/// those that belong to no launch included; 0 when one of them has no time, or there are none. Everything is
/// 0 and empty when something was lost.
void assemble(const CuptiSession::Taken& taken, std::span<LaunchTiming> launches,
              std::span<IterationTiming> iterations);

}  // namespace contextual::cuda
