#include "search/replay_many.hpp"

#include "support/catch.hpp"
#include "unit/search_replay/scripted_region.hpp"

namespace replay_many_test {

using namespace search_replay;

namespace {

std::vector<double> regrets(std::size_t thread_count) {
  std::vector<double> result;
  for (const NamedSearch& search : all_searches()) {
    for (const Replay& replay :
         replay_many(made_up_source(made_up::all_kinds()[0]), search, {4, 50, thread_count})) {
      result.push_back(replay.regret);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("replays do not depend on the number of threads") {
  CHECK(regrets(1) == regrets(3));
}

TEST_CASE("an error in a replay is thrown again") {
  const RegionSource source{
      "bad", [](std::uint64_t) -> std::unique_ptr<ReplayedRegion> { throw std::runtime_error("no region"); }};
  CHECK_THROWS_WITH(replay_many(source, all_searches()[0], {4, 100, 2}), "no region");
}

}  // namespace replay_many_test
