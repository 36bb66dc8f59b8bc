#include "report/judging/analysis.hpp"

#include "report/format/ranges.hpp"

#include <cstdint>
#include <map>
#include <string_view>

namespace contextual::log_report {
namespace {

std::vector<std::string> warnings_of(const RunOfAllRanks& run) {
  std::map<std::string_view, std::vector<std::int64_t>> ranks;
  std::vector<std::string_view> order;
  for (const RankRun* rank : run.ranks) {
    for (const std::string_view text : rank->warnings) {
      std::vector<std::int64_t>& said = ranks[text];
      if (said.empty()) {
        order.push_back(text);
      }
      if (said.empty() || said.back() != rank->rank) {
        said.push_back(rank->rank);
      }
    }
  }
  std::vector<std::string> warnings;
  warnings.reserve(order.size());
  for (const std::string_view text : order) {
    warnings.push_back(ranks_text(ranks[text]) + ": " + std::string(text));
  }
  return warnings;
}

/// Those of the lowest rank that has some: they are alike on all.
std::vector<SearchView> searches_of(const RunOfAllRanks& run) {
  std::vector<SearchView> searches;
  for (const RankRun* rank : run.ranks) {
    for (const SearchResult& search : rank->searches) {
      searches.push_back(view_of(search));
    }
    if (!searches.empty()) {
      break;
    }
  }
  return searches;
}

const Limit* limit_of(const RunOfAllRanks& run) {
  for (const RankRun* rank : run.ranks) {
    if (rank->limit) {
      return &*rank->limit;
    }
  }
  return nullptr;
}

}  // namespace

RunAnalysis analyse(const RunOfAllRanks& run, const Logs& logs) {
  RunAnalysis analysis;
  analysis.run = &run;
  analysis.ending = ending_of(run, logs);
  analysis.view = view_of(run);
  analysis.problems = problems_of(analysis.view);
  analysis.searches = searches_of(run);
  analysis.gain = compared_with_defaults(analysis.searches);
  analysis.limit = limit_of(run);
  analysis.slowness = slowness_of(analysis.view);
  analysis.comparison = compare_ranks(analysis.view);
  analysis.warnings = warnings_of(run);
  return analysis;
}

}  // namespace contextual::log_report
