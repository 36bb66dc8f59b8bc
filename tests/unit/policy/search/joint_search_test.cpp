#include "contextual/policy/search/joint_search.hpp"

#include "support/catch.hpp"
#include "unit/policy/search/searched.hpp"

namespace contextual::policy::search::test::joint_search_test {

namespace {

using Makespan = std::optional<std::int64_t>;

/// The later half of both problems' configs together makes the region shorter, of only one makes it longer.
Makespan only_together(const Assignment& a) {
  if (a[0] > 1 && a[1] > 1) {
    return 80000;
  }
  return a[0] > 1 || a[1] > 1 ? 102000 : 100000;
}

/// Four assignments are nearly equal and much shorter than the others.
Makespan close_contest(const Assignment& a) {
  return 100000 - (a[0] > 1 ? 9000 : 0) - (a[1] > 1 ? 9000 : 0) +
         static_cast<std::int64_t>(300 * (a[0] + a[1]));
}

/// Everything in which two neighbours have equal configs is infeasible, the defaults included.
Makespan unequal_neighbours(const Assignment& a) {
  for (std::size_t p = 1; p < a.size(); ++p) {
    if (a[p] == a[p - 1]) {
      return std::nullopt;
    }
  }
  return 100000 + 4000 * static_cast<std::int64_t>(a.front());
}

Makespan equal(const Assignment&) {
  return 100000;
}

Makespan infeasible(const Assignment&) {
  return std::nullopt;
}

Makespan missing(const Assignment&) {
  return 0;
}

}  // namespace

TEST_CASE("JointSearch finds what only two configs together bring") {
  struct Row {
    std::vector<std::size_t> config_counts;
    std::function<Makespan(const Assignment&)> makespan;
    std::uint64_t seeds;
  };
  const Row half_of_both{{4, 4}, only_together, 5};
  const Row one_of_four{{2, 2},
                        [](const Assignment& a) {
                          return Makespan(a[0] == 1 && a[1] == 1 ? 80000 : a[0] == a[1] ? 100000 : 102000);
                        },
                        5};
  const Row one_of_twenty{
      {5, 4},
      [](const Assignment& a) {
        return Makespan(a[0] == 3 && a[1] == 2 ? 80000 : a[0] == 3 || a[1] == 2 ? 102000 : 100000);
      },
      10};
  for (const Row& row : {half_of_both, one_of_four, one_of_twenty}) {
    for (std::uint64_t seed = 1; seed <= row.seeds; ++seed) {
      CAPTURE(row.config_counts, seed);
      auto [search, table] = Searched(request_of(row.config_counts, 150, seed), row.makespan);
      CHECK(search.plan().empty());
      CHECK(search.remaining_runs() == 0);
      REQUIRE(search.best());
      CHECK(row.makespan(*search.best()) == Makespan(80000));
      CHECK(table.runs() <= 150);
    }
  }
}

TEST_CASE("JointSearch tries others where the start's makespan stays unknown") {
  JointSearch search(request_of({5, 4}, 150));
  ScriptedTable table([](const Assignment& a) {
    return a == Assignment{0, 0} ? Makespan(0) : Makespan(a[0] == 2 ? 80000 : 100000);
  });
  table.finish(search);
  REQUIRE(search.best());
  CHECK(search.best()->front() == 2);
}

TEST_CASE("JointSearch ends within max_runs, whatever the table") {
  for (std::int64_t max_runs = 1; max_runs <= 60; max_runs += max_runs < 16 ? 1 : 11) {
    for (const auto makespan : {only_together, unequal_neighbours, equal, infeasible, missing}) {
      auto [search, table] = Searched(request_of({5, 4}, max_runs), makespan);
      CAPTURE(max_runs);
      CHECK(table.runs() <= max_runs);
      CHECK(search.plan().empty());
      CHECK(search.remaining_runs() == 0);
    }
  }
}

TEST_CASE("JointSearch: while a visit is to be made, a run remains") {
  JointSearch search(request_of({5, 4}, 3));
  SearchObservation without_a_time;
  without_a_time.trial = {{0, 0}, 0};
  without_a_time.runs.resize(1);
  for (int run = 0; run < 3; ++run) {
    search.observe(without_a_time);
  }
  REQUIRE_FALSE(search.plan().empty());
  CHECK(search.remaining_runs() == 1);
}

TEST_CASE(
    "JointSearch keeps the defaults where nothing matters, by the shortest budgets too, and ends early") {
  for (const std::int64_t max_runs : {3, 4, 5, 400}) {
    auto [search, table] = Searched(request_of({5, 4}, max_runs), equal);
    CHECK(search.best() == Assignment{0, 0});
    CHECK(table.runs() < 150);
  }
}

TEST_CASE("JointSearch finds a feasible assignment if the defaults are not, and plans no failure again") {
  auto [search, table] = Searched(request_of({4, 4, 4}, 120), unequal_neighbours);
  REQUIRE(search.best());
  CHECK(unequal_neighbours(*search.best()) == Makespan(100000));
  std::map<Assignment, int> runs;
  for (const Assignment& assignment : table.run_assignments()) {
    ++runs[assignment];
  }
  for (const auto& [assignment, count] : runs) {
    CHECK((unequal_neighbours(assignment).has_value() || count == 1));
  }
}

TEST_CASE("JointSearch ends without a choice if nothing is feasible") {
  auto [search, table] = Searched(request_of({3, 3}, 200), infeasible);
  CHECK_FALSE(search.best());
  CHECK(search.plan().empty());
  CHECK(search.reason() == "no feasible assignment was found");
  CHECK(table.runs() == 9);
}

TEST_CASE("JointSearch never plans a config that is left out or rejected") {
  SearchRequest request = request_of({5, 4}, 120);
  request.problems[0].configs[1].candidate = false;
  JointSearch search(request);
  search.reject(1, 3);
  ScriptedTable table(only_together);
  table.finish(search, 10);
  const auto runs_before = static_cast<std::ptrdiff_t>(table.run_assignments().size());
  search.reject(0, 3);
  table.finish(search);
  for (const Assignment& assignment : table.run_assignments()) {
    CHECK(assignment[0] != 1);
    CHECK(assignment[1] != 3);
  }
  const auto& runs = table.run_assignments();
  CHECK(std::none_of(runs.begin() + runs_before, runs.end(), [](const Assignment& a) { return a[0] == 3; }));
  REQUIRE(search.best());
  CHECK(search.best()->at(0) != 3);
}

TEST_CASE("JointSearch: two instances that are fed the same plan the same") {
  JointSearch one(request_of({5, 4}, 100));
  JointSearch other(request_of({5, 4}, 100));
  ScriptedTable table(only_together);
  bool more = true;
  while (more) {
    REQUIRE(one.plan() == other.plan());
    REQUIRE(one.best() == other.best());
    more = table.step({&one, &other});
  }
  CHECK(other.plan().empty());
}

TEST_CASE("JointSearch: another seed tries other assignments") {
  SearchRequest request = request_of({5, 4}, 100);
  std::set<std::vector<Assignment>> courses;
  for (request.seed = 1; request.seed <= 3; ++request.seed) {
    JointSearch search(request);
    ScriptedTable table(only_together);
    table.finish(search, 10);
    courses.insert(table.run_assignments());
  }
  CHECK(courses.size() == 3);
}

TEST_CASE("JointSearch: a finalist can be rejected in the middle of a race") {
  int races = 0;
  for (int batches = 20; batches < 80; ++batches) {
    JointSearch search(request_of({4, 4}, 100));
    std::int64_t run = 0;
    ScriptedTable table([&run](const Assignment& a) { return *close_contest(a) + ++run * 7919 % 1500; });
    table.finish(search, batches);
    const std::vector<SearchTrial> plan = search.plan();
    if (plan.size() < 2) {
      continue;  // only races plan more than one trial
    }
    ++races;
    const Assignment rejected = plan.back().assignment;
    search.reject(0, rejected[0]);
    for (const SearchTrial& trial : search.plan()) {
      CHECK(trial.assignment[0] != rejected[0]);
    }
    table.finish(search);
    CHECK(search.plan().empty());
    CHECK(table.runs() <= 100);
    REQUIRE(search.best());
    CHECK(search.best()->at(0) != rejected[0]);
  }
  CHECK(races > 0);
}

TEST_CASE("JointSearch: all configs of a problem can be rejected at any time") {
  for (int batches = 0; batches < 60; batches += 6) {
    JointSearch search(request_of({4, 4}, 100));
    ScriptedTable table(only_together);
    table.finish(search, batches);
    for (std::size_t config = 0; config < 4; ++config) {
      search.reject(1, config);
    }
    CHECK(search.plan().empty());
    CHECK(search.remaining_runs() == 0);
    CHECK_FALSE(search.best());
  }
}

TEST_CASE("JointSearch takes the walk's samples as visits and its failures as infeasible") {
  SearchRequest request = request_of({2, 2}, 60);
  request.walked = {{{0, 0}, {{100000, {}}, {100000, {}}}}, {{1, 1}, {}}};
  JointSearch search(request);
  CHECK(search.best() == Assignment{0, 0});
  ScriptedTable table([](const Assignment& a) { return Makespan(a[0] == 1 ? 70000 : 100000); });
  table.finish(search);
  const auto& runs = table.run_assignments();
  CHECK(std::find(runs.begin(), runs.end(), Assignment{1, 1}) == runs.end());
  CHECK(search.best() == Assignment{1, 0});
}

TEST_CASE("JointSearch: one visit to the defaults is enough for them to win a tie") {
  SearchRequest request = request_of({2, 2}, 100);
  request.walked = {{{0, 0}, {{100'000, {}}}}, {{1, 1}, {{98'000, {}}}}};
  request.tie_margin = 0;
  CHECK(JointSearch(request).best() == Assignment{1, 1});
  request.tie_margin = 0.05;
  CHECK(JointSearch(request).best() == Assignment{0, 0});
}

TEST_CASE("JointSearch says why it chose, complete or not") {
  SearchRequest request = request_of({4, 4}, 100);
  CHECK(JointSearch(request).reason() == "no feasible assignment was found");
  request.walked = {{{0, 0}, {{100000, {}}, {100000, {}}}}, {{1, 1}, {{90000, {}}, {90000, {}}}}};
  CHECK(JointSearch(request).reason() == "it is expected to have the shortest makespan");
  request.walked.pop_back();
  CHECK(JointSearch(request).reason() == "nothing is expected to be shorter than the defaults");

  auto [search, table] = Searched(request_of({4, 4}, 100), close_contest);
  CHECK(search.plan().empty());
  CHECK(search.best() != Assignment{0, 0});
  CHECK(search.reason() == "it is expected to have the shortest makespan");

  JointSearch kept(request_of({5, 4}, 100));
  ScriptedTable(equal).finish(kept);
  CHECK(kept.reason() == "nothing is expected to be shorter than the defaults");
}

TEST_CASE("JointSearch::best knows of every observation, in the middle of a batch too") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    JointSearch search(request_of({4, 4}, 100, seed));
    ScriptedTable table(close_contest);
    for (int batch = 0; batch < 100 && search.plan().size() < 3; ++batch) {
      table.finish(search, 1);
    }
    REQUIRE(search.plan().size() > 2);
    const Assignment before = *search.best();
    SearchObservation failure;
    failure.trial = {before, 1};
    failure.infeasible = true;
    search.observe(failure);
    CHECK(search.best());
    CHECK(search.best() != before);
  }
}

TEST_CASE("JointSearch begins with what was chosen elsewhere, too") {
  const Assignment elsewhere{5, 2, 7, 3};
  const auto needle = [&](const Assignment& a) { return Makespan(a == elsewhere ? 80000 : 100000); };
  SearchRequest request = request_of({8, 8, 8, 8}, 60);
  request.further_starts = {{1, 1, 1, 1}, elsewhere};
  auto [search, table] = Searched(request, needle);
  REQUIRE(search.best());
  CHECK(*search.best() == elsewhere);
  CHECK_THAT(search.reason(), ContainsSubstring("was chosen elsewhere, too"));
  CHECK(table.runs() <= 60);
  std::set<Assignment> first;
  for (const Assignment& assignment : table.run_assignments()) {
    if (first.insert(assignment).second && first.size() == 3) {
      break;
    }
  }
  CHECK(first == std::set<Assignment>{{0, 0, 0, 0}, {1, 1, 1, 1}, elsewhere});
}

TEST_CASE("JointSearch leaves out what was chosen elsewhere and is no candidate or ruled out") {
  SearchRequest request = request_of({4, 4}, 60);
  request.problems[0].configs[3].candidate = false;
  request.further_starts = {{3, 1}, {2, 2}};
  request.feasible = [](const Assignment& a) { return a != Assignment{2, 2}; };
  auto [search, table] = Searched(request, equal);
  for (const Assignment& assignment : table.run_assignments()) {
    CHECK(assignment[0] != 3);
    CHECK(assignment != Assignment{2, 2});
  }
}

}  // namespace contextual::policy::search::test::joint_search_test
