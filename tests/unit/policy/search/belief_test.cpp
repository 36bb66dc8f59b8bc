#include "contextual/policy/search/belief.hpp"

#include "contextual/policy/search/natural_logarithm.hpp"
#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"
#include "unit/policy/search/spaces.hpp"

#include <contextual/config.hpp>

namespace contextual::policy::search::test::belief_test {

namespace {

/// All assignments of problems with so many configs each.
std::vector<Assignment> all_of(const std::vector<std::size_t>& config_counts) {
  std::vector<Assignment> all{{}};
  for (const std::size_t count : config_counts) {
    std::vector<Assignment> longer;
    for (const Assignment& assignment : all) {
      for (std::size_t config = 0; config < count; ++config) {
        longer.push_back(assignment);
        longer.back().push_back(config);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The values of `assignments` in the draw that a belief of this seed makes first.
std::vector<double> first_draw(const SearchSpace& space, const TrialLedger& ledger, std::uint64_t seed,
                               const std::vector<Assignment>& assignments) {
  return Belief(space, ledger, seed).draw_values(assignments);
}

/// Changes one problem at a time to its best config by `values`, those of all assignments of two problems
/// with `configs` each, until nothing improves. Returns the index of where that ends.
std::size_t descend(const std::vector<double>& values, std::size_t configs, std::size_t place) {
  for (std::size_t before = values.size(); before != place;) {
    before = place;
    const std::size_t column = place % configs;
    for (std::size_t row = 0; row < configs; ++row) {
      const std::size_t next = row * configs + column;
      place = values[next] < values[place] ? next : place;
    }
    const std::size_t first = place / configs * configs;
    for (std::size_t next = first; next < first + configs; ++next) {
      place = values[next] < values[place] ? next : place;
    }
  }
  return place;
}

/// A ledger in which the defaults and some others have been measured.
TrialLedger measured(std::size_t problems) {
  TrialLedger ledger;
  for (std::size_t config = 0; config < 3; ++config) {
    ledger.add(
        trial(Assignment(problems, config), {110000, 100000 + 1000 * static_cast<std::int64_t>(config)}));
  }
  return ledger;
}

}  // namespace

TEST_CASE("Belief: what a draw in a small space finds is the shortest of all in that draw") {
  const std::vector<std::size_t> counts{6, 5, 4};
  const SearchSpace space = space_of(counts);
  const TrialLedger ledger = measured(3);
  const std::vector<Assignment> all = all_of(counts);
  std::set<Assignment> found;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto shortest = Belief(space, ledger, seed).draw_shortest(Assignment{0, 0, 0});
    REQUIRE(shortest);
    const std::vector<double> values = first_draw(space, ledger, seed, all);
    const auto least = std::min_element(values.begin(), values.end());
    CHECK(shortest->assignment == all[static_cast<std::size_t>(least - values.begin())]);
    CHECK(shortest->gain == Approx(values.front() - *least));
    found.insert(shortest->assignment);
  }
  CHECK(found.size() > 10);  // the draws differ
}

TEST_CASE("Belief: a problem with one config does not disturb the others") {
  const std::vector<std::size_t> counts{1, 5};
  const SearchSpace space = space_of(counts);
  TrialLedger ledger;
  ledger.add(trial({0, 0}, {110000, 100000}));
  const std::vector<Assignment> all = all_of(counts);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto shortest = Belief(space, ledger, seed).draw_shortest(std::nullopt);
    REQUIRE(shortest);
    const std::vector<double> values = first_draw(space, ledger, seed, all);
    CHECK(shortest->assignment.back() ==
          static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin()));
    CHECK(shortest->gain == 0);  // there is no incumbent
  }
}

TEST_CASE("Belief: what a draw in a large space finds cannot be made shorter by one change") {
  const std::vector<std::size_t> counts{12, 11, 10};  // 1320 assignments
  const SearchSpace space = space_of(counts);
  const TrialLedger ledger = measured(3);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto shortest = Belief(space, ledger, seed).draw_shortest(Assignment{0, 0, 0});
    REQUIRE(shortest);
    std::vector<Assignment> near{shortest->assignment};
    for (std::size_t p = 0; p < counts.size(); ++p) {
      for (std::size_t config = 0; config < counts[p]; ++config) {
        near.push_back(shortest->assignment);
        near.back()[p] = config;
      }
    }
    const std::vector<double> values = first_draw(space, ledger, seed, near);
    CHECK(*std::min_element(values.begin(), values.end()) == Approx(values.front()));
    CHECK(shortest->gain > 0);
  }
}

TEST_CASE("Belief: a draw in a large space begins at the shortest that is known, not at the incumbent") {
  const std::vector<std::size_t> counts{40, 40};
  const SearchSpace space = space_of(counts);
  TrialLedger ledger;
  for (int visit = 0; visit < 6; ++visit) {
    ledger.add(trial({0, 0}, {110000, 100000}));
    ledger.add(trial({7, 9}, {22000, 20000}));
  }
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto shortest = Belief(space, ledger, seed).draw_shortest(Assignment{0, 0});
    REQUIRE(shortest);
    CHECK(shortest->gain > 1);  // a fifth of the incumbent's makespan is 1.6 less
  }
}

TEST_CASE("Belief: a draw in a large space is the shorter one of what it finds from two places") {
  const std::size_t configs = 40;
  const SearchSpace space = space_of({configs, configs});
  TrialLedger ledger;
  ledger.add(trial({0, 0}, {110000, 100000}));
  const std::vector<Assignment> all = all_of({configs, configs});
  int shorter = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto shortest = Belief(space, ledger, seed).draw_shortest(Assignment{0, 0});
    REQUIRE(shortest);
    const std::vector<double> values = first_draw(space, ledger, seed, all);
    const double from_incumbent = values[descend(values, configs, 0)];
    CHECK(shortest->gain >= Approx(values[0] - from_incumbent));
    shorter += shortest->gain > values[0] - from_incumbent + 1e-6 ? 1 : 0;
  }
  CHECK(shorter > 0);  // from the random place
}

TEST_CASE("Belief: without an incumbent a draw in a large space is no longer than what has been run") {
  const std::size_t configs = 40;
  const SearchSpace space = space_of({configs, configs});
  TrialLedger ledger;
  for (std::size_t i = 0; i < 12; ++i) {
    ledger.add(trial({3 * i, 7 * i % configs}, {110000, 100000}));
    ledger.add(trial({3 * i, 20}, {110000, 100000}));
    ledger.add(trial({20, 3 * i}, {110000, 100000}));
  }
  for (int visit = 0; visit < 6; ++visit) {  // so short that a random place hardly ever leads to it
    ledger.add(trial({20, 20}, {77000, 70000}));
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto shortest = Belief(space, ledger, seed).draw_shortest(std::nullopt);
    REQUIRE(shortest);
    const std::vector<double> values = first_draw(space, ledger, seed, {shortest->assignment, {20, 20}});
    CHECK(values[0] <= values[1] + 1e-9);
  }
}

TEST_CASE("Belief draws no rejected config and nothing infeasible, in small and large spaces") {
  for (const std::size_t configs : {4U, 40U}) {
    SearchSpace space = space_of({configs, configs});
    TrialLedger ledger;
    ledger.add(trial({3, 3}, {110000, 100000}));
    for (std::size_t config = 0; config < 4; ++config) {
      ledger.add(failure({0, config}));
    }
    space.reject(1, 2);
    Belief belief(space, ledger, 1);
    for (int i = 0; i < 40; ++i) {
      const auto shortest = belief.draw_shortest(Assignment{3, 3});
      REQUIRE(shortest);
      CHECK(space.candidate(shortest->assignment));
      CHECK_FALSE(ledger.infeasible(shortest->assignment));
    }
  }
}

TEST_CASE("Belief avoids what is like the infeasible, unless it has been proven") {
  const SearchSpace space = space_of({4, 8});
  TrialLedger ledger;
  ledger.add(trial({1, 1}, {110000, 100000}));
  for (std::size_t config = 0; config < 6; ++config) {
    ledger.add(failure({0, config}));
  }
  const auto draws_with_config_0 = [&] {
    Belief belief(space, ledger, 1);
    int draws = 0;
    for (int i = 0; i < 100; ++i) {
      draws += belief.draw_shortest(Assignment{1, 1})->assignment[0] == 0 ? 1 : 0;
    }
    return draws;
  };
  CHECK(draws_with_config_0() < 8);  // two of 26 assignments, and both are likely to fail
  ledger.add(trial({0, 6}, {11000, 10000}));
  CHECK(draws_with_config_0() > 90);
}

TEST_CASE("Belief: what shares a parameter with the infeasible is likelier to be infeasible") {
  // Two numbers of SMs with six tiles each. Five tiles failed with the first number and ran with the second.
  SearchProblem gemm{"gemm", "", {}};
  for (const int sms : {132, 116}) {
    for (const int tile : {16, 32, 48, 64, 80, 96}) {
      gemm.configs.push_back({Config{{"sms", sms}, {"tile", tile}}});
    }
  }
  const SearchSpace space({gemm});
  TrialLedger ledger;
  for (std::size_t config = 0; config < 5; ++config) {
    ledger.add(failure({config}));
    ledger.add(trial({config + 6}, {110000, 100000}));
  }
  Belief belief(space, ledger, 1);
  int draws[12] = {};
  for (int i = 0; i < 1000; ++i) {
    ++draws[belief.draw_shortest(Assignment{6})->assignment.front()];
  }
  CHECK(draws[5] * 5 < draws[11] * 4);
}

TEST_CASE("Belief: a draw goes through few candidates, however many configs are none") {
  const SearchSpace space = few_of_many_space();
  TrialLedger ledger;
  ledger.add(trial(Assignment(8, 98), {1000, 1000}));
  const auto shortest = Belief(space, ledger, 1).draw_shortest(Assignment(8, 98));
  REQUIRE(shortest);
  CHECK(space.candidate(shortest->assignment));
}

TEST_CASE("Belief: nothing can be drawn without a candidate of some problem") {
  SearchSpace space = space_of({2, 2});
  const TrialLedger ledger = measured(0);
  space.reject(1, 0);
  space.reject(1, 1);
  CHECK_FALSE(Belief(space, TrialLedger{}, 1).draw_shortest(std::nullopt));
}

TEST_CASE("Belief: where everything is infeasible by belief, something is still drawn") {
  const SearchSpace space = space_of({2, 3});
  TrialLedger ledger;
  for (std::size_t config = 0; config < 3; ++config) {
    ledger.add(failure({0, config}));
  }
  ledger.add(failure({1, 0}));
  ledger.add(failure({1, 1}));
  Belief belief(space, ledger, 1);
  for (int i = 0; i < 20; ++i) {
    const auto shortest = belief.draw_shortest(std::nullopt);
    REQUIRE(shortest);
    CHECK(shortest->assignment == Assignment{1, 2});
  }
}

TEST_CASE("Belief: a lead-in or a sample that is far too long says little") {
  const SearchSpace space = space_of({3, 3});
  TrialLedger ledger;
  for (int visit = 0; visit < 10; ++visit) {
    ledger.add(trial({0, 0}, {105000, 100000}));
    ledger.add(trial({1, 1}, {105000, 100000}));
  }
  const double usual = natural_logarithm(100000);
  TrialLedger late = ledger;
  late.add(trial({0, 0}, {170000}));
  CHECK(Belief(space, late, 1).expected({0, 0}) == Approx(usual).margin(0.02));
  TrialLedger sampled = ledger;
  sampled.add(trial({0, 0}, {178500, 170000}));
  CHECK(Belief(space, sampled, 1).expected({0, 0}) == Approx(usual).margin(0.03));
  TrialLedger longer = ledger;  // in every visit from now on, so that it is no accident
  for (int visit = 0; visit < 12; ++visit) {
    longer.add(trial({0, 0}, {178500, 170000}));
  }
  CHECK(Belief(space, longer, 1).expected({0, 0}) > usual + 0.2);
}

TEST_CASE("Belief::doubtful names the shortest of those with nothing but a first run") {
  const SearchSpace space = space_of({3, 3});
  for (const std::size_t shorter : {1U, 2U}) {
    TrialLedger ledger;
    ledger.add(trial({0, 0}, {105000, 100000}));
    for (const std::size_t config : {1U, 2U}) {
      ledger.add(trial({config, config}, {config == shorter ? 104000 : 112000}));
    }
    CHECK(Belief(space, ledger, 1).doubtful({0, 0}, 0.005) == Assignment{shorter, shorter});
  }
}

TEST_CASE("Belief::update takes in what the ledger has now") {
  const SearchSpace space = space_of({3, 3});
  TrialLedger ledger;
  ledger.add(trial({0, 0}, {110000, 100000}));
  Belief belief(space, ledger, 1);
  const double before = belief.expected({2, 2});
  ledger.add(trial({2, 2}, {55000, 50000}));
  CHECK(belief.expected({2, 2}) == before);
  belief.update();
  CHECK(belief.expected({2, 2}) < before - 0.2);
}

TEST_CASE("Belief: a new assignment is worth a sample where lead-ins are very uneven") {
  const SearchSpace space = space_of({3, 3});
  const auto worth = [&](std::int64_t spread_ns) {
    TrialLedger ledger;
    for (std::int64_t i = 0; i < 7; ++i) {
      ledger.add(trial({0, 0}, {105000 + i * spread_ns, 100000}));
    }
    return Belief(space, ledger, 1).worth_a_sample();
  };
  CHECK_FALSE(worth(0));
  CHECK_FALSE(worth(1000));
  CHECK(worth(20000));
}

TEST_CASE("Belief: a lead-in that is far too long does not widen what configs are thought to matter") {
  const SearchSpace space = space_of({6, 6});
  const auto gain_with = [&](std::int64_t outlier_ns) {
    TrialLedger ledger;
    for (std::size_t i = 0; i < 6; ++i) {
      ledger.add(trial({i, i}, {105000, 100000}));
      ledger.add(trial({i, (i + 1) % 6}, {105000, 100000}));
    }
    ledger.add(trial({2, 2}, {outlier_ns}));
    Belief belief(space, ledger, 1);
    for (std::size_t i = 0; i < 12; ++i) {
      ledger.add(trial({i % 6, (i + 2 + i / 6) % 6}, {105000}));
      belief.update();
    }
    double most = 0;
    for (int i = 0; i < 20; ++i) {
      most = std::max(most, belief.draw_shortest(Assignment{0, 0})->gain);
    }
    return most;
  };
  CHECK(gain_with(105000) < 0.03);
  CHECK(gain_with(250000) < 0.03);
}

}  // namespace contextual::policy::search::test::belief_test
