#include "contextual/tuning/revalidation.hpp"

#include "contextual/policy/closing_comparison.hpp"

#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace contextual::tuning {
namespace {

const Assignment defaults{0};
const Assignment kept{1};

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
  report.defaults = result.reference;
  report.kept = result.choice;
  report.gain = result.gain;
  report.defaults_won = result.gain && policy::reference_wins(result, options.policy.tie_margin);
  return report;
}

/// From now on the defaults are locked in for what the run found locked in and not pinned.
void use_defaults(const detail::RunContext& context) {
  for (const detail::ProblemSlot& slot : context.slots()) {
    if (!slot.found.locked_config || !slot.found.pinned_by.empty()) {
      continue;
    }
    for (const auto& member : slot.found.members) {
      detail::LockInTable& table = *member->table();
      table.lock_in(context.region_id(), slot.problem.key, 0, detail::ChoiceFinality::lasting,
                    slot.problem.scope,
                    table.searched_by(context.region_id(), slot.problem.key, slot.problem.scope));
    }
  }
  LaunchRegistry::instance().note_publication(context.region_id());
}

}  // namespace

AfterRevalidation compare_with_defaults(const RegionCall& call, const TuningRun& run, PairedTiming& turns,
                                        record::Recorder& recorder) {
  std::optional<RevalidationReport> result;
  if (run.allows_defaults()) {
    result = revalidate(call.options, turns, call.function);
  }
  recorder.report().revalidation = result;
  if (!result) {
    recorder.warning("kept choices were not compared with the defaults, because `feasible` rules those out");
    return AfterRevalidation::choices_stay;
  }
  if (!result->gain) {
    recorder.warning(
        "kept choices were not compared with the defaults, because the timer has seen too few runs of both: "
        "they stay");
  }
  const bool tunes = result->defaults_won && call.options.revalidate == Revalidate::tune_if_worse;
  if (result->defaults_won) {
    recorder.warning(std::string("the kept choices are not faster than the defaults: ") +
                     (tunes ? "the region is tuned again" : "this process uses the defaults"));
  }
  if (tunes) {
    return AfterRevalidation::tune_again;
  }
  if (result->defaults_won) {
    use_defaults(run.context());
  }
  turns.run_once(call.function);  // the comparison's last run need not have been with what is locked in
  return result->defaults_won ? AfterRevalidation::defaults_are_used : AfterRevalidation::choices_stay;
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
