#include "contextual/record/reason_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace contextual::record {

using policy::ReasonPart;
using policy::Reference;
using policy::Why;

namespace {

/// Returns "12.3 %" for 0.123.
std::string share_text(double fraction) {
  std::array<char, 64> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), fraction * 100,
                                          std::chars_format::fixed, 1);
  return (error == std::errc{} ? std::string(digits.data(), end) : std::string("?")) + " %";
}

/// With the article.
std::string name_of(Reference reference) {
  switch (reference) {
    case Reference::alternative_defaults:
      return "the defaults of this alternative";
    case Reference::default_alternative:
      return "the default alternative at its best";
    default:
      return "the defaults";
  }
}

std::string wins(Reference reference) {
  return reference == Reference::default_alternative ? ": that wins" : ": they win";
}

std::string part_text(const ReasonPart& part) {
  const std::string count = std::to_string(part.count);
  const std::string config = part.config_id ? "config-" + std::to_string(*part.config_id) : "";
  const std::string config_first = part.config_id ? config + ", " : "";
  switch (part.why) {
    case Why::words:
      return part.words;
    case Why::locked_in_earlier:
      return "locked in by an earlier run";
    case Why::only_measured:
      return "the only config with times";
    case Why::fastest_is_default:
      return "the default is the fastest by own time";
    case Why::fastest:
      return "fastest by own time, " + share_text(part.gain.centre) + " shorter than the default";
    case Why::fastest_without_default:
      return "fastest by own time, the default has no times";
    case Why::tie_goes_to_default:
      return "tie with " + config + ": the default wins";
    case Why::tie_goes_to_lower_index:
      return "tie with " + config + ": the lower index wins";
    case Why::next_is_steadier:
      return "the next best, and not as erratic";
    case Why::erratic:
      return "; " + config + " is erratic";
    case Why::default_without_times:
      return "without times the default stays";
    case Why::first_left_without_times:
      return "without times the first config that is left";
    case Why::every_config_rejected:
      return "every config was rejected";
    case Why::by_search:
      return "search: ";
    case Why::cut:
      return " (cut: ";
    case Why::by_walk:
      return "; walk: " + config_first;
    case Why::own_times:
      return "own times decide";
    case Why::no_choice_left:
      return "nothing is left to choose from";
    case Why::nothing_measured:
      return "nothing was measured";
    case Why::first_that_ran:
      return "; it is the first assignment that ran";
    case Why::gained:
      return ", " + share_text(std::abs(part.gain.centre)) + (part.gain.centre < 0 ? " longer" : " shorter") +
             " than " + name_of(part.reference);
    case Why::tie_with_reference:
      return "the best candidate ties with " + name_of(part.reference) + wins(part.reference);
    case Why::longer_than_reference:
      return "compared in turn, the best candidate is " + share_text(-part.gain.centre) + " longer than " +
             name_of(part.reference) + wins(part.reference);
    case Why::noise:
      return "the noise is too large to show that the best candidate is shorter than " +
             name_of(part.reference) + " (by " + share_text(part.gain.low) + " to " +
             share_text(part.gain.high) + ")" + wins(part.reference);
    case Why::own_times_in_noise:
      return "own times speak for it, though the noise is too large to show that it is shorter than " +
             name_of(part.reference) + " (by " + share_text(part.gain.low) + " to " +
             share_text(part.gain.high) + ")";
    case Why::best_of_alternatives:
      return "best of all alternatives";
    case Why::best_with_chosen_alternative:
      return "best with the alternative that was chosen";
    case Why::best_with_used_alternative:
      return "best with the alternative that is used";
    case Why::compared_beside:
      return "others were compared beside it";
    case Why::before:
      return "; before: " + config_first;
    case Why::rejected_after_choice:
      return config + " was rejected after it had been chosen; then: ";
    case Why::rejected_in_final_run:
      return config + " was rejected in the final run (" + part.words + "); then: ";
    case Why::ruled_out_together:
      return "the best by own times are ruled out together by `feasible`";
    case Why::not_allowed_together:
      return "what was best of each is not allowed together: it has run first";
    case Why::provisional:
      return "; provisional: ";
    case Why::nothing_else_measured:
      return "nothing else has been measured";
    case Why::every_candidate_rejected:
      return "every candidate was rejected";
    case Why::no_candidate_measured:
      return "no candidate was measured";
    case Why::only_slow_left:
      return "only configs with a far too slow first run are left";
    case Why::no_samples:
      return "the walk ended without a sample";
    case Why::not_measured_together:
      return "no run has measured it beside the others";
    case Why::closed_early:
      return "closed early: ";
    case Why::absent:
      return "not launched in " + count + " batches in a row";
    case Why::open_at_iteration_cap:
      return "iteration cap of " + count + " reached; if a key changes in every run, make it coarser";
    case Why::alternative_unused:
      return "the alternative that launches it is not used";
    case Why::time_over:
      return "the time of option search_settings.time is over";
    case Why::iteration_cap:
      return "the cap of " + count + " iterations was reached";
    case Why::run_budget:
      return "its budget of " + count + " runs is spent";
    case Why::irregular_launches:
      return "the region launches some kernels in some of its runs only, so that no makespan could be "
             "compared";
    case Why::planned_in_vain:
      return "the search planned " + count +
             " trials without a run between them that are ruled out by `feasible`";
    case Why::ruled_out:
      return "ruled out by `feasible`";
    case Why::ruled_out_so_far:
      return "ruled out by `feasible`, as far as " + count + " combinations with other alternatives show";
    case Why::no_time_retaken:
      return "no valid time in " + count + " retakes";
    case Why::no_time_in_runs:
      return "no valid time in " + count + " runs in a row";
    case Why::slow_first_runs:
      return "its first two runs took " + count +
             " ms at least, more than three times as long as another config's first";
    case Why::no_config_left:
      return "no config is left of " + part.words;
    case Why::none_feasible:
      return "no feasible assignment was found in " + count + " runs of the search and those of the walk";
    case Why::one_failed:
      return "; one failed: ";
    case Why::first_ruled_out:
      return "; `feasible` rules out what they would try first";
  }
  return "";
}

}  // namespace

std::string reason_text(const policy::Reason& reason) {
  std::string text;
  bool in_brackets = false;  // what has cut a search is one part
  for (const ReasonPart& part : reason.parts) {
    text += part_text(part) + (in_brackets ? ")" : "");
    in_brackets = part.why == Why::cut;
  }
  return text;
}

}  // namespace contextual::record
