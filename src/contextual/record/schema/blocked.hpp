#pragma once

/// \file
/// The event of the watchdog.

#include "contextual/record/schema/config_events.hpp"
#include "contextual/record/schema/enum_texts.hpp"
#include "contextual/record/schema/field.hpp"

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

namespace contextual::record::schema {

/// The watchdog found this rank blocked.
template <typename Storage>
struct Blocked {
  using Text = typename Storage::Text;
  Activity activity = Activity::region;
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = -1;
  ConfigUse<Storage>
      config{};            ///< of the launch under way, else of the last launch; no kernel before the first
  bool in_launch = false;  ///< true if that launch has not returned
  std::vector<ConfigUse<Storage>> assignment{};  ///< the configs in force of all tuning problems
  Text since_iso8601{};
  std::int64_t blocked_ns = 0;
  BlockedAction action = BlockedAction::exit_process;

  static constexpr std::string_view event_name = "blocked";
  static constexpr auto fields() {
    return std::tuple{field("activity", &Blocked::activity).needed().shown("blocked in"),
                      field("phase", &Blocked::phase).needed().shown("phase"),
                      field("tuning_iteration", &Blocked::tuning_iteration).at_least(-1).shown("tuning-iter"),
                      group(&Blocked::config).shown_if_set(""),
                      field("in_launch", &Blocked::in_launch).shown_if_set("launch under way"),
                      field("assignment", &Blocked::assignment).shown_if_set("in force"),
                      field("since_iso8601", &Blocked::since_iso8601).shown("since"),
                      field("blocked_ns", &Blocked::blocked_ns).shown("for", Unit::duration_ns),
                      field("action", &Blocked::action).needed().shown("action")};
  }
};

}  // namespace contextual::record::schema
