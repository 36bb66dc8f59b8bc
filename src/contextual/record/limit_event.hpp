#pragma once

/// \file
/// Makes the report and the event of a region's parts from their times. Pure.

#include "contextual/record/events.hpp"

#include <contextual/report.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::record {

/// The makespans of a part, or of the whole region, that count.
struct PartSamples {
  std::string name;
  std::vector<std::int64_t> makespans_ns;
};

LimitReport limit_of(const PartSamples& result, const std::vector<PartSamples>& parts);
Limit limit_event(const LimitReport& report, std::int64_t round_count);

}  // namespace contextual::record
