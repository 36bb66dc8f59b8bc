#pragma once

/// \file
/// The event about devices.

#include "contextual/record/schema/enum_texts.hpp"
#include "contextual/record/schema/field.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

namespace contextual::record::schema {

/// The state of a device while a batch of tuning iterations ran.
template <typename Storage>
struct DeviceConditions {
  using Text = typename Storage::Text;
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;  ///< the batch's first
  std::int64_t iteration_count = 0;
  std::int64_t device = 0;
  std::optional<std::int64_t> sm_clock_mhz{};
  std::optional<std::int64_t> memory_clock_mhz{};
  std::optional<std::int64_t> temperature_celsius{};
  std::optional<std::int64_t> power_watts{};
  Text slowed_by{};    ///< e.g. "power cap"; empty if nothing slowed it down
  Text disturbance{};  ///< why the batch's times do not count; empty if they do

  static constexpr std::string_view event_name = "device";
  static constexpr auto fields() {
    using D = DeviceConditions;
    return std::tuple{
        field("phase", &D::phase).needed().shown("phase"),
        field("tuning_iteration", &D::tuning_iteration).shown("tuning-iter"),
        field("iteration_count", &D::iteration_count),
        field("device", &D::device).needed().as_id().shown("device"),
        field("sm_clock_mhz", &D::sm_clock_mhz).shown_if_set("SM-clock", Unit::megahertz),
        field("memory_clock_mhz", &D::memory_clock_mhz).shown_if_set("memory-clock", Unit::megahertz),
        field("temperature_celsius", &D::temperature_celsius)
            .of_any_sign()
            .shown_if_set("temperature", Unit::celsius),
        field("power_watts", &D::power_watts).shown_if_set("power", Unit::watts),
        field("slowed_by", &D::slowed_by).shown_if_set("slowed by"),
        field("disturbance", &D::disturbance).shown_if_set("does not count")};
  }
};

}  // namespace contextual::record::schema
