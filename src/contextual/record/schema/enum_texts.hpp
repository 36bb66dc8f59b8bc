#pragma once

/// \file
/// The enumerations of events, and how each enumerator is written in the logs.

#include <contextual/phase.hpp>
#include <contextual/report.hpp>

#include <array>
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

template <typename E>
struct EnumText {
  E value;
  std::string_view text;
};

/// `all` lists the enumerators with their texts.
template <typename E>
struct EnumTexts;

template <>
struct EnumTexts<Phase> {
  static constexpr std::array<EnumText<Phase>, 3> all{{{Phase::walk, to_string(Phase::walk)},
                                                       {Phase::search, to_string(Phase::search)},
                                                       {Phase::final_run, to_string(Phase::final_run)}}};
};

template <>
struct EnumTexts<Activity> {
  static constexpr std::array<EnumText<Activity>, 7> all{
      {{Activity::region, to_string(Activity::region)},
       {Activity::before_iteration, to_string(Activity::before_iteration)},
       {Activity::after_iteration, to_string(Activity::after_iteration)},
       {Activity::prepare, to_string(Activity::prepare)},
       {Activity::verify, to_string(Activity::verify)},
       {Activity::settle, to_string(Activity::settle)},
       {Activity::later_call, to_string(Activity::later_call)}}};
};

template <>
struct EnumTexts<LaunchRole> {
  static constexpr std::array<EnumText<LaunchRole>, 5> all{{{LaunchRole::warmup, "warmup"},
                                                            {LaunchRole::repeat, "repeat"},
                                                            {LaunchRole::lead_in, "lead_in"},
                                                            {LaunchRole::candidate, "candidate"},
                                                            {LaunchRole::best, "best"}}};
};

template <>
struct EnumTexts<LaunchStatus> {
  static constexpr std::array<EnumText<LaunchStatus>, 5> all{{{LaunchStatus::ok, "ok"},
                                                              {LaunchStatus::no_time, "no time"},
                                                              {LaunchStatus::rejected, "rejected"},
                                                              {LaunchStatus::fallback, "fallback"},
                                                              {LaunchStatus::not_launched, "not launched"}}};
};

template <>
struct EnumTexts<ChoiceStatus> {
  static constexpr std::array<EnumText<ChoiceStatus>, 2> all{
      {{ChoiceStatus::locked_in, "locked_in"}, {ChoiceStatus::provisional, "provisional"}}};
};

template <>
struct EnumTexts<ChosenBy> {
  static constexpr std::array<EnumText<ChosenBy>, 3> all{{{ChosenBy::makespan, "makespan"},
                                                          {ChosenBy::own_time, "own time"},
                                                          {ChosenBy::not_tuned, "not tuned"}}};
};

template <>
struct EnumTexts<Standing> {
  static constexpr std::array<EnumText<Standing>, 3> all{
      {{Standing::choice, "choice"}, {Standing::within_noise, "within noise"}, {Standing::other, "other"}}};
};

template <>
struct EnumTexts<TimelineSide> {
  static constexpr std::array<EnumText<TimelineSide>, 2> all{
      {{TimelineSide::chosen, "chosen"}, {TimelineSide::defaults, "defaults"}}};
};

template <>
struct EnumTexts<SearchReference> {
  static constexpr std::array<EnumText<SearchReference>, 5> all{
      {{SearchReference::none, "none"},
       {SearchReference::defaults, "defaults"},
       {SearchReference::alternative_defaults, "alternative defaults"},
       {SearchReference::default_alternative, "default alternative"},
       {SearchReference::first_feasible, "first feasible"}}};
};

template <>
struct EnumTexts<BlockedAction> {
  static constexpr std::array<EnumText<BlockedAction>, 4> all{
      {{BlockedAction::exit_process, "exit 84"},
       {BlockedAction::on_deadline, "on_deadline"},
       {BlockedAction::none, "none: a debugger is attached"},
       {BlockedAction::report_only, "none: a later call is only reported"}}};
};

template <>
struct EnumTexts<EndStatus> {
  static constexpr std::array<EnumText<EndStatus>, 2> all{
      {{EndStatus::ok, "ok"}, {EndStatus::failed, "failed"}}};
};

template <>
struct EnumTexts<RunStage> {
  static constexpr std::array<EnumText<RunStage>, 4> all{
      {{RunStage::hello, "hello"},
       {RunStage::walk, to_string(Phase::walk)},
       {RunStage::search, to_string(Phase::search)},
       {RunStage::final_run, to_string(Phase::final_run)}}};
};

template <typename E>
constexpr std::string_view enum_text(E value) noexcept {
  for (const EnumText<E>& entry : EnumTexts<E>::all) {
    if (entry.value == value) {
      return entry.text;
    }
  }
  return {};
}

/// Returns the enumerator with this text, or nothing if there is none.
template <typename E>
constexpr std::optional<E> enum_from_text(std::string_view text) noexcept {
  for (const EnumText<E>& entry : EnumTexts<E>::all) {
    if (entry.text == text) {
      return entry.value;
    }
  }
  return std::nullopt;
}

}  // namespace contextual::record
