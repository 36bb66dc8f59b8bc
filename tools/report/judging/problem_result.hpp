#pragma once

/// \file
/// What is known about each tuning problem of a run: its configs, their times, and its choices.

#include "report/format/texts.hpp"
#include "report/judging/launches.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// One config of one problem in the walk.
struct ConfigResult {
  std::int64_t id = 0;
  ConfigText text;                 ///< empty if the log never names it
  std::vector<double> samples_ns;  ///< agreed times of its repeats
  double median_ns = 0;            ///< valid if there are samples
  double spread_ns = 0;
  double makespan_ns = 0;  ///< median of the region's time in these iterations; 0 if unknown
  std::optional<double> teraflops_per_second;  ///< from config_summary, both of the lowest rank that has one
  std::optional<double> gigabytes_per_second;
  std::string_view rejection;  ///< why it was rejected; empty if it was not, or without a reason
  bool rejected = false;
  bool chosen = false;
};

struct ProblemResult {
  const ProblemName* name = nullptr;
  std::vector<ConfigResult> configs;   ///< by id, those that the log mentions
  std::vector<Range> not_measured;     ///< ids between them, about which nothing was written
  std::vector<const Choice*> choices;  ///< of one rank, in order; the last one is in force
  /// Medians of own times in the search: of the choice where all that was chosen ran together, and of the
  /// default where all defaults did. Empty where that never happened.
  std::optional<double> chosen_ns{};
  std::optional<double> defaults_ns{};

  const ConfigResult* find(std::int64_t id) const;
  /// Returns the choice that is in force, or null.
  const Choice* choice() const { return choices.empty() ? nullptr : choices.back(); }
};

/// Returns one result for each problem, in the order of RunView::problems. Problems without a launch come
/// last.
std::vector<ProblemResult> problems_of(const RunOfAllRanks& run, const RunView& view);

}  // namespace contextual::log_report
