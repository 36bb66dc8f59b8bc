#include "contextual/record/reason_text.hpp"

#include "contextual/record/quantities.hpp"

#include <array>
#include <cmath>
#include <map>
#include <string_view>

namespace contextual::record {

using policy::ReasonPart;
using policy::Reference;
using policy::Why;

namespace {

struct Text {
  Why why;
  std::string_view text;  ///< with the names of figures_of() in braces
};

constexpr auto texts = std::to_array<Text>({
    {Why::words, "{words}"},
    {Why::locked_in_earlier, "locked in by an earlier run"},
    {Why::only_measured, "the only config with times"},
    {Why::fastest_is_default, "the default is the fastest by own time"},
    {Why::fastest, "fastest by own time, {gain} shorter than the default"},
    {Why::fastest_without_default, "fastest by own time, the default has no times"},
    {Why::tie_goes_to_default, "tie with {config}: the default wins"},
    {Why::tie_goes_to_lower_index, "tie with {config}: the lower index wins"},
    {Why::next_is_steadier, "the next best, and not as erratic"},
    {Why::erratic, "; {config} is erratic"},
    {Why::default_without_times, "without times the default stays"},
    {Why::first_left_without_times, "without times the first config that is left"},
    {Why::every_config_rejected, "every config was rejected"},
    {Why::by_search, "search: "},
    {Why::cut, " (cut: "},
    {Why::by_walk, "; walk: {config, }"},
    {Why::own_times, "own times decide"},
    {Why::no_choice_left, "nothing is left to choose from"},
    {Why::nothing_measured, "nothing was measured"},
    {Why::first_that_ran, "; it is the first assignment that ran"},
    {Why::gained, ", {difference} than {reference}"},
    {Why::tie_with_reference, "the best candidate ties with {reference}{wins}"},
    {Why::longer_than_reference,
     "compared in turn, the best candidate is {loss} longer than {reference}{wins}"},
    {Why::noise,
     "the noise is too large to show that the best candidate is shorter than {reference} (by {low} to "
     "{high}){wins}"},
    {Why::own_times_in_noise,
     "own times speak for it, though the noise is too large to show that it is shorter than {reference} (by "
     "{low} to {high})"},
    {Why::best_of_alternatives, "best of all alternatives"},
    {Why::best_with_chosen_alternative, "best with the alternative that was chosen"},
    {Why::best_with_used_alternative, "best with the alternative that is used"},
    {Why::compared_beside, "others were compared beside it"},
    {Why::before, "; before: {config, }"},
    {Why::rejected_after_choice, "{config} was rejected after it had been chosen; then: "},
    {Why::rejected_in_final_run, "{config} was rejected in the final run ({words}); then: "},
    {Why::ruled_out_together, "the best by own times are ruled out together by `feasible`"},
    {Why::not_allowed_together, "what was best of each is not allowed together: it has run first"},
    {Why::provisional, "; provisional: "},
    {Why::nothing_else_measured, "nothing else has been measured"},
    {Why::every_candidate_rejected, "every candidate was rejected"},
    {Why::no_candidate_measured, "no candidate was measured"},
    {Why::only_slow_left, "only configs with a far too slow first run are left"},
    {Why::no_samples, "the walk ended without a sample"},
    {Why::not_measured_together, "no run has measured it beside the others"},
    {Why::closed_early, "closed early: "},
    {Why::absent, "not launched in {count} batches in a row"},
    {Why::open_at_iteration_cap,
     "iteration cap of {count} reached; if a key changes in every run, make it coarser"},
    {Why::alternative_unused, "the alternative that launches it is not used"},
    {Why::time_over, "the time of option search_settings.time is over"},
    {Why::iteration_cap, "the cap of {count} iterations was reached"},
    {Why::run_budget, "its budget of {count} runs is spent"},
    {Why::irregular_launches,
     "the region launches some kernels in some of its runs only, so that no makespan could be compared"},
    {Why::planned_in_vain,
     "the search planned {count} trials without a run between them that are ruled out by `feasible`"},
    {Why::ruled_out, "ruled out by `feasible`"},
    {Why::ruled_out_so_far,
     "ruled out by `feasible`, as far as {count} combinations with other alternatives show"},
    {Why::no_time_retaken, "no valid time in {count} retakes"},
    {Why::no_time_in_runs, "no valid time in {count} runs in a row"},
    {Why::slow_first_runs,
     "its first two runs took {count} ms at least, more than three times as long as another config's first"},
    {Why::no_config_left, "no config is left of {words}"},
    {Why::none_feasible,
     "no feasible assignment was found in {count} runs of the search and those of the walk"},
    {Why::one_failed, "; one failed: "},
    {Why::first_ruled_out, "; `feasible` rules out what they would try first"},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].why != static_cast<Why>(i)) {
      return false;
    }
  }
  return texts.back().why == Why::first_ruled_out;
}
static_assert(in_order(), "one text for each enumerator");

std::map<std::string_view, std::string> figures_of(const ReasonPart& part) {
  const auto& [centre, low, high] = part.gain;
  const bool one_wins = part.reference == Reference::default_alternative;
  const std::string config = part.config_id ? "config-" + std::to_string(*part.config_id) : "";
  return {
      {"words", part.words},
      {"count", std::to_string(part.count)},
      {"config", config},
      {"config, ", config.empty() ? "" : config + ", "},
      {"gain", share(centre)},
      {"loss", share(-centre)},
      {"difference", share(std::abs(centre)) + (centre < 0 ? " longer" : " shorter")},
      {"low", share(low)},
      {"high", share(high)},
      {"reference", one_wins ? "the default alternative at its best"
                    : part.reference == Reference::alternative_defaults ? "the defaults of this alternative"
                                                                        : "the defaults"},
      {"wins", one_wins ? ": that wins" : ": they win"}};
}

std::string part_text(const ReasonPart& part) {
  const std::map<std::string_view, std::string> figures = figures_of(part);
  std::string_view rest = texts.at(static_cast<std::size_t>(part.why)).text;
  std::string text;
  for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const std::size_t close = rest.find('}');
    text.append(rest.substr(0, open)).append(figures.at(rest.substr(open + 1, close - open - 1)));
    rest.remove_prefix(close + 1);
  }
  return text.append(rest);
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
