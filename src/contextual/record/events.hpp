#pragma once

/// \file
/// The events of a tuning run as plain structs. The log for people and the log for programs are two
/// renderings of this stream of events (docs/log-format.md). `RankLog::write` takes any event.

#include "contextual/record/schema/event.hpp"

#include <contextual/config.hpp>

#include <string>

namespace contextual::record {

/// A tuning problem's name.
struct ProblemName {
  std::string kernel{};  ///< or the name of the coupling; empty for no problem
  std::string key{};

  bool operator==(const ProblemName&) const = default;
};

/// The storage of events that own their texts.
struct Owned {
  using Text = std::string;
  using Problem = ProblemName;
  using Config = contextual::Config;
};

using ConfigUse = schema::ConfigUse<Owned>;
using RunStart = schema::RunStart<Owned>;
using Hello = schema::Hello<Owned>;
using DeviceConditions = schema::DeviceConditions<Owned>;
using LaunchRow = schema::Launch<Owned>;
using ConfigSummary = schema::ConfigSummary<Owned>;
using Rejected = schema::Rejected<Owned>;
using Choice = schema::Choice<Owned>;
using SearchResult = schema::SearchResult<Owned>;
using Timeline = schema::Timeline<Owned>;
using PartTime = schema::PartTime<Owned>;
using Limit = schema::Limit<Owned>;
using Warning = schema::Warning<Owned>;
using Progress = schema::Progress<Owned>;
using Blocked = schema::Blocked<Owned>;
using RunEnd = schema::RunEnd<Owned>;
using EventBody = schema::EventBody<Owned>;
using Event = schema::Event<Owned>;

}  // namespace contextual::record
