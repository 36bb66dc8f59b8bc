#include "report/wording/sections.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace contextual::log_report {
namespace {

constexpr std::size_t problems_in_text = 12;
constexpr std::size_t sets_in_text = 4;
constexpr std::int64_t most_counted = 1'000'000'000;

/// The kernel, with the key where several have the same one.
std::string short_name(const SearchView& search, std::size_t problem) {
  const std::vector<SearchedProblem>& problems = search.result->problems;
  const ProblemName* name = problems[problem].problem;
  if (name == nullptr) {
    return "?";
  }
  const auto namesakes = std::count_if(problems.begin(), problems.end(), [&](const SearchedProblem& other) {
    return other.problem != nullptr && other.problem->kernel == name->kernel;
  });
  return namesakes > 1 ? name_of(*name) : std::string(name->kernel);
}

std::string counts_text(const SearchResult& result) {
  return (result.existing_count >= most_counted ? "10^9 or more exist"
                                                : std::to_string(result.existing_count) + " exist") +
         ", " + std::to_string(result.measured_count) + " measured, " + std::to_string(result.failed_count) +
         " infeasible; " + count_text(result.run_count, "run") + ", " + std::to_string(result.lead_in_count) +
         " of them lead-ins";
}

std::string choice_text(const SearchView& search) {
  const auto text = [](const SearchedProblem& problem) {
    return (problem.problem == nullptr ? "?" : name_of(*problem.problem)) + ": " +
           (problem.config_id ? "config-" + std::to_string(*problem.config_id) : "none") +
           (problem.chosen_by == ChosenBy::not_tuned ? ", " : ", by ") +
           std::string(enum_text(problem.chosen_by));
  };
  return joined(search.result->problems, "; ", text, problems_in_text);
}

/// The times of the closing comparison.
std::string compared_times(const SearchResult& result) {
  return time_text(result.choice_makespan_ns, result.choice_spread_ns) + " against " +
         time_text(result.reference_makespan_ns, result.reference_spread_ns) + " in " +
         count_text(result.round_count, "paired round");
}

std::string change_text(const Change& change) {
  return percent_text(change.centre) + " (95 % interval " + percent_text(change.low) + " to " +
         percent_text(change.high) + ")";
}

std::string gain_text(const SearchView& search) {
  const SearchResult& result = *search.result;
  const bool is_choice = search.choice == result.reference_config_ids;
  if (is_choice && !result.gain) {
    return "none: the choice is " + std::string(defaults_name(search));
  }
  if (!result.gain) {
    return "not known: " + compared_times(result);
  }
  if (is_choice) {
    return "none: back to " + std::string(defaults_name(search)) + ", " +
           time_text(result.reference_makespan_ns, result.reference_spread_ns) + ": " +
           message_text(result.reason);
  }
  return change_text(change_of(*result.gain, result.gain_low, result.gain_high)) + ", " +
         compared_times(result);
}

std::string first_feasible_text(const SearchView& search) {
  const std::string infeasible = "not known: all defaults together are infeasible; ";
  if (search.choice == search.result->reference_config_ids) {
    return infeasible + "the choice is the first set that ran";
  }
  const std::string first = set_text(search, search.result->reference_config_ids);
  return infeasible + "compared with the first set that ran" + (first.empty() ? "" : " (" + first + ")") +
         ": " + compared_times(*search.result);
}

std::string ties_text(const SearchView& search) {
  if (search.result->within_noise_count == 0) {
    return "no other measured set ties with the choice";
  }
  const auto text = [&](const MeasuredView& each) {
    return each.measured->standing == Standing::within_noise ? set_text(search, each.config_ids()) : "";
  };
  const std::string sets = joined(search.measured, "; ", text, sets_in_text);
  return count_text(search.result->within_noise_count, "other set ties", "other sets tie") +
         " with the choice, so that what differs between them is no finding" + (sets.empty() ? "" : ": ") +
         sets;
}

std::string lost_text(const SearchView& search) {
  const auto text = [&](const LostAssignment* lost) {
    return set_text(search, lost->config_ids) + ": " +
           change_text(change_of(*lost->gain, lost->gain_low, lost->gain_high));
  };
  return joined(search.lost, "; ", text, sets_in_text);
}

std::string own_time_text(const SearchView& search) {
  if (search.by_own_time == search.choice) {
    return "the same set";
  }
  std::string text = set_text(search, search.by_own_time) + ": ";
  if (const InfeasibleAssignment* infeasible = search.find_infeasible(search.by_own_time)) {
    return text + infeasible_text(*infeasible);
  }
  const std::optional<double> cost = search.result->own_time_cost;
  return text + (cost ? percent_text(*cost) + " to the choice" : "not measured");
}

/// What `config_name` says of the problems whose configs differ.
template <typename Name>
std::string differing_text(const SearchView& search, const ConfigIds& config_ids, const Name& config_name) {
  const auto text = [&](std::size_t problem) {
    return short_name(search, problem) + " " + config_name(problem);
  };
  const bool is_complete = config_ids.size() == search.result->problems.size();
  return is_complete ? joined(search.differing, ", ", text, problems_in_text) : "";
}

}  // namespace

std::string_view defaults_name(const SearchView& search) {
  switch (search.result->reference) {
    case SearchReference::alternative_defaults:
      return "this alternative's defaults";
    case SearchReference::default_alternative:
      return "the default alternative";
    default:
      return "all defaults";
  }
}

std::string comparison_text(const SearchView& search) {
  switch (search.result->reference) {
    case SearchReference::defaults:
    case SearchReference::alternative_defaults:
    case SearchReference::default_alternative:
      return gain_text(search);
    case SearchReference::first_feasible:
      return first_feasible_text(search);
    case SearchReference::none:
      break;
  }
  return !search.choice.empty() && search.choice == search.defaults ? "none: the choice is all defaults"
                                                                    : "not compared";
}

void write_facts(Writer& out, const SearchView& search) {
  const SearchResult& result = *search.result;
  out.paragraph("sets", counts_text(result));
  out.paragraph("ended", result.cut.empty() ? "complete" : "cut: " + std::string(result.cut));
  if (search.choice.empty()) {
    out.paragraph("no choice", std::string(result.reason));
    return;
  }
  out.paragraph("chosen", choice_text(search));
  out.paragraph("why", std::string(result.reason));
  out.paragraph("to " + std::string(defaults_name(search)), comparison_text(search));
  if (!search.lost.empty()) {
    out.paragraph("lost that comparison", lost_text(search));
  }
  out.paragraph("within noise", ties_text(search));
  if (!search.by_own_time.empty()) {
    out.paragraph("best by own times", own_time_text(search));
  }
}

std::string set_text(const SearchView& search, const ConfigIds& config_ids) {
  return differing_text(search, config_ids,
                        [&](std::size_t problem) { return std::to_string(config_ids[problem]); });
}

std::string set_label(const SearchView& search, const ConfigIds& config_ids,
                      const std::vector<ProblemResult>& problems) {
  return differing_text(search, config_ids, [&](std::size_t problem) {
    const std::int64_t id = config_ids[problem];
    const auto found = std::find_if(problems.begin(), problems.end(), [&](const ProblemResult& result) {
      return result.name == search.result->problems[problem].problem;
    });
    const ConfigResult* config = found == problems.end() ? nullptr : found->find(id);
    return config == nullptr ? "config-" + std::to_string(id) : config_label(*config);
  });
}

std::string infeasible_text(const InfeasibleAssignment& infeasible) {
  return "infeasible: " + message_text(infeasible.reason);
}

std::string standing_text(const SearchView& search, const MeasuredView& measured) {
  const ConfigIds& config_ids = measured.config_ids();
  std::string text;
  const auto add = [&](bool applies, std::string_view word) {
    text += applies ? (text.empty() ? "" : ", ") + std::string(word) : "";
  };
  add(config_ids == search.choice, "chosen");
  add(measured.measured->standing == Standing::within_noise, "within noise");
  add(config_ids == search.defaults, defaults_name(search));
  add(config_ids == search.by_own_time, "best by own times");
  return text;
}

std::vector<std::size_t> measured_shown(const SearchView& search, std::size_t limit) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < search.measured.size(); ++i) {
    const ConfigIds& config_ids = search.measured[i].config_ids();
    const bool marked =
        config_ids == search.choice || config_ids == search.defaults || config_ids == search.by_own_time;
    if (i < limit || marked) {
      shown.push_back(i);
    }
  }
  return shown;
}

namespace {

void write_measured(Writer& out, const SearchView& search) {
  Table table{{{"measured", Align::left, Room::gives_way},
               {"samples", Align::right},
               {"region's time", Align::right},
               {"spread", Align::right},
               {"to choice", Align::right},
               {"", Align::left, Room::gives_way}}};
  const std::vector<std::size_t> shown = measured_shown(search, out.limits().sets);
  for (const std::size_t i : shown) {
    const MeasuredView& each = search.measured[i];
    const MeasuredAssignment& line = *each.measured;
    const bool is_choice = line.standing == Standing::choice;
    table.add(
        {set_text(search, line.config_ids), std::to_string(line.sample_count),
         duration_text(each.makespan_ns), line.spread_ns ? "+- " + duration_text(*line.spread_ns) : "",
         each.to_choice && !is_choice ? percent_text(*each.to_choice) : "", standing_text(search, each)},
        is_choice ? Tone::good : Tone::none);
  }
  out.table(table, "All measured sets");
  note_left_out(out, search.measured.size() - shown.size(), "longer set");
}

void write_infeasible(Writer& out, const SearchView& search) {
  const std::size_t shown = std::min(out.limits().infeasible, search.infeasible.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const InfeasibleAssignment& each = *search.infeasible[i];
    out.paragraph("infeasible", set_text(search, each.config_ids) + ": " + message_text(each.reason));
  }
  note_left_out(out, search.infeasible.size() - shown, "infeasible set");
}

}  // namespace

void write_searches(Writer& out, const RunAnalysis& analysis, const ReportOptions& options) {
  if (analysis.searches.empty()) {
    return;
  }
  const std::size_t count = analysis.searches.size();
  const std::size_t shown = std::min(options.limit(searches_shown), count);
  for (std::size_t i = count - shown; i < count; ++i) {
    const SearchView& search = analysis.searches[i];
    out.heading("Search: sets of configs, compared by the region's time");
    write_facts(out, search);
    out.plot_sets(analysis, search);
    write_measured(out, search);
    write_infeasible(out, search);
  }
  note_left_out(out, count - shown, "earlier search", "earlier searches");
}

}  // namespace contextual::log_report
