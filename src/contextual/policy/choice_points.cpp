#include "contextual/policy/choice_points.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace contextual::policy {

const std::optional<UnderAlternative>& ChoicePoints::under(std::size_t problem) const {
  return problems_[problem].request().under;
}

ChoicePoints::Alternative ChoicePoints::held(std::size_t choice_point) const {
  return {choice_point, problems_[choice_point].record().choice};
}

Assignment ChoicePoints::choices() const {
  Assignment assignment;
  assignment.reserve(problems_.size());
  for (const ProblemState& problem : problems_) {
    assignment.push_back(problem.record().choice);
  }
  return assignment;
}

Assignment ChoicePoints::defaults() const {
  Assignment assignment = choices();
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (problems_[p].walked() && problems_[p].viable(0)) {
      assignment[p] = 0;
    }
  }
  return assignment;
}

Assignment ChoicePoints::all_defaults() const {
  Assignment assignment = choices();
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (!problems_[p].request().locked_config && problems_[p].viable(0)) {
      assignment[p] = 0;
    }
  }
  return assignment;
}

void ChoicePoints::joined() {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (problems_[p].exploring() && active_now(p)) {
      best_.erase(held(p));
      seen_.erase(held(p));
    }
  }
}

void ChoicePoints::rejected(std::size_t problem, std::size_t config_id) {
  for (auto& [alternative, best] : best_) {
    if (problem < best.size() && best[problem] == config_id) {
      best[problem] = problems_[problem].record().choice;
    }
  }
}

void ChoicePoints::note(const Assignment& assignment, const IterationOutcome& outcome) {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (problems_[p].request().choice_point && outcome.cells[p].launched) {
      seen_.insert({p, assignment[p]});
    }
  }
}

bool ChoicePoints::active(std::size_t problem, const Assignment& assignment) const {
  for (std::optional<UnderAlternative> outer = under(problem); outer; outer = under(outer->choice_point)) {
    if (assignment[outer->choice_point] != outer->alternative) {
      return false;
    }
  }
  return true;
}

bool ChoicePoints::active_now(std::size_t problem) const {
  return !under(problem) || active(problem, choices());
}

bool ChoicePoints::launches_rejected(const Assignment& assignment) const {
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    const ProblemState& problem = problems_[p];
    if (!problem.viable(assignment[p]) && assignment[p] != problem.record().choice && active(p, assignment)) {
      return true;
    }
  }
  return false;
}

Assignment ChoicePoints::normal(Assignment assignment) const {
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    if (!active(p, assignment)) {
      assignment[p] = 0;  // after the choice points around it, because these have joined before
    }
  }
  return assignment;
}

bool ChoicePoints::same_alternatives(const Assignment& a, const Assignment& b) const {
  for (std::size_t p = 0; p < problems_.size() && p < a.size() && p < b.size(); ++p) {
    if (problems_[p].request().choice_point && active(p, a) && a[p] != b[p]) {
      return false;
    }
  }
  return true;
}

bool ChoicePoints::below(std::size_t problem, std::size_t choice_point) const {
  std::optional<UnderAlternative> outer = under(problem);
  while (outer && outer->choice_point != choice_point) {
    outer = under(outer->choice_point);
  }
  return problem == choice_point || outer.has_value();
}

/// A choice point joins before what its alternatives launch, so the last one is in no other one's way.
std::optional<std::size_t> ChoicePoints::exploring() const {
  std::optional<std::size_t> innermost;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    const bool inner = !innermost || below(p, *innermost);
    if (problems_[p].exploring() && active_now(p) && inner) {
      innermost = p;
    }
  }
  return innermost;
}

std::optional<std::size_t> ChoicePoints::comparing() const {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (problems_[p].request().choice_point && problems_[p].walked()) {
      return p;
    }
  }
  return std::nullopt;
}

bool ChoicePoints::are_siblings(std::size_t a, std::size_t b) const {
  const ProblemRequest& one = problems_[a].request();
  const ProblemRequest& other = problems_[b].request();
  return a != b && one.choice_point && other.choice_point && one.kernel == other.kernel &&
         one.under == other.under;
}

/// A sibling or an alternative of one launches the problem, or it is one itself.
bool ChoicePoints::is_beside(std::size_t problem, std::size_t choice_point) const {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (are_siblings(p, choice_point) && below(problem, p)) {
      return true;
    }
  }
  return false;
}

std::vector<std::size_t> ChoicePoints::together(std::size_t choice_point) const {
  std::vector<std::size_t> all{choice_point};
  for (std::size_t p = 0; p < problems_.size() && !apart_.contains(choice_point); ++p) {
    if (are_siblings(p, choice_point) && problems_[p].exploring() && !apart_.contains(p)) {
      all.push_back(p);
    }
  }
  return all;
}

void ChoicePoints::part(const std::vector<std::size_t>& choice_points) {
  for (const std::size_t p : choice_points) {
    apart_.insert(p);
    if (!tuned(p)) {
      seen_.erase(held(p));
    }
  }
}

std::optional<std::size_t> ChoicePoints::first_tuned(std::size_t choice_point) const {
  return first_viable(choice_point, true);
}

bool ChoicePoints::seen(std::size_t choice_point) const {
  return seen_.contains(held(choice_point));
}

bool ChoicePoints::tuned(std::size_t choice_point) const {
  return best_.contains(held(choice_point));
}

void ChoicePoints::note_tuned(std::size_t choice_point) {
  best_[held(choice_point)] = choices();
}

std::optional<std::size_t> ChoicePoints::next(std::size_t choice_point) const {
  return first_viable(choice_point, false);
}

std::optional<std::size_t> ChoicePoints::first_viable(std::size_t choice_point, bool tuned) const {
  const ProblemState& problem = problems_[choice_point];
  for (std::size_t alternative = 0; alternative < problem.record().configs.size(); ++alternative) {
    if (problem.viable(alternative) && best_.contains({choice_point, alternative}) == tuned) {
      return alternative;
    }
  }
  return std::nullopt;
}

/// The alternatives that choice points hold are tuned together. Those that explore together have a comparison
/// each.
std::size_t ChoicePoints::searches_left() const {
  std::map<std::size_t, std::size_t> counts;  ///< by the first of those that explore together
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (!problems_[p].exploring() || !active_now(p)) {
      continue;
    }
    std::size_t open = 0;
    for (std::size_t alternative = 0; alternative < problems_[p].record().configs.size(); ++alternative) {
      const bool waits = problems_[p].viable(alternative) && !best_.contains({p, alternative});
      open += waits && alternative != problems_[p].record().choice ? 1 : 0;
    }
    const std::vector<std::size_t> all = together(p);
    std::size_t& count = counts[*std::min_element(all.begin(), all.end())];
    count = std::max(count, open + all.size() - 1);
  }
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0},
                         [](std::size_t sum, const auto& count) { return sum + count.second; });
}

std::vector<Assignment> ChoicePoints::best_by_alternative(
    std::size_t choice_point, const std::function<bool(const Assignment&)>& allowed) const {
  std::vector<Assignment> all(problems_[choice_point].record().configs.size());
  for (std::size_t alternative = 0; alternative < all.size(); ++alternative) {
    const auto known = best_.find({choice_point, alternative});
    if (known == best_.end()) {
      continue;
    }
    all[alternative] = with_choices_of_now(known->second, choice_point, true);
    if (!allowed(normal(all[alternative]))) {
      all[alternative] = with_choices_of_now(known->second, choice_point, false);
    }
  }
  return all;
}

/// What is locked in has the choice of now in any case, and what has joined since where it is not active.
Assignment ChoicePoints::with_choices_of_now(Assignment best, std::size_t choice_point, bool beside) const {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    const bool of_now = beside && is_beside(p, choice_point);
    const std::size_t now = problems_[p].record().choice;
    if (p < best.size() && (of_now || (!problems_[p].open() && active(p, best)))) {
      best[p] = now;
    } else if (p == best.size() && (of_now || !active(p, best))) {
      best.push_back(now);
    }
  }
  return best;
}

bool ChoicePoints::settles(std::size_t problem) const {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    if (problems_[p].exploring() && active_now(p) && !below(problem, p)) {
      return false;
    }
  }
  return true;
}

std::optional<ChoicePoints::Dead> ChoicePoints::dead() const {
  for (std::size_t problem = problems_.size(); problem-- > 0;) {
    const std::optional<UnderAlternative>& outer = under(problem);
    if (outer && problems_[problem].record().status == ProblemStatus::failed &&
        problems_[outer->choice_point].viable(outer->alternative)) {
      const ProblemRequest& request = problems_[problem].request();
      return Dead{outer->choice_point, outer->alternative,
                  Reason({.why = Why::no_config_left, .words = request.kernel + " " + request.key})};
    }
  }
  return std::nullopt;
}

bool ChoicePoints::out_of_use(std::size_t problem) const {
  for (std::optional<UnderAlternative> outer = under(problem); outer; outer = under(outer->choice_point)) {
    if (!problems_[outer->choice_point].viable(outer->alternative)) {
      return true;
    }
  }
  return false;
}

bool ChoicePoints::undecided(std::size_t problem) const {
  for (std::optional<UnderAlternative> outer = under(problem); outer; outer = under(outer->choice_point)) {
    if (problems_[outer->choice_point].open()) {
      return true;
    }
  }
  return false;
}

IterationOutcome ChoicePoints::with_own_times(const Assignment& assignment, IterationOutcome outcome) const {
  for (std::size_t p = problems_.size(); p-- > 0;) {
    if (!problems_[p].request().choice_point || !outcome.cells[p].launched) {
      continue;
    }
    std::int64_t sum = 0;
    for (std::size_t inner = p + 1; inner < problems_.size(); ++inner) {
      const std::optional<UnderAlternative>& outer = under(inner);
      if (outer && outer->choice_point == p && outer->alternative == assignment[p]) {
        sum += outcome.cells[inner].time_ns.value_or(0);
      }
    }
    outcome.cells[p].time_ns = outcome.makespan_ns ? outcome.makespan_ns : std::optional(sum);
  }
  return outcome;
}

}  // namespace contextual::policy
