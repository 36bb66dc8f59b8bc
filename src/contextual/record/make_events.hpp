#pragma once

/// \file
/// Makes the reports and the events of launches, configs, problems, searches, a region's parts and the end of
/// a run from what batches and the policy know. Pure.

#include "contextual/launch/batch.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/policy/search_record.hpp"
#include "contextual/policy/statistics.hpp"
#include "contextual/record/events.hpp"

#include <contextual/config.hpp>
#include <contextual/report.hpp>
#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace contextual::record {

/// A slot and the state that tunes it.
struct ProblemView {
  const detail::ProblemSlot* slot = nullptr;
  const policy::ProblemRecord* record = nullptr;        ///< null before it joined
  std::optional<std::size_t> index{};                   ///< in that state; empty before it joined
  const detail::LaunchingAlternative* under = nullptr;  ///< what launches it, if that is known here
};

/// Returns a config as names and values, or an empty one if only other ranks launch the problem, and this one
/// does not know its configs.
const Config& config_of(const detail::ProblemSlot& slot, std::size_t config_id);

/// Returns the same for events.
ProblemName name_of(const detail::ProblemSlot& slot);
ConfigUse config_use(const detail::ProblemSlot& slot, std::size_t config_id);

/// Makes the event of a problem in an iteration of the batch. Sets no average, which belongs to a config, not
/// to a launch.
LaunchRow launch_event(const detail::BatchPlan& plan, const detail::BatchResult& result,
                       const detail::AgreedTimes& agreed, const ProblemView& problem, std::size_t iteration,
                       int n_warmup);

/// Makes the report of a config: without times of a problem that has not joined.
ConfigReport config_report(const ProblemView& problem, std::size_t config_id);
/// Makes the report of a problem, without what only the run knows: rows, the walk's time, own times of the
/// search.
ProblemReport problem_report(const ProblemView& problem);
/// Makes the event of a choice from the report of its problem.
Choice choice_event(const ProblemReport& problem);

/// Makes the report of a search.
SearchReport search_report(const policy::SearchRecord& search);
/// Makes the event of a search from its report. `infeasible` are all assignments that have failed in this
/// run; those of fewer or more problems are left out.
SearchResult search_event(const SearchReport& search, const std::map<Assignment, policy::Reason>& infeasible,
                          const std::vector<ProblemView>& problems);

/// Makes the event of a run's end by what was thrown, which may be null: status, error, its type, and the
/// ranks that it names, otherwise `own_rank`.
RunEnd end_event(const std::exception_ptr& thrown, int own_rank);

/// The makespans of a part, or of the whole region, that count.
struct PartSamples {
  std::string name;
  std::vector<std::int64_t> makespans_ns;
};

LimitReport limit_of(const PartSamples& result, const std::vector<PartSamples>& parts);
Limit limit_event(const LimitReport& report, std::int64_t round_count);

}  // namespace contextual::record
