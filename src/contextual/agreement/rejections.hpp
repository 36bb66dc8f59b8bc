#pragma once

/// \file
/// Lets the ranks tell each other which configs failed.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/policy/tuning_state.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace contextual::agreement {

/// What failed in a batch: configs by themselves, and assignments of configs.
struct Rejected {
  std::vector<policy::RejectionOutcome> configs;
  std::vector<InfeasibleIteration> iterations;
};

/// Returns the words of one rank, which names it if there are several: for people, who see no `ranks`.
std::string words_of_rank(std::size_t rank, std::size_t rank_count, const std::string& words);

/// Returns what any rank rejected, each with the reasons of all ranks that rejected it, in the same order on
/// all ranks. Collective: all ranks call it, because they saw the same header.
Rejected gather_rejections(Exchange& exchange, const Rejected& own);

}  // namespace contextual::agreement
