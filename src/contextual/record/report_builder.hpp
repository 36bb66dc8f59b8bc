#pragma once

/// \file
/// Builds the report of a run while it runs.

#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/events.hpp"
#include "contextual/record/make_events.hpp"
#include "contextual/record/timeline_keeper.hpp"
#include "contextual/record/tuning_time.hpp"

#include <contextual/error.hpp>
#include <contextual/report.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace contextual::record {

/// Each run has one builder, which its thread uses. Call `end` last.
class ReportBuilder {
 public:
  /// Gives access to the fields that the caller sets directly: names, warnings and the timer.
  RegionReport& report() noexcept { return report_; }
  const RegionReport& report() const noexcept { return report_; }

  /// Begins a row, to which the following cells belong.
  void begin_row(Phase phase, std::int64_t tuning_iteration);
  /// Adds what a problem did in the row. `launched` is false if it was due but was not launched.
  void add_cell(const detail::ProblemSlot& slot, const LaunchRow& row, bool launched);
  /// Adds a search that is over, see search_report().
  void add_search(const SearchReport& search);
  /// Ends the report. `state` is null if the ranks never agreed on a first batch. `failure` is what the run
  /// throws if tuning has failed: the policy may not know yet what that says.
  void end(const policy::TuningState* state, std::vector<ProblemView> problems, const TuningTime& time,
           const TimelineKeeper& kept, const std::optional<TuningFailedError>& failure = std::nullopt);

 private:
  RegionReport report_;                                 ///< before `end`, cells refer to slots by their index
  std::vector<std::optional<std::size_t>> first_rows_;  ///< of the table, by slot
};

}  // namespace contextual::record
