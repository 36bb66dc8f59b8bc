#pragma once

/// \file
/// The result of a search of one run, for logs and reports.

#include "contextual/policy/reason.hpp"
#include "contextual/policy/statistics.hpp"

#include <contextual/search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace contextual::policy {

/// An assignment that was measured, with what is known of its makespan.
struct MeasuredAssignment {
  Assignment assignment;
  Summary makespan;  ///< of its samples in the search, the closing comparison included
};

/// An assignment that was not shown to be shorter than the reference, so that another one took its place.
struct LostComparison {
  Assignment assignment;
  Gain gain;
  bool unsure = false;  ///< it may have been shown, had its far samples another cause
};

/// What was chosen, and its comparison with a reference.
struct ComparedChoice {
  Assignment choice;
  Reason reason;               ///< why `choice`
  Summary reference_makespan;  ///< of the rounds of the comparison that count
  Summary choice_makespan;     ///< of the same rounds
  Summary choice_paid;         ///< of all samples so far, as a program pays for them
  std::optional<Gain> gain;    ///< over the reference; empty if that is the first feasible one
  bool unsure = false;         ///< the choice may have lost, had far samples another cause
};

/// What one search did and what came of it. Assignments are those of all problems.
struct SearchRecord : ComparedChoice {
  ComparedChoice& compared() { return *this; }

  std::vector<std::size_t> members;  ///< the problems that were chosen by makespan
  std::vector<std::size_t> by_time;  ///< the problems that were chosen by their own time
  /// The number of assignments of candidates of the members, at most `most_counted`, and at least those that
  /// were measured.
  std::size_t existing = 0;
  std::size_t failed = 0;  ///< assignments known to be infeasible or ruled out by `feasible`
  std::vector<MeasuredAssignment> measured;  ///< those with a sample
  std::int64_t runs = 0;                     ///< of the region, lead-ins and the closing comparison included
  std::int64_t lead_ins = 0;                 ///< of these, the runs that were no samples
  Reference reference = Reference::none;     ///< of the closing comparison
  Assignment compared_with;                  ///< the assignment of the reference
  std::vector<LostComparison> lost;          ///< in the order of their comparisons
  std::vector<Assignment> within_noise;      ///< measured assignments that tie with the choice, without it
  /// Every problem's best by its own time, which the walk chose. In a comparison of alternatives, which have
  /// no own times, it is `choice`.
  Assignment by_own_time;
  /// By how much its makespan exceeds that of the choice, as a fraction; empty if it was not measured.
  std::optional<double> cost_of_own_time;
  bool replaced = false;  ///< by the final run: what is used now has other makespans
  Reason cut;             ///< why the search ended before it was complete; empty if it was complete

  /// The choice may have lost, or the reference was kept, though a candidate may be much shorter: the noise
  /// was too large to say. If own times speak for the reference, too, the candidate has to seem that much
  /// shorter.
  bool is_unsure() const {
    constexpr double much = 0.05;
    const bool by_own_times = members.empty() && choice == by_own_time;
    return unsure || (choice == compared_with &&
                      std::any_of(lost.begin(), lost.end(), [&](const LostComparison& candidate) {
                        return candidate.unsure ||
                               (by_own_times ? candidate.gain.centre : candidate.gain.high) >= much;
                      }));
  }

  static constexpr std::size_t most_counted = 1'000'000'000;
};

}  // namespace contextual::policy
