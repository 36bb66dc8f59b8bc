#include "search/search_table.hpp"

#include "contextual/policy/search/joint_search.hpp"
#include "search/coordinate_descent.hpp"
#include "search/exhaustive_search.hpp"
#include "search/random_assignments.hpp"
#include "search/replay_search.hpp"
#include "search/replay_tuning.hpp"

#include <array>

namespace search_replay {
namespace {

template <typename SearchType>
Replay replay_of(ReplayedRegion& region, std::int64_t max_runs, std::uint64_t seed) {
  SearchType search(search_request_of(region, max_runs, seed));
  return replay_search(search, region, max_runs);
}

Replay replay_tuner(ReplayedRegion& region, std::int64_t /*max_runs*/, std::uint64_t /*seed*/) {
  return replay_tuning({}, region);
}

constexpr std::array searches{
    NamedSearch{"joint", "the joint search, without a walk",
                replay_of<contextual::policy::search::JointSearch>},
    NamedSearch{"descent", "coordinate descent with random restarts", replay_of<CoordinateDescent>},
    NamedSearch{"random", "random assignments and a final contest", replay_of<RandomAssignments>},
    NamedSearch{"exhaustive", "all assignments in order", replay_of<ExhaustiveSearch>},
    NamedSearch{"tuner", "a whole tuning run with default options", replay_tuner, false},
};

}  // namespace

std::span<const NamedSearch> all_searches() {
  return searches;
}

}  // namespace search_replay
