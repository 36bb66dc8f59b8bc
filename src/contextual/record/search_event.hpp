#pragma once

/// \file
/// Makes the event of a search from the record of the policy. Pure.

#include "contextual/policy/search_record.hpp"
#include "contextual/record/events.hpp"
#include "contextual/record/problem_view.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace contextual::record {

/// Returns how a search chose the config of a problem, by its index in the state.
ChosenBy chosen_by(const policy::SearchRecord& search, std::size_t problem);
SearchReference reference_of(const policy::SearchRecord& search);

/// Makes the event of a search. `infeasible` are all assignments that have failed in this run; those of fewer
/// or more problems are left out.
SearchResult search_event(const policy::SearchRecord& search,
                          const std::map<Assignment, policy::Reason>& infeasible,
                          const std::vector<ProblemView>& problems);

}  // namespace contextual::record
