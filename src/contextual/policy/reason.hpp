#pragma once

/// \file
/// Why something was chosen, rejected or ended, as data. `contextual/record/reason_text.hpp` has the words.

#include <contextual/report.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::policy {

using Gain = SearchGain;
using Reference = SearchReference;

/// What one part of a reason says. Comments name the figures of `ReasonPart` that it needs.
enum class Why {
  words,  ///< what ranks, an exception or a search say themselves: `words`, `ranks`

  // What the walk has chosen:
  locked_in_earlier,         ///< an earlier run has
  only_measured,             ///< no other config has times
  fastest_is_default,        ///< by own time
  fastest,                   ///< by own time; `gain` over the default
  fastest_without_default,   ///< by own time, but the default has none
  tie_goes_to_default,       ///< the fastest is `config_id`
  tie_goes_to_lower_index,   ///< the fastest is `config_id`
  next_is_steadier,          ///< what was better has far longer samples
  erratic,                   ///< the samples of `config_id` spread too far for it to win
  default_without_times,     ///< nothing has times
  first_left_without_times,  ///< nothing has times, and the default is rejected
  every_config_rejected,     ///< the default, too

  // What a search, and its closing comparison, has chosen:
  by_search,              ///< what follows speaks for it
  cut,                    ///< the part that follows has ended the search
  by_walk,                ///< what follows was the walk's reason, for `config_id` if that is another config
  own_times,              ///< of what is not searched
  no_choice_left,         ///< no problem has a second config
  nothing_measured,       ///< so the walk's choice stays
  first_that_ran,         ///< the walk's choice has not run
  gained,                 ///< `gain` over `reference`
  tie_with_reference,     ///< which wins
  longer_than_reference,  ///< the best candidate is, by `gain`
  noise,                  ///< `gain` over `reference` may be none
  own_times_in_noise,     ///< the same, but own times speak for it
  best_of_alternatives,   ///< it was then compared with the defaults of everything
  best_with_chosen_alternative,  ///< which was chosen in a comparison
  best_with_used_alternative,    ///< which is used because the comparison was cut
  compared_beside,               ///< other alternatives were compared beside this one

  // What has taken the place of a choice:
  before,                 ///< what follows was the reason before, for `config_id` if that is another config
  rejected_after_choice,  ///< `config_id` was; what follows speaks for the choice of now
  rejected_in_final_run,  ///< `config_id` was, for `words`; what follows speaks for the choice of now
  ruled_out_together,     ///< the best by own times are, by the user
  not_allowed_together,   ///< what was best of each, so that what has run first takes its place

  // Why a choice is provisional:
  provisional,               ///< for what follows
  nothing_else_measured,     ///< than what the final run has rejected
  every_candidate_rejected,  ///< so that the default is used, which is no candidate
  no_candidate_measured,     ///< the same
  only_slow_left,            ///< configs that were rejected as `slow_first_runs`
  no_samples,                ///< the walk ended without one
  not_measured_together,     ///< no run has measured the choices beside each other
  closed_early,              ///< for what follows
  absent,                    ///< not launched in `count` batches in a row
  open_at_iteration_cap,     ///< of `count` iterations
  alternative_unused,        ///< the one that launches the problem

  // Why a search was cut:
  time_over,           ///< the time of the option
  iteration_cap,       ///< of `count` iterations
  run_budget,          ///< of `count` runs
  irregular_launches,  ///< the region launches some kernels in some of its runs only
  planned_in_vain,     ///< `count` trials that the user rules out

  // Why a config or an assignment is out:
  ruled_out,         ///< by the user
  ruled_out_so_far,  ///< by the user beside `count` combinations of other alternatives, after which nobody
                     ///< asked
  no_time_retaken,   ///< no valid time in `count` retakes
  no_time_in_runs,   ///< no valid time in `count` runs in a row
  slow_first_runs,   ///< of `count` ms at least
  no_config_left,    ///< of the kernel and key in `words`, which the alternative launches

  // Why nothing can be locked in:
  none_feasible,    ///< no assignment of the walk and of `count` runs of the search is
  one_failed,       ///< for what follows
  first_ruled_out,  ///< by the user: what a search and the walk try first
};

/// Only the figures that `why` names are set.
struct ReasonPart {
  Why why = Why::words;
  std::optional<std::size_t> config_id{};
  std::int64_t count = 0;
  Gain gain{};
  Reference reference = Reference::none;
  std::string words{};
  std::vector<int> ranks{};

  bool operator==(const ReasonPart&) const = default;
};

/// Its parts, in the order in which they are told; none if there is no reason.
struct Reason {
  Reason() = default;
  // Not explicit, because most reasons have one part.
  Reason(Why why) : parts{{.why = why}} {}
  Reason(ReasonPart part) : parts{std::move(part)} {}

  bool empty() const noexcept { return parts.empty(); }
  bool operator==(const Reason&) const = default;

  std::vector<ReasonPart> parts;
};

inline Reason operator+(Reason first, const Reason& then) {
  first.parts.insert(first.parts.end(), then.parts.begin(), then.parts.end());
  return first;
}

/// Returns the reason in somebody else's words; an empty one if there are none.
inline Reason told(const std::string& words, const std::vector<int>& ranks = {}) {
  return words.empty() ? Reason() : Reason({.why = Why::words, .words = words, .ranks = ranks});
}

/// Returns the ranks whose words the reason is; none if it is nobody's.
inline std::vector<int> ranks_of(const Reason& reason) {
  return reason.parts.size() == 1 ? reason.parts.front().ranks : std::vector<int>();
}

}  // namespace contextual::policy
