#include "contextual/policy/exploration.hpp"

#include <algorithm>
#include <utility>

namespace contextual::policy {
namespace {

constexpr int most_questions = 10'000;  ///< about combinations of alternatives, at a time

}  // namespace

Exploration::Step Exploration::advance(ProblemState::Comparison comparison) {
  const std::optional<std::size_t> exploring = choice_points_.exploring();
  if (!exploring) {
    return {};
  }
  const ProblemState& problem = problems_[*exploring];
  const bool out = !problem.viable(problem.record().choice);
  if (!out && !choice_points_.seen(*exploring)) {
    return allows_first_run() ? Step{} : make_way_for(*exploring);
  }
  if (!out && !choice_points_.tuned(*exploring)) {
    note_tuned(*exploring);  // there is nothing to search for
  } else if (choice_points_.next(*exploring)) {
    hold_next(*exploring);
  } else {
    hold_for_comparison(*exploring);
    problems_[*exploring].compare_alternatives(comparison);
  }
  return {.taken = true};
}

Exploration::Step Exploration::leave_ruled_out(const std::vector<std::size_t>& tried) {
  const std::optional<std::size_t> exploring = choice_points_.exploring();
  int questions = most_questions;
  for (std::size_t changes = 0; exploring && changes <= tried.size(); ++changes) {
    Assignment beside = choice_points_.choices();
    if (make_way(beside, tried, changes, questions) || questions <= 0) {
      return {};
    }
  }
  return exploring ? make_way_for(*exploring) : Step{};
}

/// Also those that explore together with it.
void Exploration::note_tuned(std::size_t choice_point) {
  for (const std::size_t p : choice_points_.together(choice_point)) {
    if (choice_points_.seen(p) && !choice_points_.tuned(p)) {
      choice_points_.note_tuned(p);
    }
  }
}

/// Those that explore together with it go on, too.
void Exploration::hold_next(std::size_t choice_point) {
  if (const std::vector<std::size_t> all = choice_points_.together(choice_point); coupled(all)) {
    choice_points_.part(all);
  }
  for (const std::size_t p : choice_points_.together(choice_point)) {
    problems_[p].hold(choice_points_.next(p).value_or(problems_[p].record().choice));
  }
}

/// Those that explore together with it hold what they were tuned with first, where that is allowed.
void Exploration::hold_for_comparison(std::size_t choice_point) {
  const std::vector<std::size_t> all = choice_points_.together(choice_point);
  Assignment beside = choice_points_.choices();
  for (const std::size_t p : all) {
    beside[p] = p == choice_point ? beside[p] : choice_points_.first_tuned(p).value_or(beside[p]);
  }
  const bool allowed = feasibility_.allows(choice_points_.normal(beside));
  for (const std::size_t p : all) {
    problems_[p].hold(allowed ? beside[p] : problems_[p].record().choice);
  }
}

void Exploration::close(std::size_t choice_point, const Reason& reason) {
  ProblemState& problem = problems_[choice_point];
  const std::size_t held = problem.record().choice;
  const bool stays = choice_points_.tuned(choice_point) && problem.viable(held);
  problem.close(reason);
  if (stays && problem.record().choice != held) {
    problem.replace_choice(held, Why::compared_beside);
  }
  const Assignment best = best_by_alternative(choice_point)[problem.record().choice];
  for (std::size_t p = 0; p < best.size(); ++p) {
    if (p != choice_point && best[p] != problems_[p].record().choice) {
      problems_[p].choose(best[p], Why::best_with_used_alternative);
    }
  }
}

bool Exploration::part(std::size_t choice_point) {
  const std::vector<std::size_t> all = choice_points_.together(choice_point);
  const auto returns = [&](std::size_t p) {
    return p != choice_point && !choice_points_.tuned(p) && choice_points_.first_tuned(p);
  };
  if (std::none_of(all.begin(), all.end(), returns)) {
    return false;
  }
  choice_points_.part(all);
  for (const std::size_t p : all) {
    if (returns(p)) {
      problems_[p].hold(*choice_points_.first_tuned(p));
    }
  }
  return true;
}

std::optional<std::size_t> Exploration::unproven(const Assignment& assignment) const {
  const std::optional<std::size_t> exploring = choice_points_.exploring();
  const bool proven = exploring && feasibility_.has_succeeded(*exploring, assignment[*exploring]);
  return proven ? std::nullopt : exploring;
}

std::vector<Assignment> Exploration::best_by_alternative(std::size_t choice_point) const {
  return choice_points_.best_by_alternative(
      choice_point, [this](const Assignment& assignment) { return feasibility_.allows(assignment); });
}

std::vector<std::size_t> Exploration::viable(std::size_t problem) const {
  std::vector<std::size_t> viable;
  for (std::size_t config_id = 0; config_id < problems_[problem].record().configs.size(); ++config_id) {
    if (problems_[problem].viable(config_id)) {
      viable.push_back(config_id);
    }
  }
  return viable;
}

/// Returns true if the user rules out some pair of their viable alternatives, beside what was chosen so far,
/// or if there are too many to ask.
bool Exploration::coupled(const std::vector<std::size_t>& siblings) const {
  const Assignment beside = choice_points_.choices();
  int questions = most_questions;
  const auto allows_pair = [&](std::size_t a, std::size_t of_a, std::size_t b, std::size_t of_b) {
    Assignment pair = beside;
    pair[a] = of_a;
    pair[b] = of_b;
    return --questions > 0 && feasibility_.allows(choice_points_.normal(std::move(pair)));
  };
  for (auto a = siblings.begin(); options_.feasible && a != siblings.end(); ++a) {
    for (auto b = a + 1; b != siblings.end(); ++b) {
      for (const std::size_t of_a : viable(*a)) {
        for (const std::size_t of_b : viable(*b)) {
          if (!allows_pair(*a, of_a, *b, of_b)) {
            return true;
          }
        }
      }
    }
  }
  return false;
}

/// What is chosen now is the first run of the alternative that is held.
bool Exploration::allows_first_run() const {
  return feasibility_.allows(choice_points_.normal(choice_points_.choices()));
}

/// The user rules out that the alternative runs beside what was chosen so far. As few as possible of the
/// other choice points that explore, and of the kernels that wait for the search, make way for it; else it is
/// rejected.
Exploration::Step Exploration::make_way_for(std::size_t choice_point) {
  const Assignment first = choice_points_.normal(choice_points_.choices());
  feasibility_.rule_out(first);
  std::vector<std::size_t> others;
  for (std::size_t other = 0; other < problems_.size(); ++other) {
    const bool waits = problems_[other].walked() && !problems_[other].request().choice_point;
    if (!choice_points_.below(choice_point, other) && (problems_[other].exploring() || waits) &&
        choice_points_.active_now(other)) {
      others.push_back(other);
    }
  }
  int questions = most_questions;
  for (std::size_t changes = 1; changes <= others.size(); ++changes) {
    Assignment beside = choice_points_.choices();  // of what is not active now, too
    if (make_way(beside, others, changes, questions)) {
      for (const std::size_t other : others) {
        if (beside[other] != first[other]) {
          problems_[other].choose(beside[other], Why::ruled_out_together);
        }
      }
      return {.taken = true};
    }
  }
  return {.taken = true,
          .rejection = questions > 0 ? feasibility_.reason_against(first)
                                     : Reason({.why = Why::ruled_out_so_far, .count = most_questions})};
}

/// Gives as many of these problems as `changes` another config, so that the assignment is allowed. Returns
/// false in vain, or when there are no `questions` left.
bool Exploration::make_way(Assignment& assignment, std::span<const std::size_t> others, std::size_t changes,
                           int& questions) const {
  if (changes == 0) {
    questions -= 1;
    return feasibility_.allows(choice_points_.normal(assignment));
  }
  for (; others.size() >= changes; others = others.subspan(1)) {
    const std::size_t other = others.front();
    const std::size_t before = assignment[other];
    for (const std::size_t alternative : viable(other)) {
      assignment[other] = alternative;
      if (questions > 0 && alternative != before &&
          make_way(assignment, others.subspan(1), changes - 1, questions)) {
        return true;
      }
    }
    assignment[other] = before;
  }
  return false;
}

}  // namespace contextual::policy
