#pragma once

/// \file
/// The report that remains of a run, as it grows.

#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/events.hpp"
#include "contextual/record/problem_view.hpp"

#include <contextual/report.hpp>
#include <contextual/statistic.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace contextual::record {

/// One a run, of its thread. `end` comes last.
class ReportBuilder {
 public:
  /// What needs no building (names, warnings, the timer) is set here.
  RegionReport& report() noexcept { return report_; }
  const RegionReport& report() const noexcept { return report_; }

  /// The cells that follow belong to it.
  void begin_row(Phase phase, std::int64_t tuning_iteration);
  /// What a problem did in the row; `launched` is false where it was due and did not come.
  void add_cell(const detail::ProblemSlot& slot, const policy::Cell& cell, bool launched);
  void add_contest(const Contest& contest);
  /// `state` is null where the ranks did not come to agree on a first batch.
  void end(const policy::TuningState* state, std::vector<ProblemView> problems, Statistic statistic);

 private:
  RegionReport report_;                            ///< until `end`, cells have the slot's index
  std::map<std::size_t, std::size_t> first_rows_;  ///< of the table, by slot
};

}  // namespace contextual::record
