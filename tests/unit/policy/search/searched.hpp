#pragma once

/// \file
/// A joint search on a scripted table, to its end.

#include "contextual/policy/search/joint_search.hpp"
#include "unit/policy/search/scripted_table.hpp"

#include <utility>

namespace contextual::policy::search::test {

/// A search that has been run to its end.
struct Searched {
  Searched(const SearchRequest& request,
           std::function<std::optional<std::int64_t>(const Assignment&)> makespan_ns)
      : search(request), table(std::move(makespan_ns)) {
    table.finish(search);
  }

  JointSearch search;
  ScriptedTable table;
};

}  // namespace contextual::policy::search::test
