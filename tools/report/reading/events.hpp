#pragma once

/// \file
/// The library's events (docs/log-format.md) for a reader of many logs. Names and messages are printable and
/// are views into a TextPool; times are in nanoseconds.

#include "contextual/record/schema/event.hpp"
#include "report/reading/problem_name.hpp"

#include <string_view>

namespace contextual::log_report {

using record::ChoiceStatus;
using record::enum_text;
using record::LaunchRole;
using record::LaunchStatus;
using record::RunStage;
using record::Standing;
using record::TimelineSide;

/// The storage of events that point into a TextPool.
struct Pooled {
  using Text = std::string_view;
  using Problem = const ProblemName*;  ///< null if the event has none
  using Config = std::string_view;     ///< "{BLOCK_N: 128}"
};

/// A config of a problem, as a line names it.
using ConfigName = record::schema::ConfigUse<Pooled>;

using RunStart = record::schema::RunStart<Pooled>;
using Hello = record::schema::Hello<Pooled>;
using DeviceConditions = record::schema::DeviceConditions<Pooled>;
using Launch = record::schema::Launch<Pooled>;
using ConfigSummary = record::schema::ConfigSummary<Pooled>;
using Rejected = record::schema::Rejected<Pooled>;
using Choice = record::schema::Choice<Pooled>;
using SearchedProblem = record::schema::SearchedProblem<Pooled>;
using MeasuredAssignment = record::schema::MeasuredAssignment<Pooled>;
using InfeasibleAssignment = record::schema::InfeasibleAssignment<Pooled>;
using LostAssignment = record::schema::LostAssignment<Pooled>;
using SearchResult = record::schema::SearchResult<Pooled>;
using TimelineLaunch = record::schema::TimelineLaunch<Pooled>;
using TimelineSpan = record::schema::TimelineSpan;
using Timeline = record::schema::Timeline<Pooled>;
using PartTime = record::schema::PartTime<Pooled>;
using Limit = record::schema::Limit<Pooled>;
using Warning = record::schema::Warning<Pooled>;
using Progress = record::schema::Progress<Pooled>;
using Blocked = record::schema::Blocked<Pooled>;
using RunEnd = record::schema::RunEnd<Pooled>;
using EventBody = record::schema::EventBody<Pooled>;

/// One line of a log.
using Event = record::schema::Event<Pooled>;

}  // namespace contextual::log_report
