#include "contextual/tuning/revalidation.hpp"

#include "contextual/policy/closing_comparison.hpp"

#include <algorithm>

namespace contextual::tuning {
namespace {

const Assignment defaults{0};
const Assignment kept{1};

TimeSummary summary_of(const policy::Summary& times) {
  return {times.count, times.centre_ns, times.spread_ns};
}

}  // namespace

RevalidationReport revalidate(const options::ResolvedOptions& options, PairedTiming& turns,
                              const std::function<void()>& region) {
  policy::ClosingComparison comparison(defaults, kept, rounds_of_turns(options));
  for (auto trials = comparison.plan(); !trials.empty(); trials = comparison.plan()) {
    for (const SearchTrial& trial : trials) {
      const TurnUses uses = trial.assignment == defaults ? TurnUses::defaults : TurnUses::what_is_locked_in;
      SearchObservation observation;
      observation.trial = trial;
      observation.runs.resize(2);  // the lead-in and the sample
      observation.runs.back().makespan_ns = turns.turn(region, uses);
      comparison.observe(observation);
    }
  }
  const policy::ClosingComparison::Result result = comparison.result();
  RevalidationReport report;
  report.defaults = summary_of(result.reference);
  report.kept = summary_of(result.choice);
  if (result.gain) {
    report.gain = SearchGain{result.gain->centre, result.gain->low, result.gain->high};
    report.defaults_won = policy::reference_wins(result, options.policy.tie_margin);
  }
  return report;
}

void describe_kept(const RegionReport& kept, AfterRevalidation after, RegionReport& report) {
  for (ProblemReport& problem : report.problems) {
    const auto before =
        std::find_if(kept.problems.begin(), kept.problems.end(), [&](const ProblemReport& known) {
          return known.kernel == problem.kernel && known.key == problem.key;
        });
    if (!problem.reused || !problem.pinned_by.empty() || before == kept.problems.end()) {
      continue;
    }
    problem.reason = before->reason;
    if (after == AfterRevalidation::defaults_are_used && !problem.configs.empty()) {
      problem.choice = 0;
      problem.choice_config = problem.configs.front().config;
      problem.reason = "what was kept is not faster than the defaults; it was " + before->reason;
    }
  }
}

}  // namespace contextual::tuning
