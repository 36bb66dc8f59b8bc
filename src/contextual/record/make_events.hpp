#pragma once

/// \file
/// Makes the reports and the events of launches, searches and a region's parts from what batches and the
/// policy know. Pure.

#include "contextual/launch/batch.hpp"
#include "contextual/policy/search_record.hpp"
#include "contextual/policy/statistics.hpp"
#include "contextual/record/events.hpp"
#include "contextual/record/problem_view.hpp"

#include <contextual/report.hpp>
#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace contextual::record {

/// Returns what the problem did in an iteration of the batch. A problem first seen in this batch used its
/// first config.
policy::Cell cell_of(const detail::BatchResult& result, const ProblemView& problem, std::size_t iteration,
                     int n_warmup);

/// Makes the event of a launch. `cell` is what the problem did. Sets no average, which belongs to a config,
/// not to a launch.
LaunchRow launch_event(const detail::BatchPlan& plan, const detail::BatchResult& result,
                       const detail::AgreedTimes& agreed, const detail::ProblemSlot& slot,
                       std::size_t iteration, const policy::Cell& cell);

TimeSummary time_summary(const policy::Summary& summary);

/// Makes the report of a search, whose problems are slots, by their index; 0 for one without a slot.
SearchReport search_report(const policy::SearchRecord& search, const std::vector<ProblemView>& problems);
/// Makes the event of a search from its report. `infeasible` are all assignments that have failed in this
/// run; those of fewer or more problems are left out.
SearchResult search_event(const SearchReport& search, const std::map<Assignment, policy::Reason>& infeasible,
                          const std::vector<ProblemView>& problems);

/// The makespans of a part, or of the whole region, that count.
struct PartSamples {
  std::string name;
  std::vector<std::int64_t> makespans_ns;
};

LimitReport limit_of(const PartSamples& result, const std::vector<PartSamples>& parts);
Limit limit_event(const LimitReport& report, std::int64_t round_count);

}  // namespace contextual::record
