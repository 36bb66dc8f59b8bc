#pragma once

/// \file
/// The event that says when the work of one tuning iteration ran.

#include "contextual/record/schema/enum_texts.hpp"
#include "contextual/record/schema/field.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace contextual::record::schema {

/// An interval in which a launch of a tunable kernel kept a device or the host busy.
template <typename Storage>
struct TimelineLaunch {
  typename Storage::Problem problem{};
  std::int64_t config_id = 0;
  std::int64_t device = 0;    ///< -1 for the host
  std::int64_t begin_ns = 0;  ///< since the begin of the iteration
  std::int64_t end_ns = 0;

  bool operator==(const TimelineLaunch&) const = default;

  static constexpr auto fields() {
    using L = TimelineLaunch;
    return std::tuple{field("kernel", &L::problem).needed(),  // and "key"
                      field("config_id", &L::config_id).as_id(),
                      field("device", &L::device).at_least(-1).as_id(), field("begin_ns", &L::begin_ns),
                      field("end_ns", &L::end_ns)};
  }
};

/// An interval in which a device did other work of the region.
struct TimelineSpan {
  std::int64_t device = 0;
  std::int64_t begin_ns = 0;  ///< since the begin of the iteration
  std::int64_t end_ns = 0;

  bool operator==(const TimelineSpan&) const = default;

  static constexpr auto fields() {
    using S = TimelineSpan;
    return std::tuple{field("device", &S::device).as_id(), field("begin_ns", &S::begin_ns),
                      field("end_ns", &S::end_ns)};
  }
};

/// When the work of one tuning iteration ran on this rank.
template <typename Storage>
struct Timeline {
  TimelineSide side = TimelineSide::chosen;
  Phase phase = Phase::search;
  std::int64_t tuning_iteration = 0;
  std::optional<std::int64_t> makespan_ns{};  ///< maximum over ranks; in the final run, of this rank
  std::int64_t begin_ns = 0;                  ///< on this rank's clock
  std::int64_t end_ns = 0;                    ///< on this rank's clock
  std::vector<TimelineLaunch<Storage>> launches{};
  bool others_known = false;  ///< false if the timer does not see work outside of launches
  std::vector<TimelineSpan> others{};
  std::int64_t left_out_count = 0;  ///< intervals that are not listed

  static constexpr std::string_view event_name = "timeline";
  /// The intervals are not shown to people: they are for contextual-report.
  static constexpr auto fields() {
    using T = Timeline;
    return std::tuple{field("side", &T::side).needed().shown("timeline of"),
                      field("phase", &T::phase).shown("phase"),
                      field("tuning_iteration", &T::tuning_iteration).needed().shown("tuning-iter"),
                      field("makespan_ns", &T::makespan_ns).shown_if_set("makespan", Unit::latency_ns),
                      field("begin_ns", &T::begin_ns).of_any_sign(),
                      field("end_ns", &T::end_ns).of_any_sign(),
                      field("launches", &T::launches),
                      field("others_known", &T::others_known),
                      field("others", &T::others),
                      field("left_out_count", &T::left_out_count)};
  }
};

}  // namespace contextual::record::schema
