#include "contextual/policy/tuning_state.hpp"

#include <algorithm>
#include <optional>

namespace contextual::policy {

/// What needs no run is done at once. The search begins, and goes on, when no problem walks.
void TuningState::advance() {
  for (;;) {
    reject_dead_alternatives();
    close_unused();
    skip_infeasible();
    reject_dead_alternatives();
    replace_ruled_out();
    replace_forbidden();
    if (!walking().empty()) {
      return;
    }
    if (!search_.running() && has_work_for_search()) {
      search_.begin(task(), iterations());
    }
    if (search_.running()) {
      if (!cut_.empty()) {
        search_.cut(cut_);
      }
      if (search_.advance()) {
        note_end_of_search();
      } else if (search_.running()) {
        return;
      }
    } else if (!explore()) {
      return;
    }
  }
}

/// The walk leaves out what has failed and what the user has ruled out.
void TuningState::skip_infeasible() {
  while (!walking().empty()) {
    const Assignment next = assignment_of(plan(1).front());
    if (feasibility_.allows(next)) {
      return;
    }
    std::vector<std::size_t> tried;
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      if (problems_[p].tried() && choice_points_.active_now(p)) {
        tried.push_back(p);
      }
    }
    if (take(exploration_.leave_ruled_out(tried))) {
      continue;
    }
    feasibility_.rule_out(next);
    for (const std::size_t p : walking()) {
      if (tried.size() == 1 && !choice_points_.exploring()) {  // else it may be the alternative
        reject(p, next[p], feasibility_.reason_against(next));
      } else {
        problems_[p].leave_unmeasured(next[p]);
      }
    }
  }
}

/// Without a search, each choice is the best by its own time, and together they may be ruled out.
void TuningState::replace_ruled_out() {
  if (options_.search != SearchLevel::off || !options_.feasible || !walking().empty()) {
    return;
  }
  const Assignment chosen = choice_points_.normal(choice_points_.choices());
  if (options_.feasible(chosen)) {
    return;
  }
  feasibility_.rule_out(chosen);
  if (!replace_by_next_best(chosen, Why::ruled_out_together)) {
    replace_by_first_run(chosen, Why::ruled_out_together);
  }
}

/// What a cut has closed has the best of what was known of each problem, and what was measured beside
/// something else may be all that is left.
void TuningState::replace_forbidden() {
  const bool decided = !open() && search_.failure().empty();
  const Assignment chosen = decided ? choice_points_.normal(choice_points_.choices()) : Assignment();
  if (decided && !feasibility_.allows(chosen) && !feasibility_.only_untimed(chosen) &&
      !replace_by_any_first_run(Why::not_allowed_together)) {
    search_.fail(Reason({.why = Why::none_feasible, .count = search_iterations_}) + Why::one_failed +
                 feasibility_.reason_against(chosen));
  }
}

/// One problem gets its next best config by own time that is allowed beside the others': the problem that
/// loses least by that. Returns false if there is none.
bool TuningState::replace_by_next_best(const Assignment& chosen, const Reason& reason) {
  struct Candidate {
    std::size_t problem;
    std::size_t config_id;
    double loss_ns;
  };
  std::optional<Candidate> least;
  for (std::size_t p = 0; p < chosen.size(); ++p) {
    if (problems_[p].request().choice_point || !choice_points_.active(p, chosen)) {
      continue;
    }
    const std::vector<std::size_t> configs = problems_[p].by_own_time();
    const auto next = std::find_if(configs.begin(), configs.end(), [&](std::size_t config_id) {
      Assignment other = chosen;
      other[p] = config_id;
      return config_id != chosen[p] && feasibility_.allows(other);
    });
    if (next == configs.end()) {
      continue;
    }
    const double loss_ns =
        problems_[p].own_time(*next).centre_ns - problems_[p].own_time(chosen[p]).centre_ns;
    if (!least || loss_ns < least->loss_ns) {
      least = {p, *next, loss_ns};
    }
  }
  if (least) {
    problems_[least->problem].replace_choice(least->config_id, reason);
  }
  return least.has_value();
}

/// All get what has run first with the same alternatives. Returns false if that is chosen already, or if
/// nothing has run.
bool TuningState::replace_by_first_run(const Assignment& chosen, const Reason& reason) {
  const std::optional<Assignment> first = feasibility_.first_proven(
      chosen.size(),
      [&](const Assignment& other) { return choice_points_.same_alternatives(other, chosen); });
  bool replaced = false;
  for (std::size_t p = 0; first && p < chosen.size(); ++p) {
    if ((*first)[p] != chosen[p] && choice_points_.active(p, chosen)) {
      problems_[p].replace_choice((*first)[p], reason);
      replaced = true;
    }
  }
  return replaced;
}

/// All but what an earlier run has locked in get what has run first with whatever alternatives, and are
/// provisional. Returns false if nothing has run.
bool TuningState::replace_by_any_first_run(const Reason& reason) {
  const std::optional<Assignment> first = feasibility_.first_proven(problems_.size());
  for (std::size_t p = 0; first && p < problems_.size(); ++p) {
    if (problems_[p].record().choice != (*first)[p] && !problems_[p].request().locked_config &&
        choice_points_.active(p, *first)) {
      problems_[p].replace_choice((*first)[p], reason);
      problems_[p].make_provisional(reason);
    }
  }
  return first.has_value();
}

/// What is launched by an alternative that is out of the question need not be tuned. What was tuned under one
/// that was not chosen is locked in with what was best for it.
void TuningState::close_unused() {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (!problems_[p].open() || (choice_points_.active_now(p) && !choice_points_.out_of_use(p))) {
      continue;
    }
    const bool undecided = choice_points_.undecided(p);
    if (choice_points_.out_of_use(p) || (!problems_[p].walked() && !undecided)) {
      problems_[p].close(Why::alternative_unused);
    } else if (!undecided) {
      problems_[p].lock_in(Evidence::search);
    }
  }
}

/// An alternative that launches a problem of which no config is left cannot be used either.
void TuningState::reject_dead_alternatives() {
  while (const std::optional<ChoicePoints::Dead> dead = choice_points_.dead()) {
    reject(dead->choice_point, dead->alternative, dead->reason);
  }
}

bool TuningState::has_work_for_search() const {
  if (choice_points_.comparing()) {
    return true;
  }
  const std::optional<std::size_t> exploring = choice_points_.exploring();
  const bool may = !exploring || (problems_[*exploring].viable(problems_[*exploring].record().choice) &&
                                  choice_points_.seen(*exploring) && !choice_points_.tuned(*exploring));
  for (std::size_t p = 0; may && p < problems_.size(); ++p) {
    if (problems_[p].walked() && choice_points_.active_now(p)) {
      return true;
    }
  }
  return false;
}

/// The alternatives of a choice point by themselves, else all problems that wait.
SearchTask TuningState::task() const {
  SearchTask task;
  std::size_t known = problems_.size();
  if (const std::optional<std::size_t> comparing = choice_points_.comparing()) {
    task.problems.push_back(*comparing);
    task.settled.push_back(*comparing);
    task.by_alternative = exploration_.best_by_alternative(*comparing);
    for (const Assignment& best : task.by_alternative) {
      known = best.empty() ? known : std::min(known, best.size());
    }
  }
  task.parts = 1 + choice_points_.searches_left();
  for (std::size_t p = 0; p < known; ++p) {
    if (!problems_[p].walked() || problems_[p].request().choice_point) {
      continue;
    }
    const bool compared = !task.by_alternative.empty();
    if (!compared && choice_points_.active_now(p)) {
      task.problems.push_back(p);
    }
    if ((compared || choice_points_.active_now(p)) && choice_points_.settles(p)) {
      task.settled.push_back(p);
    }
  }
  return task;
}

void TuningState::note_end_of_search() {
  const std::optional<std::size_t> exploring = choice_points_.exploring();
  if (!search_.failure().empty() && exploring && problems_[*exploring].viable_count() > 1) {
    const Reason reason = search_.failure();
    search_.forgive();
    if (!exploration_.part(*exploring)) {
      reject(*exploring, problems_[*exploring].record().choice, reason);
    }
  } else if (!search_.failure().empty()) {
    for (ProblemState& problem : problems_) {
      problem.close(search_.failure());
    }
  } else if (exploring) {
    for (const std::size_t p : choice_points_.together(*exploring)) {
      if (choice_points_.seen(p)) {
        choice_points_.note_tuned(p);  // also anew: beside what was chosen, something else is best
      }
    }
  }
}

/// Returns false if no choice point has a step to take before the next run.
bool TuningState::explore() {
  const std::optional<std::size_t> exploring = choice_points_.exploring();
  if (exploring && !cut_.empty()) {
    exploration_.close(*exploring, cut_);
    return true;
  }
  const bool by_walk = options_.search == SearchLevel::off || walk_log_.lacks_makespans();
  return take(exploration_.advance(by_walk ? ProblemState::Comparison::by_walk
                                           : ProblemState::Comparison::by_search));
}

/// Returns false if it is none.
bool TuningState::take(const Exploration::Step& step) {
  if (!step.rejection.empty()) {
    const std::size_t exploring = *choice_points_.exploring();
    reject(exploring, problems_[exploring].record().choice, step.rejection);
  }
  return step.taken;
}

}  // namespace contextual::policy
