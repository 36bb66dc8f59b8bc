#pragma once

/// \file
/// What is known of each tuning problem of a run: its configs, their times, its choices.

#include "report/format/ranges.hpp"
#include "report/judging/run_view.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// One config of one problem in the walk.
struct ConfigResult {
  std::int64_t id = 0;
  std::string_view text;           ///< empty: never named in the log
  std::vector<double> samples_ns;  ///< agreed times of its repeats
  double median_ns = 0;            ///< valid with samples
  double spread_ns = 0;
  double makespan_ns = 0;            ///< median of the region's time in these iterations; 0: unknown
  std::optional<double> summary_ns;  ///< what the tuner used, from config_summary
  std::string_view rejection;        ///< why it is out; empty: it is not, or nobody said why
  bool rejected = false;
  bool chosen = false;
};

/// Config ids that nothing was written of.
using UnmeasuredConfigs = Range;

struct ProblemResult {
  const ProblemName* name = nullptr;
  std::vector<ConfigResult> configs;            ///< by id, those the log has something of
  std::vector<UnmeasuredConfigs> not_measured;  ///< ids between them
  std::vector<const Choice*> choices;           ///< of one rank, as they were made; the last one holds
  bool local = false;                           ///< each rank has times of its own: its choices may differ

  const ConfigResult* find(std::int64_t id) const;
};

/// Returns one result for each problem, in the order of RunView::problems; problems without a launch come
/// last.
std::vector<ProblemResult> problems_of(const RunView& view);

}  // namespace contextual::log_report
