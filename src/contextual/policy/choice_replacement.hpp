#pragma once

/// \file
/// What takes the place of choices that must not be used together. Pure.

#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/feasibility.hpp"
#include "contextual/policy/problem_state.hpp"

#include <contextual/search.hpp>

#include <vector>

namespace contextual::policy {

/// Replaces choices of problems that are no longer open. Not thread-safe.
class ChoiceReplacement {
 public:
  /// All of these outlive it.
  ChoiceReplacement(std::vector<ProblemState>& problems, const ChoicePoints& choice_points,
                    const Feasibility& feasibility)
      : problems_(problems), choice_points_(choice_points), feasibility_(feasibility) {}

  /// One problem gets its next best config by own time that is allowed beside the others': the problem that
  /// loses least by that. Returns false if there is none.
  bool by_next_best(const Assignment& chosen, const Reason& reason);

  /// All get what has run first with the same alternatives. Returns false if that is chosen already, or if
  /// nothing has run.
  bool by_first_run(const Assignment& chosen, const Reason& reason);

  /// All but what an earlier run has locked in get what has run first with whatever alternatives, and are
  /// provisional. Returns false if nothing has run.
  bool by_any_first_run(const Reason& reason);

 private:
  std::vector<ProblemState>& problems_;
  const ChoicePoints& choice_points_;
  const Feasibility& feasibility_;
};

}  // namespace contextual::policy
