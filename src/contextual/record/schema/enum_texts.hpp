#pragma once

/// \file
/// The enumerations of events, and how each enumerator is written in the logs.

#include <contextual/phase.hpp>
#include <contextual/report.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace contextual::record {

/// The purpose of a launch.
enum class LaunchRole : std::uint8_t {
  warmup,     ///< the walk uses a config without taking a sample
  repeat,     ///< the walk takes a sample
  lead_in,    ///< the search runs an assignment after another one or after an exchange; never a sample
  candidate,  ///< the search measures an assignment
  best,       ///< the problem uses its choice or its best config so far
};

/// The outcome of a launch.
enum class LaunchStatus : std::uint8_t {
  ok,
  no_time,       ///< the launch has no valid time
  rejected,      ///< the config failed
  fallback,      ///< another config was launched instead
  not_launched,  ///< the problem was due but was not launched
};

enum class ChoiceStatus : std::uint8_t {
  locked_in,
  provisional,  ///< the walk was cut short, or no choice could be confirmed
};

/// How a measured assignment compares with the one that a search has chosen.
enum class Standing : std::uint8_t {
  choice,
  within_noise,  ///< it ties with the choice
  other,
};

/// Whose work a timeline shows.
enum class TimelineSide : std::uint8_t {
  chosen,    ///< that of the configs that the run has chosen
  defaults,  ///< that of the defaults of everything that the run has tuned
};

/// What the watchdog does after the grace.
enum class BlockedAction : std::uint8_t {
  exit_process,  ///< ends the process with `deadline_exit_code`
  on_deadline,   ///< calls the user's callback
  none,          ///< nothing, because a debugger is attached
  report_only,   ///< nothing, because a later call is only reported
};

enum class EndStatus : std::uint8_t { ok, failed };

/// The stages of a run: the hello, then the phases.
enum class RunStage : std::uint8_t { hello, walk, search, final_run };

constexpr RunStage stage_of(Phase phase) noexcept {
  return phase == Phase::walk     ? RunStage::walk
         : phase == Phase::search ? RunStage::search
                                  : RunStage::final_run;
}

/// How each enumerator is written, in their order.
template <typename E>
inline constexpr auto enum_texts = nullptr;

constexpr auto texts_in_order(auto... texts) {
  return std::array<std::string_view, sizeof...(texts)>{texts...};
}

template <>
inline constexpr auto enum_texts<Phase> = detail::phase_texts;
template <>
inline constexpr auto enum_texts<Activity> = detail::activity_texts;
template <>
inline constexpr auto enum_texts<LaunchRole> = texts_in_order("warmup", "repeat", "lead_in", "candidate",
                                                              "best");
template <>
inline constexpr auto enum_texts<LaunchStatus> = texts_in_order("ok", "no time", "rejected", "fallback",
                                                                "not launched");
template <>
inline constexpr auto enum_texts<ChoiceStatus> = texts_in_order("locked_in", "provisional");
template <>
inline constexpr auto enum_texts<ChosenBy> = texts_in_order("makespan", "own time", "not tuned");
template <>
inline constexpr auto enum_texts<Standing> = texts_in_order("choice", "within noise", "other");
template <>
inline constexpr auto enum_texts<TimelineSide> = texts_in_order("chosen", "defaults");
template <>
inline constexpr auto enum_texts<SearchReference> = texts_in_order("none", "defaults", "alternative defaults",
                                                                   "default alternative", "first feasible");
template <>
inline constexpr auto enum_texts<BlockedAction> = texts_in_order("exit 84", "on_deadline",
                                                                 "none: a debugger is attached",
                                                                 "none: a later call is only reported");
template <>
inline constexpr auto enum_texts<EndStatus> = texts_in_order("ok", "failed");
template <>
inline constexpr auto enum_texts<RunStage> = texts_in_order("hello", to_string(Phase::walk),
                                                            to_string(Phase::search),
                                                            to_string(Phase::final_run));

template <typename E>
constexpr std::string_view enum_text(E value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  return index < enum_texts<E>.size() ? enum_texts<E>[index] : std::string_view();
}

/// Returns the enumerator with this text, or nothing if there is none.
template <typename E>
constexpr std::optional<E> enum_from_text(std::string_view text) noexcept {
  const auto found = std::find(enum_texts<E>.begin(), enum_texts<E>.end(), text);
  return found == enum_texts<E>.end() ? std::nullopt
                                      : std::optional(static_cast<E>(found - enum_texts<E>.begin()));
}

}  // namespace contextual::record
