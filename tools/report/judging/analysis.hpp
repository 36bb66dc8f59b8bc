#pragma once

/// \file
/// What a report says about one tuning run, as data. The text and the page are two renderings of it.

#include "report/judging/ending.hpp"
#include "report/judging/problem_result.hpp"
#include "report/judging/rank_comparison.hpp"
#include "report/judging/run_view.hpp"
#include "report/judging/search_view.hpp"
#include "report/judging/slowness.hpp"

#include <optional>
#include <string>
#include <vector>

namespace contextual::log_report {

struct RunAnalysis {
  const RunOfAllRanks* run = nullptr;
  Ending ending;
  RunView view;
  std::vector<ProblemResult> problems;
  std::vector<SearchView> searches;  ///< of one rank, in their order
  std::optional<DefaultsComparison> gain;
  const Limit* limit = nullptr;    ///< of one rank: they are alike on all; null without parts
  std::vector<Slowness> slowness;  ///< empty for one rank
  RankComparison comparison;
  std::vector<std::string> warnings;  ///< "rank 0: ..."; equal ones once
};

/// Analyses a run. `run` and `logs` must outlive the result.
RunAnalysis analyse(const RunOfAllRanks& run, const Logs& logs);

}  // namespace contextual::log_report
