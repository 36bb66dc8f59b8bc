#include "contextual/policy/tuning_machine.hpp"

#include "contextual/policy/assignments.hpp"
#include "contextual/policy/options_check.hpp"
#include "contextual/policy/walk_plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace contextual::policy {
namespace {

Reason no_time_reason(const ProblemState& problem, std::size_t config_id) {
  return Reason({.why = Why::no_time_retaken, .count = problem.record().configs[config_id].retakes});
}

/// The makespan less the own times. Problems without a time of their own, such as choice points, have none.
std::optional<std::int64_t> rest_of(const IterationOutcome& outcome) {
  std::optional<std::int64_t> rest_ns = outcome.makespan_ns;
  for (const CellOutcome& cell : outcome.cells) {
    rest_ns = rest_ns ? std::optional(*rest_ns - cell.time_ns.value_or(0)) : std::nullopt;
  }
  return rest_ns;
}

/// Its config is what a run tries or could try. A choice point that explores tries nothing itself.
bool is_tried(const ProblemState& problem) {
  return problem.walking() || problem.walked();
}

}  // namespace

/// The problems' configs in an iteration; those that have joined since the plan use config 0.
Assignment TuningState::Impl::assignment_of(const IterationPlan& planned) const {
  Assignment assignment(problems.size(), 0);
  for (std::size_t p = 0; p < planned.cells.size(); ++p) {
    assignment[p] = planned.cells[p].config_id;
  }
  return choice_points.normal(std::move(assignment));
}

/// Without those of an alternative that is not held: they go on when it is.
std::vector<std::size_t> TuningState::Impl::walking() const {
  std::vector<std::size_t> walking;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    if (problems[p].walking() && choice_points.active_now(p)) {
      walking.push_back(p);
    }
  }
  return walking;
}

bool TuningState::Impl::open() const {
  return std::any_of(problems.begin(), problems.end(), [](const ProblemState& p) { return p.open(); });
}

/// For what only the final run does to a problem.
ProblemState& TuningState::Impl::closed_problem(std::size_t index) {
  ProblemState& problem = problems.at(index);
  require(!problem.open(), "the final run has no say about a tuning problem that is still open: problem " +
                               std::to_string(index));
  return problem;
}

std::vector<IterationPlan> TuningState::Impl::plan(std::size_t length) const {
  std::vector<IterationPlan> batch(length);
  const std::vector<SearchRunPlan> runs = searching() ? search.plan(length) : std::vector<SearchRunPlan>{};
  const Assignment best = choices(problems);
  for (std::size_t i = 0; i < length; ++i) {
    batch[i].cells.reserve(best.size());
    for (const std::size_t config_id : best) {
      batch[i].cells.push_back({Cell::Role::best, config_id, 0, false});
    }
    if (searching()) {
      batch[i].phase = Phase::search;
    } else if ((begun || !problems.empty()) && !open()) {
      batch[i].phase = Phase::final_run;
    }
    for (std::size_t p = 0; i < runs.size() && p < problems.size(); ++p) {
      const bool compared = runs[i].assignment[p] != best[p] && choice_points.active(p, runs[i].assignment);
      if (problems[p].walked() || compared) {
        const Cell::Role role = runs[i].run == 0 ? Cell::Role::lead_in : Cell::Role::candidate;
        batch[i].cells[p] = {role, runs[i].assignment[p], runs[i].run, runs[i].run == 0};
      }
    }
  }
  plan_walks(problems, walking(), batch);
  return batch;
}

/// The first run of an assignment in the walk is a batch of its own, so that an infeasible one costs one run.
/// What is ruled out later in the batch is left out before the next one.
std::size_t TuningState::Impl::walk_batch_length(std::size_t longest) const {
  const std::vector<IterationPlan> batch =
      plan(std::max<std::size_t>(1, walk_length(problems, walking(), options, longest)));
  const bool searches = options.search != SearchLevel::off;
  const Assignment first = assignment_of(batch.front());
  if ((searches && !feasibility.proven(first)) || first_runs.suspects()) {
    return 1;
  }
  const auto end = std::find_if(batch.begin(), batch.end(), [&](const IterationPlan& iteration) {
    const Assignment assignment = assignment_of(iteration);
    return assignment != first &&
           (options.one_assignment_per_batch || (searches && !feasibility.proven(assignment)) ||
            (options.feasible && !options.feasible(assignment)));
  });
  return static_cast<std::size_t>(end - batch.begin());
}

/// A makespan is a sample after the warm-ups of all problems. It is too long right after an exchange or a
/// change of configs, also where `n_warmup` puts no warm-up there.
bool TuningState::Impl::is_sample(const std::vector<IterationPlan>& plan, std::size_t i) const {
  const std::vector<Cell>& cells = plan[i].cells;
  if (i == 0 || cells.size() != problems.size() ||
      std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.warmup; })) {
    return false;
  }
  const std::vector<Cell>& before = plan[i - 1].cells;
  const auto same_config = [](const Cell& a, const Cell& b) { return a.config_id == b.config_id; };
  return std::equal(cells.begin(), cells.end(), before.begin(), before.end(), same_config) ||
         assignment_of(plan[i]) == assignment_of(plan[i - 1]);
}

/// Closed problems need not be launched, and those of other alternatives are not.
bool TuningState::Impl::open_ones_launched(const Assignment& assignment,
                                           const IterationOutcome& outcome) const {
  for (std::size_t p = 0; p < problems.size(); ++p) {
    if (!outcome.cells[p].launched && is_tried(problems[p]) && choice_points.active(p, assignment)) {
      return false;
    }
  }
  return true;
}

void TuningState::Impl::reject(const RejectionOutcome& rejection) {
  if (!rejection.left_out) {
    reject(rejection.problem, rejection.config_id, told(rejection.reason, rejection.ranks));
    return;
  }
  ProblemState& problem = problems[rejection.problem];
  const bool decided_before = !problem.walking() && !problem.exploring();
  if (problem.leave_out_default()) {
    reject_elsewhere(rejection.problem, 0, decided_before);
  }
}

void TuningState::Impl::reject(std::size_t index, std::size_t config_id, const Reason& reason) {
  ProblemState& problem = problems[index];
  const bool decided_before = !problem.walking() && !problem.exploring();
  problem.reject(config_id, reason);
  reject_elsewhere(index, config_id, decided_before);
}

/// What knows the problem's configs beside its own state. `decided_before`: the problem was over its walk.
void TuningState::Impl::reject_elsewhere(std::size_t index, std::size_t config_id, bool decided_before) {
  ProblemState& problem = problems[index];
  choice_points.rejected(index, config_id);
  search.reject(index, config_id);
  if (decided_before && (problem.walking() || problem.exploring())) {
    search.interrupt();  // it walks anew
  }
  if (problem.exploring() && problem.record().choice == config_id) {
    problem.hold(choice_points.first_tuned(index).value_or(config_id));
  }
}

/// In the order of time: what a config did before it was rejected counts.
void TuningState::Impl::reject_at(const BatchOutcome& outcome, std::size_t iteration) {
  for (const RejectionOutcome& rejection : outcome.rejections) {
    if (std::min(rejection.batch_iteration, outcome.iterations.size()) == iteration) {
      reject(rejection);
    }
  }
}

void TuningState::Impl::observe_iterations(const std::vector<IterationPlan>& plan,
                                           const BatchOutcome& outcome) {
  const std::size_t length = outcome.iterations.size();
  const std::size_t known = plan.empty() ? problems.size() : plan.front().cells.size();
  if (known < problems.size()) {
    choice_points.joined();
    feasibility.extend(problems.size());
    search.interrupt();
    walk_log.clear();
  }
  const bool of_search = length > 0 && plan.front().phase == Phase::search;
  std::vector<SearchRunPlan> runs;
  if (of_search && searching()) {
    runs = search.plan(plan.size());
    require(this->plan(plan.size()) == plan,
            "the plan is not the state's current one: something was observed or rejected since it was made");
  }
  for (std::size_t i = 0; i < length; ++i) {
    reject_at(outcome, i);
    walk_log.note(outcome.iterations[i]);
    if (known == problems.size()) {  // else what has joined ran with config 0, whatever is chosen for it
      choice_points.note(assignment_of(plan[i]), outcome.iterations[i]);
    }
    observe_walk(plan, i, outcome.iterations[i]);
    (plan[i].phase == Phase::search ? search_iterations : walk_iterations) += 1;
  }
  reject_at(outcome, length);
  if (of_search) {
    observe_search(plan, runs, outcome);
  }
  reject_dead_alternatives();
}

/// After the rejections: no run with a rejected config is a sample from its rejection on. What has failed
/// stays known, also if a rejection or a problem that joined has ended the search that planned it.
void TuningState::Impl::observe_search(const std::vector<IterationPlan>& plan,
                                       const std::vector<SearchRunPlan>& runs, const BatchOutcome& outcome) {
  std::vector<IterationOutcome> outcomes = outcome.iterations;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Assignment assignment = assignment_of(plan[i]);
    for (const RejectionOutcome& rejection : outcome.rejections) {
      if (rejection.batch_iteration <= i && assignment[rejection.problem] == rejection.config_id) {
        outcomes[i].cells[rejection.problem].disturbed = true;  // the fallback's time says nothing
      }
    }
    if (outcomes[i].infeasible.empty()) {
      continue;
    }
    const auto walked = static_cast<std::size_t>(
        std::count_if(problems.begin(), problems.end(), [](const ProblemState& p) { return p.walked(); }));
    const std::size_t open = walked + (exploration.unproven(assignment) ? 1 : 0);
    if (!search.running() || open != 1 || !search.decides()) {
      feasibility.failed(assignment, told(outcomes[i].infeasible));
    } else {
      condemn(assignment, outcomes[i], told(outcomes[i].infeasible));
      outcomes[i].infeasible.clear();
      outcomes[i].makespan_ns.reset();
      for (CellOutcome& cell : outcomes[i].cells) {
        cell.disturbed = true;  // what is missing is explained
      }
    }
  }
  if (!runs.empty() && search.running()) {
    search.observe(runs, outcomes);
  }
}

void TuningState::Impl::observe_walk(const std::vector<IterationPlan>& plan, std::size_t i,
                                     const IterationOutcome& seen) {
  const IterationPlan& planned = plan[i];
  const Assignment assignment = assignment_of(planned);
  const IterationOutcome outcome = choice_points.with_own_times(assignment, seen);
  const std::vector<std::size_t> beginning = first_runs.beginning(assignment, outcome);
  const std::optional<std::int64_t> rest_ns = rest_of(seen);
  Reason failure = told(outcome.infeasible);
  bool retake = false;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const bool was_step = p < planned.cells.size() && planned.cells[p].role == Cell::Role::step;
    const ProblemState::Taken taken =
        problems[p].observe(assignment[p], outcome.cells[p], outcome.makespan_ns, rest_ns);
    const bool no_time = taken == ProblemState::Taken::no_time;
    const bool again = no_time || taken == ProblemState::Taken::retake ||
                       (taken == ProblemState::Taken::displaced && was_step);
    retake = retake || again;
    walk_retakes += again ? 1 : 0;
    if (no_time && problems[p].request().choice_point) {
      problems[p].leave_unmeasured(assignment[p]);  // what it launches may have no times
    } else if (no_time && options.search == SearchLevel::off) {
      problems[p].reject(assignment[p], no_time_reason(problems[p], assignment[p]));
    } else if (no_time && failure.empty()) {
      failure = no_time_reason(problems[p], assignment[p]);
    }
  }
  if (planned.phase == Phase::search) {
    return;
  }
  const bool nobody_asks =
      options.search == SearchLevel::off && !options.feasible && !options.one_assignment_per_batch;
  if (!failure.empty()) {
    condemn(assignment, outcome, failure);
  } else if (!options.feasible || options.feasible(assignment)) {  // a first run is not asked for
    if (!nobody_asks) {
      feasibility.succeeded(assignment);
    }
    if (is_sample(plan, i) && !retake && open_ones_launched(assignment, outcome)) {
      walk_log.add(assignment, outcome);
    }
  }
  if (failure.empty() && options.search != SearchLevel::off) {
    first_runs.judge(beginning, assignment, outcome);
  }
}

/// The configs have failed together. Where only one problem is still open, its config is to blame, because it
/// has no other neighbours.
void TuningState::Impl::condemn(const Assignment& assignment, const IterationOutcome& outcome,
                                const Reason& reason) {
  std::vector<std::size_t> suspects;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    if (outcome.cells[p].launched && is_tried(problems[p])) {
      suspects.push_back(p);
    }
  }
  bool others_open = false;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    others_open = others_open || (is_tried(problems[p]) && choice_points.active(p, assignment));
  }
  // Where nothing else is open, also one that has succeeded beside other configs.
  const auto exploring = others_open ? exploration.unproven(assignment) : choice_points.exploring();
  const bool unclear = exploring && exploration.part(*exploring);
  if (exploring && outcome.cells[*exploring].launched) {
    suspects.push_back(*exploring);
  }
  if (suspects.size() == 1 && !unclear) {
    reject(suspects.front(), assignment[suspects.front()], reason);
    return;
  }
  feasibility.failed(assignment, reason);
  walk_log.drop(assignment);
  for (const std::size_t p : suspects) {
    problems[p].leave_unmeasured(assignment[p]);
  }
}

void TuningState::Impl::note_presence(const std::vector<IterationPlan>& plan, const BatchOutcome& outcome) {
  const Phase phase = plan.empty() ? Phase::walk : plan.front().phase;
  std::vector<Assignment> assignments;
  assignments.reserve(plan.size());
  for (const IterationPlan& iteration : plan) {
    assignments.push_back(assignment_of(iteration));
  }
  for (std::size_t p = 0; p < problems.size() && !outcome.iterations.empty(); ++p) {
    const bool was_open = problems[p].open();
    const bool waited = problems[p].walked();
    const bool expected =
        std::any_of(assignments.begin(), assignments.end(),
                    [&](const Assignment& assignment) { return choice_points.active(p, assignment); });
    if (!expected) {
      continue;  // it belongs to another alternative
    }
    if (waited && phase != Phase::search) {
      continue;  // nothing is expected of it
    }
    const bool launched = std::any_of(outcome.iterations.begin(), outcome.iterations.end(),
                                      [p](const IterationOutcome& i) { return i.cells[p].launched; });
    problems[p].note_presence(launched ? Presence::launched : Presence::absent);
    if (was_open && !problems[p].open() && search.running()) {
      search.interrupt();  // it is no longer part of the region
    }
  }
}

/// The walk leaves out what has failed and what the user has ruled out.
void TuningState::Impl::skip_infeasible() {
  while (any_walking()) {
    const Assignment next = assignment_of(plan(1).front());
    if (feasibility.allows(next)) {
      return;
    }
    feasibility.rule_out(next);
    std::size_t open_count = 0;
    for (std::size_t p = 0; p < problems.size(); ++p) {
      open_count += is_tried(problems[p]) && choice_points.active_now(p) ? 1 : 0;
    }
    for (const std::size_t p : walking()) {
      if (open_count == 1) {
        reject(p, next[p], feasibility.reason_against(next));
      } else {
        problems[p].leave_unmeasured(next[p]);
      }
    }
  }
}

/// Without a search, each choice is the best by its own time, and together they may be ruled out.
void TuningState::Impl::replace_ruled_out() {
  if (options.search != SearchLevel::off || !options.feasible || any_walking()) {
    return;
  }
  const Assignment chosen = choice_points.normal(choices(problems));
  if (options.feasible(chosen)) {
    return;
  }
  feasibility.rule_out(chosen);
  if (!replacement.by_next_best(chosen, Why::ruled_out_together)) {
    replacement.by_first_run(chosen, Why::ruled_out_together);
  }
}

/// What a cut has closed has the best of what was known of each problem, and what was measured beside
/// something else may be all that is left.
void TuningState::Impl::replace_forbidden() {
  const bool decided = !open() && search.failure().empty();
  const Assignment chosen = decided ? choice_points.normal(choices(problems)) : Assignment();
  if (decided && !feasibility.allows(chosen) && !feasibility.only_untimed(chosen) &&
      !replacement.by_any_first_run(Why::not_allowed_together)) {
    search.fail(Reason({.why = Why::none_feasible, .count = search_iterations}) + Why::one_failed +
                feasibility.reason_against(chosen));
  }
}

/// What is launched by an alternative that is out of the question need not be tuned. What was tuned under one
/// that was not chosen is locked in with what was best for it.
void TuningState::Impl::close_unused() {
  for (std::size_t p = 0; p < problems.size(); ++p) {
    if (!problems[p].open() || (choice_points.active_now(p) && !choice_points.out_of_use(p))) {
      continue;
    }
    const bool undecided = choice_points.undecided(p);
    if (choice_points.out_of_use(p) || (!problems[p].walked() && !undecided)) {
      problems[p].close(Why::alternative_unused);
    } else if (!undecided) {
      problems[p].lock_in(Evidence::search);
    }
  }
}

/// An alternative that launches a problem of which no config is left cannot be used either.
void TuningState::Impl::reject_dead_alternatives() {
  while (const std::optional<ChoicePoints::Dead> dead = choice_points.dead()) {
    reject(dead->choice_point, dead->alternative, dead->reason);
  }
}

bool TuningState::Impl::has_work_for_search() const {
  if (choice_points.comparing()) {
    return true;
  }
  const std::optional<std::size_t> exploring = choice_points.exploring();
  const bool may = !exploring || (problems[*exploring].viable(problems[*exploring].record().choice) &&
                                  choice_points.seen(*exploring) && !choice_points.tuned(*exploring));
  for (std::size_t p = 0; may && p < problems.size(); ++p) {
    if (problems[p].walked() && choice_points.active_now(p)) {
      return true;
    }
  }
  return false;
}

/// The alternatives of a choice point by themselves, else all problems that wait.
SearchTask TuningState::Impl::task() const {
  SearchTask task;
  std::size_t known = problems.size();
  if (const std::optional<std::size_t> comparing = choice_points.comparing()) {
    task.problems.push_back(*comparing);
    task.settled.push_back(*comparing);
    task.by_alternative = exploration.best_by_alternative(*comparing);
    for (const Assignment& best : task.by_alternative) {
      known = best.empty() ? known : std::min(known, best.size());
    }
  }
  task.parts = 1 + choice_points.searches_left();
  for (std::size_t p = 0; p < known; ++p) {
    if (!problems[p].walked() || problems[p].request().choice_point) {
      continue;
    }
    const bool compared = !task.by_alternative.empty();
    if (!compared && choice_points.active_now(p)) {
      task.problems.push_back(p);
    }
    if ((compared || choice_points.active_now(p)) && choice_points.settles(p)) {
      task.settled.push_back(p);
    }
  }
  return task;
}

void TuningState::Impl::note_end_of_search() {
  const std::optional<std::size_t> exploring = choice_points.exploring();
  if (!search.failure().empty() && exploring && problems[*exploring].viable_count() > 1) {
    const Reason reason = search.failure();
    search.forgive();
    if (!exploration.part(*exploring)) {
      reject(*exploring, problems[*exploring].record().choice, reason);
    }
  } else if (!search.failure().empty()) {
    for (ProblemState& problem : problems) {
      problem.close(search.failure());
    }
  } else if (exploring) {
    for (const std::size_t p : choice_points.together(*exploring)) {
      if (choice_points.seen(p)) {
        choice_points.note_tuned(p);  // also anew: beside what was chosen, something else is best
      }
    }
  }
}

/// Returns false if no choice point has a step to take before the next run.
bool TuningState::Impl::explore() {
  const std::optional<std::size_t> exploring = choice_points.exploring();
  if (exploring && !cut.empty()) {
    exploration.close(*exploring, cut);
    return true;
  }
  const bool by_walk = options.search == SearchLevel::off || walk_log.lacks_makespans();
  const Exploration::Step step =
      exploration.advance(by_walk ? ProblemState::Comparison::by_walk : ProblemState::Comparison::by_search);
  if (!step.rejection.empty()) {
    reject(*exploring, problems[*exploring].record().choice, step.rejection);
  }
  return step.taken;
}

/// What needs no run is done at once. The search begins, and goes on, when no problem walks.
void TuningState::Impl::advance() {
  for (;;) {
    reject_dead_alternatives();
    close_unused();
    skip_infeasible();
    reject_dead_alternatives();
    replace_ruled_out();
    replace_forbidden();
    if (any_walking()) {
      return;
    }
    if (!search.running() && has_work_for_search()) {
      search.begin(problems, task(), iterations());
    }
    if (search.running()) {
      if (!cut.empty()) {
        search.cut(cut);
      }
      if (search.advance(problems)) {
        note_end_of_search();
      } else if (search.running()) {
        return;
      }
    } else if (!explore()) {
      return;
    }
  }
}

}  // namespace contextual::policy
