#pragma once

/// \file
/// Events about configs of tuning problems.

#include "contextual/record/schema/enum_texts.hpp"
#include "contextual/record/schema/field.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace contextual::record::schema {

/// A config of a problem.
template <typename Storage>
struct ConfigUse {
  typename Storage::Problem problem{};  ///< without a kernel if there is none
  std::int64_t id = 0;                  ///< index in the kernel's config space
  typename Storage::Config values{};

  bool operator==(const ConfigUse&) const = default;

  static constexpr auto fields() {
    return std::tuple{field("kernel", &ConfigUse::problem).needed().shown("kernel"),  // and "key"
                      field("config_id", &ConfigUse::id).needed().as_id().shown("config-id"),
                      field("config", &ConfigUse::values).needed().shown("config")};
  }
};

/// One launch in a tuning iteration, or a problem that was due but was not launched.
template <typename Storage>
struct Launch {
  using Text = typename Storage::Text;
  ConfigUse<Storage> config{};
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;
  std::optional<std::int64_t>
      step_iteration{};  ///< counts the uses of the config in the walk, or the runs of the search, from 0
  LaunchRole role = LaunchRole::repeat;
  LaunchStatus status = LaunchStatus::ok;
  Text detail{};                                    ///< why the status is not ok, or has no time
  std::optional<std::int64_t> local_ns{};           ///< own time on this rank
  std::optional<std::int64_t> agreed_ns{};          ///< own time, maximum over ranks
  std::optional<std::int64_t> makespan_ns{};        ///< of the tuning iteration, maximum over ranks
  std::optional<std::int64_t> local_makespan_ns{};  ///< of the tuning iteration, on this rank
  std::optional<double> centre_ns{};  ///< set on a config's last repeat: its agreed centre so far

  static constexpr std::string_view event_name = "launch";
  static constexpr auto fields() {
    return std::tuple{group(&Launch::config).shown(""),
                      field("phase", &Launch::phase).needed().shown("phase"),
                      field("tuning_iteration", &Launch::tuning_iteration).needed().shown("tuning-iter"),
                      field("step_iteration", &Launch::step_iteration).shown_if_set("measure-iter"),
                      field("role", &Launch::role).needed().shown_if_set("role"),
                      field("status", &Launch::status).needed().shown_if_set("status"),
                      field("detail", &Launch::detail).shown_if_set("detail"),
                      field("local_time_ns", &Launch::local_ns),
                      field("agreed_time_ns", &Launch::agreed_ns),
                      field("makespan_ns", &Launch::makespan_ns),
                      field("local_makespan_ns", &Launch::local_makespan_ns),
                      field("config_centre_ns", &Launch::centre_ns)};
  }
};

/// The walk has measured a config completely.
template <typename Storage>
struct ConfigSummary {
  ConfigUse<Storage> config{};
  std::int64_t sample_count = 0;
  std::optional<double> centre_ns{};             ///< the median
  std::optional<double> spread_ns{};             ///< 1.4826 x median absolute deviation
  std::optional<double> teraflops_per_second{};  ///< this rank's work over the centre
  std::optional<double> gigabytes_per_second{};

  static constexpr std::string_view event_name = "config_summary";
  /// Not shown to people: the launch of the config's last repeat carries its average.
  static constexpr auto fields() {
    return std::tuple{group(&ConfigSummary::config),
                      field("sample_count", &ConfigSummary::sample_count),
                      field("centre_ns", &ConfigSummary::centre_ns),
                      field("spread_ns", &ConfigSummary::spread_ns),
                      field("teraflops_per_second", &ConfigSummary::teraflops_per_second),
                      field("gigabytes_per_second", &ConfigSummary::gigabytes_per_second)};
  }
};

/// A config is rejected on all ranks.
template <typename Storage>
struct Rejected {
  ConfigUse<Storage> config{};
  Phase phase = Phase::walk;
  std::int64_t tuning_iteration = 0;
  typename Storage::Text reason{};
  std::vector<std::int64_t> ranks{};  ///< those that rejected it; empty if it was not launched

  static constexpr std::string_view event_name = "rejected";
  static constexpr auto fields() {
    return std::tuple{
        group(&Rejected::config).shown(""), field("phase", &Rejected::phase).needed().shown("phase"),
        field("tuning_iteration", &Rejected::tuning_iteration).shown("tuning-iter"),
        field("reason", &Rejected::reason).shown("rejected"), field("ranks", &Rejected::ranks).as_id()};
  }
};

/// A tuning problem's best config.
template <typename Storage>
struct Choice {
  ConfigUse<Storage> config{};
  ChoiceStatus status = ChoiceStatus::locked_in;
  std::optional<double> latency_ns{};            ///< own time of the choice; empty if it was not measured
  std::optional<double> teraflops_per_second{};  ///< this rank's work over that time
  std::optional<double> gigabytes_per_second{};
  typename Storage::Text reason{};
  std::int64_t walk_ns = 0;  ///< time of the iterations in which the walk tried the problem's configs

  static constexpr std::string_view event_name = "choice";
  static constexpr auto fields() {
    return std::tuple{group(&Choice::config).shown("best-"),
                      field("status", &Choice::status).needed().shown_if_set("status"),
                      field("latency_ns", &Choice::latency_ns)
                          .shown("best-latency", Unit::latency_ns)
                          .or_shown_as("not measured"),
                      field("teraflops_per_second", &Choice::teraflops_per_second).shown_if_set("TFLOP/s"),
                      field("gigabytes_per_second", &Choice::gigabytes_per_second).shown_if_set("GB/s"),
                      field("reason", &Choice::reason).shown("reason"),
                      field("walk_ns", &Choice::walk_ns)};
  }
};

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
