#include "contextual/policy/search/joint_search.hpp"
#include "contextual/policy/search/random_numbers.hpp"
#include "support/catch.hpp"
#include "unit/policy/search/searched.hpp"

namespace contextual::policy::search::test::joint_search_stages_test {

namespace {

using Makespan = std::optional<std::int64_t>;

/// Makespans of 2 by 2 assignments, the longest that of the defaults, with noise of 3 %.
class NoisyTable {
 public:
  explicit NoisyTable(std::uint64_t seed) : seed_(seed << 32U) {}

  Makespan operator()(const Assignment& a) {
    const double noise = 1 + 0.03 * standard_normal(seed_ + ++calls_);
    const double steps = static_cast<double>(a[0] + a[1]);
    return static_cast<std::int64_t>(noise * (100000 - 1500 * steps));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t calls_ = 0;
};

/// Sixteen makespans that differ by 2 % each, in no order of the configs.
Makespan scattered(const Assignment& a) {
  return 100000 + 2000 * static_cast<std::int64_t>((7 * (4 * a[0] + a[1]) + 5) % 16);
}

/// The shortest makespan of those with a sample: run at least three times, the first run and a lead-in apart.
Makespan shortest_sampled(const std::vector<Assignment>& runs) {
  Makespan least;
  for (const Assignment& assignment : runs) {
    const bool sampled = std::count(runs.begin(), runs.end(), assignment) > 2;
    if (sampled && (!least || *scattered(assignment) < *least)) {
      least = scattered(assignment);
    }
  }
  return least;
}

}  // namespace

TEST_CASE("JointSearch: an undecided race uses the runs up, and no more") {
  int undecided = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    JointSearch search(request_of({2, 2}, 60, seed));
    ScriptedTable table{NoisyTable(seed)};
    table.finish(search);
    CHECK(table.runs() <= 60);
    undecided += table.runs() >= 59 ? 1 : 0;
  }
  CHECK(undecided >= 5);  // the others were decided before
}

TEST_CASE("JointSearch begins with assignments that cover every config") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    JointSearch search(request_of({6, 6}, 150, seed));
    ScriptedTable table([](const Assignment&) { return Makespan(100000); });
    std::set<Assignment> tried;
    std::set<std::size_t> configs[2];
    while (tried.size() < 6 && table.step({&search})) {
      tried.insert(table.run_assignments().back());
      configs[0].insert(table.run_assignments().back()[0]);
      configs[1].insert(table.run_assignments().back()[1]);
    }
    CHECK(configs[0].size() == 6);
    CHECK(configs[1].size() == 6);
  }
}

TEST_CASE("JointSearch: whenever it is stopped, it chooses the shortest that has samples") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    JointSearch search(request_of({4, 4}, 100, seed));
    ScriptedTable table(scattered);
    while (table.step({&search})) {
      const Makespan shortest = shortest_sampled(table.run_assignments());
      if (search.best() && shortest) {
        CHECK(*scattered(*search.best()) <= *shortest);
      }
    }
    CHECK(scattered(*search.best()) == Makespan(100000));
  }
}

TEST_CASE("JointSearch: what a race could visit only once may be the choice") {
  for (std::int64_t max_runs = 16; max_runs < 50; max_runs += 2) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      auto [search, table] = Searched(request_of({4, 4}, max_runs, seed), scattered);
      CAPTURE(max_runs, seed);
      CHECK(scattered(*search.best()) == shortest_sampled(table.run_assignments()));
    }
  }
}

TEST_CASE("JointSearch ends early without a minimum gain, too, where nothing is gained any more") {
  SearchRequest request = request_of({2, 2}, 400);
  request.min_gain = 0;
  auto [search, table] =
      Searched(request, [](const Assignment& a) { return Makespan(a[0] + a[1] == 2 ? 80000 : 100000); });
  CHECK(search.best() == Assignment{1, 1});
  CHECK(table.runs() < 200);
}

TEST_CASE("JointSearch: with runs left over, another exploration and another race follow") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    JointSearch search(request_of({4, 4}, 100, seed));
    ScriptedTable table(scattered);
    int races = 0;
    bool races_now = false;
    do {
      const bool raced = std::exchange(races_now, search.plan().size() > 1);  // only races plan several
      races += races_now && !raced ? 1 : 0;
    } while (table.step({&search}));
    CHECK(races == 2);
  }
}

}  // namespace contextual::policy::search::test::joint_search_stages_test
