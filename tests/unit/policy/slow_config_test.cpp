/// \file
/// Configs whose first runs in the walk take far too long.

#include "unit/policy/reason_words.hpp"
#include "unit/policy/search_world.hpp"

namespace contextual::policy::test::slow_config_test {

namespace {

constexpr std::int64_t ms = 1'000'000;

/// One after another: the makespan is the sum of the own times [problem][config].
World world_of(std::vector<std::vector<std::int64_t>> times) {
  std::vector<std::size_t> counts;
  for (const std::vector<std::int64_t>& of_problem : times) {
    counts.push_back(of_problem.size());
  }
  World world{counts, additive_region(times).makespan_ns};
  world.time_ns = [times](std::size_t p, std::size_t config) { return times[p][config]; };
  return world;
}

std::int64_t runs_with(const Driver& driver, std::size_t problem, std::size_t config) {
  return std::count_if(driver.all.begin(), driver.all.end(),
                       [&](const Assignment& a) { return a[problem] == config; });
}

}  // namespace

TEST_CASE("slow config: where runs take long, one that is far slower runs twice and is out") {
  const Tuned driver(PolicyOptions{},
                     world_of({{10 * ms, 8 * ms, 9 * ms, 8000 * ms}, {4 * ms, 5 * ms, 3 * ms, 6 * ms}}));
  CHECK(runs_with(driver, 0, 3) == 2);
  const ConfigRecord& slow = driver.state.problem(0).configs[3];
  REQUIRE(slow.rejection);
  CHECK_THAT(text(slow.rejection), ContainsSubstring("8006 ms at least, more than three times"));
  CHECK(slow.samples_ns.empty());
  CHECK_FALSE(driver.state.problem(1).configs[3].rejection);  // only one is to blame
  CHECK(driver.choice() == Assignment{1, 2});
}

TEST_CASE("slow config: a first run that the machine has stalled condemns none") {
  for (const SearchLevel level : {SearchLevel::quick, SearchLevel::normal}) {
    World world = world_of({{300'000, 100'000, 200'000}});
    world.overlaps = [](std::size_t) { return false; };
    for (const bool has_makespans : {true, false}) {
      const auto stalled_once = [](std::size_t config, int& runs) {
        return (config == 1 ? 100'000 : 300'000) + (config == 1 && runs++ == 0 ? 28 * ms : 0);
      };
      world.time_ns = [=, runs = 0](std::size_t, std::size_t config) mutable {
        return stalled_once(config, runs);
      };
      world.makespan_ns = [=, runs = 0](const Assignment& a) mutable {
        return has_makespans ? stalled_once(a[0], runs) : 0;
      };
      const Tuned driver({.search = level}, world);
      CHECK_FALSE(driver.state.problem(0).configs[1].rejection);
      CHECK(driver.choice() == Assignment{1});
    }
  }
}

TEST_CASE("slow config: where the machine has become busy, the config before would be as slow") {
  World world = world_of({{30 * ms, 10 * ms}});
  world.overlaps = [](std::size_t) { return false; };
  world.makespan_ns = [runs = 0](const Assignment& a) mutable {
    return (a[0] == 1 ? 10 : 30) * ms * (++runs > 4 ? 10 : 1);
  };
  world.time_ns = [runs = 0](std::size_t, std::size_t config) mutable {
    return (config == 1 ? 10 : 30) * ms * (++runs > 4 ? 10 : 1);
  };
  const Tuned driver(PolicyOptions{}, world);
  CHECK_FALSE(driver.state.problem(0).configs[1].rejection);
  CHECK(driver.choice() == Assignment{1});
}

TEST_CASE("slow config: defaults and what is next are measured again: one may have run on a calmer machine") {
  struct Busy {
    int after = 0;
    int until = 0;
  };
  const auto [after, until] = GENERATE(Busy{8, 1'000}, Busy{8, 24});  // the defaults take eight, all 24
  const SearchLevel level = GENERATE(SearchLevel::quick, SearchLevel::normal, SearchLevel::thorough);
  for (const std::int64_t times : {2, 4, 5, 8, 20}) {
    CAPTURE(until, level, times);
    std::int64_t last_ns = 0;
    World world = world_of({{45'000, 15'000, 20'000}});
    world.overlaps = [](std::size_t) { return false; };
    world.time_ns = [&, runs = 0](std::size_t, std::size_t config) mutable {
      const std::int64_t calm = config == 0 ? 45'000 : config == 1 ? 15'000 : 20'000;
      return last_ns = calm * (++runs > after && runs <= until ? times : 1);
    };
    world.makespan_ns = [&last_ns](const Assignment&) { return last_ns; };
    CHECK(Tuned({.search = level}, world).choice() == Assignment{1});
  }
}

TEST_CASE("slow config: a load that begins while the defaults walk costs no more runs than another one") {
  for (const int calm : {3, 4, 5, 6}) {
    CAPTURE(calm);
    std::int64_t last_ns = 0;
    World world = world_of({{15'000, 45'000, 60'000}});
    world.overlaps = [](std::size_t) { return false; };
    world.time_ns = [&, runs = 0](std::size_t, std::size_t config) mutable {
      return last_ns = (config == 0 ? 15'000 : config == 1 ? 45'000 : 60'000) * (++runs > calm ? 6 : 1);
    };
    world.makespan_ns = [&last_ns](const Assignment&) { return last_ns; };
    const Tuned driver(PolicyOptions{}, world);
    CHECK(driver.choice() == Assignment{0});
    CHECK(driver.runs < 150);
  }
}

TEST_CASE("slow config: what is rejected while it is sampled again is not launched any more") {
  World world = world_of({{20'000, 60'000}, {20'000, 50'000}});  // walks in pairs: 0 beside 1 is new
  world.overlaps = [](std::size_t) { return false; };
  world.makespan_ns = [](const Assignment& a) { return 40'000 + 40'000 * a[0] + 30'000 * a[1]; };
  std::int64_t rejected = 0;
  world.rejects = [&rejected](std::int64_t run, std::size_t p, std::size_t config) {
    const bool fails = run > 16 && p == 1 && config == 1;
    rejected += fails ? 1 : 0;
    return fails;
  };
  const Tuned driver(PolicyOptions{}, world);
  CHECK(driver.choice() == Assignment{0, 0});
  CHECK(rejected == 1);
}

TEST_CASE("slow config: what could only be begun to compare does not take the defaults' place") {
  for (std::int64_t most = 24; most < 60; ++most) {
    CAPTURE(most);
    std::int64_t last_ns = 0;
    World world = world_of({{20'000, 45'000, 60'000}});
    world.overlaps = [](std::size_t) { return false; };
    world.time_ns = [&, runs = 0](std::size_t, std::size_t config) mutable {
      const bool stalled = ++runs > 24 && runs <= 28 && config == 0;
      return last_ns = (config == 0 ? 20'000 : config == 1 ? 45'000 : 60'000) * (stalled ? 5 : 1);
    };
    world.makespan_ns = [&last_ns](const Assignment&) { return last_ns; };
    CHECK(Tuned({.max_iterations = most}, world).choice() == Assignment{0});
  }
}

TEST_CASE("slow config: short runs are repeated however slow they are") {
  const Tuned driver(PolicyOptions{}, world_of({{10'000, 8'000, 19 * ms}}));
  CHECK(driver.state.problem(0).configs[2].samples_ns.size() == 5);
  CHECK_FALSE(driver.state.problem(0).configs[2].rejection);
}

TEST_CASE("slow config: three times the shortest is not far slower") {
  const Tuned driver(PolicyOptions{}, world_of({{20 * ms, 10 * ms, 30 * ms}}));
  CHECK(driver.state.problem(0).configs[2].samples_ns.size() == 5);
}

TEST_CASE("slow config: without a search every config is walked as documented") {
  const Tuned driver({.search = SearchLevel::off}, world_of({{10 * ms, 8000 * ms}}));
  CHECK(driver.state.problem(0).configs[1].samples_ns.size() == 5);
  CHECK(driver.runs == 2 * 8);
}

TEST_CASE("slow config: a first use that all configs pay for blames none") {
  World world = world_of({{10 * ms, 8 * ms, 9 * ms}});
  std::vector<bool> used(3, false);
  world.time_ns = [used](std::size_t, std::size_t config) mutable {
    const bool first = !used[config];
    used[config] = true;
    return (first ? 100 : 0) * ms + (config == 1 ? 8 : 10) * ms;
  };
  world.makespan_ns = [used](const Assignment& a) mutable {
    const bool first = !used[a[0]];
    used[a[0]] = true;
    return (first ? 100 : 0) * ms + (a[0] == 1 ? 8 : 10) * ms;
  };
  const Tuned driver(PolicyOptions{}, world);
  for (const ConfigRecord& config : driver.state.problem(0).configs) {
    CHECK_FALSE(config.rejection);
    CHECK(config.samples_ns.size() == 5);
  }
}

TEST_CASE("slow config: where two may be to blame, both are repeated") {
  World world = world_of({{10 * ms, 8 * ms}, {10 * ms, 8 * ms}});
  world.makespan_ns = [](const Assignment& a) { return (a == Assignment{1, 1} ? 900 : 10) * ms; };
  world.time_ns = [](std::size_t, std::size_t config) { return (config == 1 ? 900 : 10) * ms; };
  const Tuned driver(PolicyOptions{}, world);
  for (std::size_t p = 0; p < 2; ++p) {
    CHECK_FALSE(driver.state.problem(p).configs[1].rejection);
    CHECK(driver.state.problem(p).configs[1].samples_ns.size() == 5);
  }
}

TEST_CASE("slow config: it is walked after all where every other config is rejected") {
  Driver driver(PolicyOptions{}, world_of({{10 * ms, 500 * ms, 9 * ms}}));
  driver.run_batch();
  while (!driver.state.problem(0).configs[1].rejection) {
    REQUIRE_FALSE(driver.state.done());
    driver.run_batch();
  }
  driver.state.reject({{0, 0, 0, "broken"}, {0, 2, 0, "broken"}});
  driver.finish();
  CHECK(driver.state.problem(0).status == ProblemStatus::locked_in);
  CHECK(driver.choice() == Assignment{1});
  CHECK(driver.state.problem(0).configs[1].samples_ns.size() == 5);
  CHECK_FALSE(driver.state.problem(0).configs[1].rejection);
}

TEST_CASE("slow config: it is provisional where the final run rejects every other config") {
  Tuned driver(PolicyOptions{}, world_of({{10 * ms, 500 * ms}}));
  CHECK(driver.state.problem(0).configs[1].rejection);
  CHECK(driver.state.reject_choice({0, 0, 0, "broken"}));
  CHECK(driver.state.problem(0).status == ProblemStatus::provisional);
  CHECK(driver.choice() == Assignment{1});
}

}  // namespace contextual::policy::test::slow_config_test
