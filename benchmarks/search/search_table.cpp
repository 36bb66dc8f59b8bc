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

using contextual::SearchLevel;

template <typename SearchType>
Replay replay_of(ReplayedRegion& region, std::int64_t max_runs, std::uint64_t seed) {
  SearchType search(search_request_of(region, max_runs, seed));
  return replay_search(search, region, max_runs);
}

template <contextual::SearchLevel Level>
Replay replay_level(ReplayedRegion& region, std::int64_t /*max_runs*/, std::uint64_t /*seed*/) {
  contextual::policy::PolicyOptions options;
  options.search = Level;
  return replay_tuning(options, region);
}

constexpr std::array searches{
    NamedSearch{"joint", "the joint search, without a walk",
                replay_of<contextual::policy::search::JointSearch>},
    NamedSearch{"descent", "coordinate descent with random restarts", replay_of<CoordinateDescent>},
    NamedSearch{"random", "random assignments and a final contest", replay_of<RandomAssignments>},
    NamedSearch{"exhaustive", "all assignments in order", replay_of<ExhaustiveSearch>},
    NamedSearch{"walk", "a whole tuning run, walk only", replay_level<SearchLevel::off>, false},
    NamedSearch{"quick", "a whole tuning run, level quick", replay_level<SearchLevel::quick>, false},
    NamedSearch{"normal", "a whole tuning run, level normal", replay_level<SearchLevel::normal>, false},
    NamedSearch{"thorough", "a whole tuning run, level thorough", replay_level<SearchLevel::thorough>, false},
};

}  // namespace

std::span<const NamedSearch> all_searches() {
  return searches;
}

}  // namespace search_replay
