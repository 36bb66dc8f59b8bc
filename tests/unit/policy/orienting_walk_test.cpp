#include "contextual/policy/search_request.hpp"
#include "unit/policy/search_world.hpp"

#include <random>

namespace contextual::policy::test::orienting_walk_test {

std::vector<std::size_t> sample_counts(const Driver& driver, std::size_t problem) {
  std::vector<std::size_t> counts;
  for (const ConfigRecord& config : driver.state.problem(problem).configs) {
    counts.push_back(config.samples_ns.size());
  }
  return counts;
}

PolicyOptions level(SearchLevel search) {
  PolicyOptions options{.search = search};
  return options;
}

/// Too many configs for the whole table.
World many(std::vector<std::size_t> configs) {
  World world = later_is_shorter(std::move(configs));
  world.makespan_ns = [](const Assignment& a) {
    std::int64_t makespan = 200'000;
    for (const std::size_t config : a) {
      makespan -= 3000 * static_cast<std::int64_t>(config);
    }
    return makespan;
  };
  world.time_ns = [](std::size_t, std::size_t config) { return 90'000 - 1000 * static_cast<int>(config); };
  return world;
}

TEST_CASE("walk: one first run, lead-in and sample a config where own times do not decide") {
  const Tuned driver({}, many({30, 4}));
  CHECK(driver.state.walk_iterations() == 30 * 3);
  CHECK(sample_counts(driver, 0) == std::vector<std::size_t>(30, 1));
  CHECK(sample_counts(driver, 1) == std::vector<std::size_t>(4, 5));  // these fit in
  CHECK(driver.choice() == Assignment{29, 3});
}

TEST_CASE("walk: the whole table without a search, and where own times decide") {
  const Tuned off(level(SearchLevel::off), many({30, 20}));
  CHECK(off.runs == 30 * 8);
  CHECK(sample_counts(off, 1) == std::vector<std::size_t>(20, 5));

  World world = many({20, 30});
  world.overlaps = [](std::size_t p) { return p == 0; };
  const Tuned beside({}, world);
  CHECK(beside.state.walk_iterations() == 30 * 8);
  CHECK(sample_counts(beside, 0) == std::vector<std::size_t>(20, 1));
  CHECK(sample_counts(beside, 1) == std::vector<std::size_t>(30, 5));
}

TEST_CASE("walk: makespans that are unknown leave it whole") {
  World world = many({20, 3});
  world.makespan_ns = [](const Assignment&) { return 0; };
  const Tuned driver({}, world);
  CHECK(driver.runs == 20 * 8);
}

TEST_CASE("walk: how often one that orients the search uses each config") {
  PolicyOptions options;
  CHECK(orienting_uses(options, 6) == 8);  // 50 of 400 runs
  CHECK(orienting_uses(options, 10) == 5);
  CHECK(orienting_uses(options, 17) == 3);
  CHECK(orienting_uses(options, 33) == 3);
  CHECK(orienting_uses(options, 34) == 0);  // more than 100 of 400
  CHECK(orienting_uses(level(SearchLevel::thorough), 34) == 3);
  CHECK(orienting_uses(level(SearchLevel::quick), 2) == 0);
  options.n_warmup = 1;
  options.n_repeat = 1;
  CHECK(orienting_uses(options, 6) == 2);  // no longer than the user has said
}

TEST_CASE("walk: an overlap that shows later shortens what is left of it, and nothing is repeated") {
  for (const std::int64_t from : {9, 12, 15, 24, 31}) {
    CAPTURE(from);
    World world = many({20, 20});
    const auto runs = std::make_shared<std::int64_t>(0);
    world.overlaps = [runs, from](std::size_t p) { return (*runs += p == 0 ? 1 : 0) >= from; };
    const Tuned driver({}, world);
    const std::vector<std::size_t> counts = sample_counts(driver, 0);
    CHECK(counts[0] == 5);
    CHECK(counts[3] == (from < 31 ? 1 : 3));
    CHECK(std::count(counts.begin() + 4, counts.end(), 1) == 16);
    CHECK(driver.state.retakes() == 0);
    CHECK(driver.choice() == Assignment{19, 19});
  }
}

TEST_CASE("walk: the search orients itself where a walk would take too much of its runs") {
  const Tuned driver({}, many({34, 2}));
  CHECK(driver.state.walk_iterations() == 2 * 8);  // of the other problem
  CHECK(driver.choice() == Assignment{33, 1});
}

TEST_CASE("search: a tuning runs at most as often as `runs` says, with everything") {
  for (const std::int64_t runs : {24, 40, 100, 150, 400}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      CAPTURE(runs, seed);
      auto random = std::make_shared<std::mt19937>(seed);
      World world;
      world.configs = {8, 1 + seed % 28};
      world.feasible = [seed](const Assignment& a) { return seed % 3 == 0 || (a[0] * 5 + a[1] * 3) % 7 > 1; };
      world.makespan_ns = [random](const Assignment& a) {
        // The gain is too small to be shown soon.
        return 100'000 - 100 * static_cast<std::int64_t>(a[0] + a[1]) +
               static_cast<std::int64_t>((*random)() % 4000);
      };
      const Tuned driver({.search_runs = runs}, world);
      CHECK(driver.runs + 1 <= runs);  // with the final run
    }
  }
}

TEST_CASE("search: what a walk by own times leaves is never next to nothing") {
  World world = later_is_shorter({60, 4});
  world.overlaps = [](std::size_t p) { return p == 1; };
  world.makespan_ns = [](const Assignment& a) { return 200'000 - 3000 * static_cast<std::int64_t>(a[1]); };
  world.time_ns = [](std::size_t, std::size_t config) { return 90'000 - 1000 * static_cast<int>(config); };
  const Tuned driver({}, world);
  CHECK(driver.state.walk_iterations() == 60 * 8);
  CHECK(driver.state.search_iterations() <= 150);
  CHECK(driver.choice() == Assignment{59, 3});
}

}  // namespace contextual::policy::test::orienting_walk_test
