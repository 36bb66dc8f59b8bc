#pragma once

/// \file
/// How choice points go from alternative to alternative, until they are compared. Pure.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/feasibility.hpp"
#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/problem_state.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace contextual::policy {

/// Decides which alternatives the choice points hold; ChoicePoints remembers what came of them. Not
/// thread-safe.
class Exploration {
 public:
  /// All of these outlive it.
  Exploration(const PolicyOptions& options, std::vector<ProblemState>& problems, ChoicePoints& choice_points,
              Feasibility& feasibility)
      : options_(options), problems_(problems), choice_points_(choice_points), feasibility_(feasibility) {}

  struct Step {
    bool taken = false;  ///< false: nothing explores, or the alternative that is held has to run first
    Reason rejection{};  ///< why the alternative that is held is out; empty if it is not
  };
  /// Takes the next step of the choice point that explores. When all its alternatives are tuned, it compares
  /// them, in the way that is given.
  Step advance(ProblemState::Comparison comparison);

  /// As `advance`, where nothing that these problems can use is allowed beside the alternative that is held:
  /// it makes way, or others do. Takes no step if something is, or if there is too much to ask.
  Step leave_ruled_out(const std::vector<std::size_t>& tried);

  /// The choice point explores no longer. It keeps the alternative that others were compared beside. Those
  /// around it come back to what was best with the alternative that it uses now.
  void close(std::size_t choice_point, const Reason& reason);

  /// If others have gone to a new alternative together with this choice point, one of them may be to blame
  /// for a failure: they return to one that is tuned, and each explores by itself. Returns false if there are
  /// none.
  bool part(std::size_t choice_point);

  /// Returns the choice point that explores, if the alternative that it holds has never succeeded: it may be
  /// to blame for a failure.
  std::optional<std::size_t> unproven(const Assignment& assignment) const;

  /// Returns what ChoicePoints does, by what is allowed now.
  std::vector<Assignment> best_by_alternative(std::size_t choice_point) const;

 private:
  void note_tuned(std::size_t choice_point);
  void hold_next(std::size_t choice_point);
  void hold_for_comparison(std::size_t choice_point);
  std::vector<std::size_t> viable(std::size_t problem) const;
  bool coupled(const std::vector<std::size_t>& siblings) const;
  bool allows_first_run() const;
  Step make_way_for(std::size_t choice_point);
  bool make_way(Assignment& assignment, std::span<const std::size_t> others, std::size_t changes,
                int& questions) const;

  const PolicyOptions& options_;
  std::vector<ProblemState>& problems_;
  ChoicePoints& choice_points_;
  Feasibility& feasibility_;
};

}  // namespace contextual::policy
