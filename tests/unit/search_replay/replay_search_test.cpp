#include "search/replay_search.hpp"

#include "support/catch.hpp"
#include "unit/search_replay/scripted_region.hpp"

namespace contextual::replay_search_test {

using search_replay::Assignment;
using search_replay::Replay;
using search_replay::replay_search;
using search_replay::test::ScriptedRegion;

namespace {

/// Plans some trials once, without those of infeasible assignments.
class ScriptedSearch final : public Search {
 public:
  explicit ScriptedSearch(std::vector<SearchTrial> trials) : trials_(std::move(trials)) {}

  std::vector<SearchTrial> plan() const override { return trials_; }
  void observe(const SearchObservation& observation) override {
    observations.push_back(observation);
    std::erase_if(trials_, [&](const SearchTrial& trial) {
      return observation.infeasible ? trial.assignment == observation.trial.assignment
                                    : trial == observation.trial;
    });
    if (!observation.infeasible) {
      best_ = observation.trial.assignment;
    }
  }
  void reject(std::size_t /*problem*/, std::size_t /*config_id*/) override {}
  void lost(const Assignment& /*assignment*/) override {}
  std::optional<Assignment> best() const override { return best_; }
  std::string reason() const override { return "the last one"; }
  std::size_t remaining_runs() const override { return trials_.size(); }

  std::vector<SearchObservation> observations;

 private:
  std::vector<SearchTrial> trials_;
  std::optional<Assignment> best_;
};

/// Two problems of three configs; {1, 1} is infeasible.
ScriptedRegion region_of_nine() {
  return {{3, 3},
          [](const Assignment& a) {
            return a == Assignment{1, 1} ? std::nullopt : std::optional(100.0 + static_cast<double>(a[0]));
          },
          100};
}

}  // namespace

TEST_CASE("an assignment is run once in a batch of its own before its first trial") {
  ScriptedRegion region = region_of_nine();
  ScriptedSearch search({{{0, 0}, 2}, {{1, 1}, 1}, {{0, 0}, 1}, {{2, 0}, 1}});
  const Replay replay = replay_search(search, region, 100);
  using Batches = std::vector<std::vector<Assignment>>;
  CHECK(region.batches ==
        Batches{
            {{0, 0}}, {{0, 0}, {0, 0}, {0, 0}}, {{1, 1}}, {{0, 0}, {0, 0}}, {{2, 0}}, {{2, 0}, {2, 0}}, {}});
  CHECK(replay.runs == 10);
  CHECK(replay.regret == Approx(0.02));
}

TEST_CASE("a first run is observed without samples, or as infeasible") {
  ScriptedRegion region = region_of_nine();
  ScriptedSearch search({{{0, 0}, 2}, {{1, 1}, 1}});
  replay_search(search, region, 100);
  REQUIRE(search.observations.size() == 3);
  const SearchObservation& feasible = search.observations[0];
  CHECK(feasible.trial == SearchTrial{{0, 0}, 0});
  CHECK_FALSE(feasible.infeasible);
  REQUIRE(feasible.runs.size() == 1);
  CHECK(feasible.runs[0].makespan_ns == 100);
  CHECK(search.observations[1].runs.size() == 3);
  const SearchObservation& infeasible = search.observations[2];
  CHECK(infeasible.trial == SearchTrial{{1, 1}, 0});
  CHECK(infeasible.infeasible);
  CHECK_FALSE(infeasible.runs.at(0).makespan_ns);
}

TEST_CASE("a replay ends when the region has run as often as it may") {
  ScriptedRegion region = region_of_nine();
  ScriptedSearch search({{{0, 0}, 10}});
  CHECK(replay_search(search, region, 4).runs == 4);
  CHECK(search.observations.back().runs.size() == 3);
}

TEST_CASE("without a best assignment the defaults are the choice") {
  ScriptedRegion region(
      {2}, [](const Assignment&) { return std::nullopt; }, 100);
  ScriptedSearch search({{{1}, 1}});
  CHECK(std::isinf(replay_search(search, region, 100).regret));
}

}  // namespace contextual::replay_search_test
