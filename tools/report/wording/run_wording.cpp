#include "report/wording/run_wording.hpp"

#include "report/format/columns.hpp"
#include "report/format/quantities.hpp"
#include "report/wording/search_wording.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace contextual::log_report {
namespace {

/// "2 of 4 ranks", "1 rank".
std::string rank_count_text(const RunOfAllRanks& run) {
  const auto found = static_cast<std::int64_t>(run.ranks.size());
  if (found == run.rank_count) {
    return count_text(static_cast<std::uint64_t>(found), "rank");
  }
  return std::to_string(found) + " of " + std::to_string(run.rank_count) + " ranks";
}

/// `last` is the search with that comparison.
std::string result_text(const DefaultsComparison& gain, const SearchView& last) {
  if (gain.defaults_came_back) {
    return "the region takes " + duration_text(gain.defaults_ns) +
           " with all defaults, which were kept: " + kept_because(last);
  }
  return "the region takes " + duration_text(gain.chosen_ns) + " with the chosen configs and " +
         duration_text(gain.defaults_ns) + " with all defaults, " + change_text(gain.change) + " by " +
         count_text(static_cast<std::uint64_t>(gain.round_count), "paired round");
}

/// Why all defaults were kept without a comparison.
std::string nothing_better(const SearchResult& result) {
  if (result.run_count > 0) {
    return "the search found no better set";
  }
  if (!result.cut.empty()) {
    return "nothing was searched: " + std::string(result.cut);
  }
  const bool by_own_time =
      std::all_of(result.problems.begin(), result.problems.end(),
                  [](const auto& problem) { return problem.chosen_by != ChosenBy::makespan; });
  return "nothing was searched: " + (by_own_time
                                         ? std::string("own times decide, and the defaults are best by these")
                                         : std::string(result.reason));
}

/// Where the choice was not compared with all defaults.
std::string result_without_comparison(const SearchView& search) {
  const SearchResult& result = *search.result;
  if (result.reference == SearchReference::none || result.reference == SearchReference::defaults) {
    return !search.choice.empty() && search.choice == search.defaults
               ? "all defaults were kept: " + nothing_better(result)
               : "";
  }
  if (result.reference != SearchReference::first_feasible) {
    return "the alternatives were compared, but what was chosen was not compared with all defaults";
  }
  std::string text = "all defaults together are infeasible";
  if (result.choice_makespan_ns && result.reference_makespan_ns) {
    text += "; the region takes " + duration_text(*result.choice_makespan_ns) +
            " with the chosen configs and " + duration_text(*result.reference_makespan_ns) +
            " with the first set that ran";
  }
  return text;
}

}  // namespace

std::string head_text(const RunOfAllRanks& run) {
  const RankRun& first = *run.ranks.front();
  std::string text = run.started.empty() ? "start not known" : "started " + std::string(run.started);
  text += ", " + rank_count_text(run);
  if (run.rank_count > 1 && first.start && !first.start->group.empty()) {
    text += ", group " + std::string(first.start->group);
  }
  return text;
}

std::string rank_fraction(const RunOfAllRanks& run) {
  const std::string all = std::to_string(run.rank_count);
  return run.absent.empty() ? all : std::to_string(run.ranks.size()) + "/" + all;
}

std::string region_text(const RunOfAllRanks& run) {
  if (!run.several_regions) {
    return std::string(run.region);
  }
  std::vector<std::string_view> regions;
  for (const RankRun* rank : run.ranks) {
    if (std::find(regions.begin(), regions.end(), rank->region) == regions.end() && regions.size() < 4) {
      regions.push_back(rank->region);
    }
  }
  std::string text;
  for (const std::string_view region : regions) {
    text += (text.empty() ? "" : " / ") + std::string(region);
  }
  return text;
}

std::string never_met_text(const RunOfAllRanks& run) {
  if (run.met || run.rank_count == 1) {
    return "";
  }
  return run.ranks.size() > 1 ? "These ranks never met: joined by region, number of ranks and start"
                              : "This rank never met the others";
}

const char* state_name(RankState state) {
  switch (state) {
    case RankState::ok:
      return "ok";
    case RankState::failed:
      return "failed";
    case RankState::blocked:
      return "blocked";
    case RankState::open:
      break;
  }
  return "no end";
}

std::string status_text(const RunSummary& summary) {
  return std::string(status_name(summary.status)) + (summary.disagreements > 0 ? ", ranks disagree" : "");
}

std::string result_text(const RunAnalysis& analysis) {
  if (analysis.gain) {
    return result_text(*analysis.gain, analysis.searches.back());
  }
  return analysis.searches.empty() ? "" : result_without_comparison(analysis.searches.back());
}

std::string problem_label(const RunAnalysis& analysis, const ProblemName* problem) {
  if (analysis.problems.size() < 2) {
    return "";
  }
  const auto found = std::find_if(analysis.problems.begin(), analysis.problems.end(),
                                  [&](const ProblemResult& result) { return result.name == problem; });
  return "[" + std::to_string(found - analysis.problems.begin() + 1) + "] ";
}

std::string message_text(std::string_view message) {
  constexpr std::size_t longest_message = 1'000;
  return shorten(message, longest_message);
}

std::string share_text(double share) {
  return percent_text(share).substr(1);  // without its sign
}

}  // namespace contextual::log_report
