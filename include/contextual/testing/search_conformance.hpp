#pragma once

/// \file
/// Checks a Search against its contract. Needs no test framework; call it from a test of your own.

#include <contextual/export.hpp>
#include <contextual/search.hpp>

#include <string>
#include <vector>

namespace contextual::testing {

/// Makes searches for a set of requests and drives them to their end as a tuner would: with one to four
/// problems of one to twelve configs, some left out; with infeasible assignments, missing makespans, batches
/// that are cut short, rejections and choices that lose the closing comparison in between; with budgets of 1
/// to 200 runs. Returns one line per violation, which names the request; none if the search conforms.
///
/// It finds empty plans while runs remain, and the reverse; plans that change without an observation or
/// differ between two instances; assignments of a wrong size; configs that do not exist, are left out or are
/// rejected; infeasible assignments, and ones that have lost, which are planned again; trials for which no
/// run is left, as of a search that does not end; a wrong bound of the remaining runs; and a choice that is
/// infeasible, has lost, is rejected or was never run, or is missing although samples of a feasible
/// assignment were taken. It does not judge whether the choice is a good one.
CONTEXTUAL_API std::vector<std::string> check_search(const SearchFactory& factory);

}  // namespace contextual::testing
