#include "search/replay_tuning.hpp"

#include "contextual/policy/tuning_state.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace search_replay {
namespace {

using contextual::policy::BatchOutcome;
using contextual::policy::CellOutcome;
using contextual::policy::IterationOutcome;
using contextual::policy::IterationPlan;
using contextual::policy::PolicyOptions;
using contextual::policy::TuningState;

class TuningReplay {
 public:
  TuningReplay(const PolicyOptions& options, ReplayedRegion& region) : state_(options), region_(region) {}

  Replay operator()() {
    note_choices();
    while (!state_.done()) {
      run_batch(state_.plan(state_.suggested_length()));
      region_.exchange();
      note_choices();
    }
    replay_.regret = replay_.curve.back().regret;
    replay_.runs = region_.runs();
    replay_.miss = miss();
    replay_.unsure = !state_.searches().empty() && state_.searches().back().is_unsure();
    return replay_;
  }

 private:
  void run_batch(const std::vector<IterationPlan>& plan) {
    BatchOutcome outcome;
    for (const IterationPlan& iteration : plan) {
      add_problems();
      outcome.iterations.push_back(run(iteration));
    }
    for (IterationOutcome& iteration : outcome.iterations) {
      iteration.cells.resize(state_.problem_count());  // those that joined after it were not launched
    }
    state_.observe(plan, outcome);
  }

  /// Adds the problems that the next run of the region launches for the first time.
  void add_problems() {
    for (std::size_t p = state_.problem_count();
         p < region_.problem_count() && region_.joins_after_runs(p) <= region_.runs(); ++p) {
      const ReplayedProblem& problem = region_.problems()[p];
      contextual::policy::ProblemRequest request{problem.configs.size(), {}, std::nullopt, problem.kernel};
      request.parameters = std::make_shared<const std::vector<contextual::Config>>(problem.configs);
      request.refinement_count = problem.refinement_count;
      state_.add_problem(request);
    }
  }

  IterationOutcome run(const IterationPlan& plan) {
    Assignment assignment(state_.problem_count(), 0);  // a problem without a cell uses its default
    for (std::size_t p = 0; p < plan.cells.size(); ++p) {
      assignment[p] = plan.cells[p].config_id;
    }
    IterationOutcome outcome;
    const std::optional<Sample> sample = region_.run(assignment);
    for (std::size_t p = 0; p < assignment.size(); ++p) {
      CellOutcome cell{true, sample ? std::optional(sample->times_ns[p]) : std::nullopt};
      cell.overlaps = region_.overlaps();
      outcome.cells.push_back(cell);
    }
    outcome.makespan_ns = sample ? std::optional(sample->makespan_ns) : std::nullopt;
    outcome.infeasible = sample ? "" : "timed out";
    return outcome;
  }

  Assignment choices() const {
    Assignment choices(region_.problem_count(), 0);
    for (std::size_t p = 0; p < state_.problem_count(); ++p) {
      choices[p] = state_.problem(p).choice;
    }
    return choices;
  }

  void note_choices() { replay_.curve.push_back({region_.runs(), region_.regret(choices())}); }

  bool good(const Assignment& assignment) const {
    constexpr double goal = 0.01;
    return region_.regret(assignment) <= goal;
  }

  Miss miss() const {
    if (replay_.regret == 0 || state_.searches().empty() || good(choices())) {
      return Miss::none;
    }
    const contextual::policy::SearchRecord& search = state_.searches().back();
    const auto of_good = [this](const auto& record) { return good(record.assignment); };
    return std::any_of(search.lost.begin(), search.lost.end(), of_good)           ? Miss::lost
           : std::any_of(search.measured.begin(), search.measured.end(), of_good) ? Miss::mistaken
                                                                                  : Miss::unseen;
  }

  TuningState state_;
  ReplayedRegion& region_;
  Replay replay_;
};

}  // namespace

Replay replay_tuning(const PolicyOptions& options, ReplayedRegion& region) {
  return TuningReplay(options, region)();
}

}  // namespace search_replay
