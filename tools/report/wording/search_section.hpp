#pragma once

/// \file
/// Texts about a search, for the text, the page and its plots.

#include "report/judging/problem_result.hpp"
#include "report/judging/search_view.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace contextual::log_report {

/// A line about a search, e.g. "ended" and "complete".
struct SearchFact {
  std::string label;
  std::string text;
};

/// Returns what was measured, chosen and gained, and how sure that is.
std::vector<SearchFact> search_facts(const SearchView& search);

/// Returns the configs of the problems whose configs differ in this search, e.g. "gemm 1, norm 0"; of very
/// many problems only the first ones.
std::string set_text(const SearchView& search, const ConfigIds& config_ids);

/// Returns the same with values, e.g. "gemm {BLOCK_N: 128}, norm {ROWS: 4}". `problems` are those of the run.
std::string set_label(const SearchView& search, const ConfigIds& config_ids,
                      const std::vector<ProblemResult>& problems);

/// Returns the name of a problem in such a text: its kernel, with the key where several have the same kernel.
std::string short_name(const SearchView& search, std::size_t problem);

/// Returns e.g. "infeasible: rank 1: no progress in 1000 ms".
std::string infeasible_text(const InfeasibleAssignment& infeasible);

/// Returns what a measured assignment is besides a set of configs, e.g. "chosen, all defaults", or an empty
/// text.
std::string standing_text(const SearchView& search, const MeasuredView& measured);

/// Returns what SearchView::defaults are: "all defaults", or those of an alternative.
std::string_view defaults_name(const SearchView& search);

/// Returns how the choice, which there must be, compares with these, as the closing comparison has it.
std::string comparison_text(const SearchView& search);

/// The cells of a measured assignment.
struct MeasuredWords {
  std::string samples;
  std::string makespan;
  std::string spread;
  std::string to_choice;  ///< e.g. "+3.2 %"; empty if the choice was not measured
};

MeasuredWords measured_words(const MeasuredView& measured);

/// Returns the measured assignments that a list shows, the shortest first, as indices of
/// SearchView::measured. If there are more than `limit`, these are the shortest ones, the chosen one, all
/// defaults, and the best by own times.
std::vector<std::size_t> measured_shown(const SearchView& search, std::size_t limit);

}  // namespace contextual::log_report
