#include "searches/coordinate_descent.hpp"
#include "searches/model_top_k.hpp"
#include "searches/random_search.hpp"
#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"

#include <contextual/testing/search_conformance.hpp>

namespace contextual::policy::search::test::searches_test {

using examples::CoordinateDescent;
using examples::ModelTopK;
using examples::RandomSearch;
using testing::check_search;

namespace {

using Makespan = std::optional<std::int64_t>;

/// 5 by 4 configs with the best at {3, 2}, to which every single step in its direction leads.
Makespan bowl(const Assignment& a) {
  const auto square = [](std::size_t x, std::int64_t best) {
    return (static_cast<std::int64_t>(x) - best) * (static_cast<std::int64_t>(x) - best);
  };
  return 100000 + 3000 * square(a[0], 3) + 2000 * square(a[1], 2);
}

/// The problems of `bowl`, with their config ids as parameters.
SearchRequest bowl_request(std::int64_t max_runs) {
  SearchRequest request = request_of({5, 4}, max_runs);
  for (SearchProblem& problem : request.problems) {
    for (std::size_t config = 0; config < problem.configs.size(); ++config) {
      problem.configs[config].parameters.set("tile", static_cast<int>(config));
    }
  }
  return request;
}

Assignment assignment_of(const std::vector<Config>& configs) {
  Assignment assignment;
  for (const Config& config : configs) {
    assignment.push_back(static_cast<std::size_t>(config.get<int>("tile")));
  }
  return assignment;
}

double right_cost(const std::vector<Config>& configs) {
  return static_cast<double>(*bowl(assignment_of(configs)));
}

std::set<Assignment> run_by(const ScriptedTable& table) {
  return {table.run_assignments().begin(), table.run_assignments().end()};
}

}  // namespace

TEST_CASE("examples: every search keeps the contract") {
  const std::vector<std::string> none;
  CHECK(check_search([](const SearchRequest& r) { return std::make_unique<CoordinateDescent>(r); }) == none);
  CHECK(check_search([](const SearchRequest& r) { return std::make_unique<RandomSearch>(r); }) == none);
  CHECK(check_search([](const SearchRequest& r) {
          const auto cost = [](const std::vector<Config>& c) { return static_cast<double>(c.size()); };
          return std::make_unique<ModelTopK>(r, cost, 4);
        }) == none);
}

TEST_CASE("examples::CoordinateDescent finds the best of a bowl, and ends there") {
  CoordinateDescent search(bowl_request(400));
  ScriptedTable table(bowl);
  table.finish(search);
  CHECK(search.best() == Assignment{3, 2});
  CHECK(search.plan().empty());
  CHECK(search.remaining_runs() == 0);
  CHECK(table.runs() < 200);
}

TEST_CASE("examples::CoordinateDescent visits the incumbent before each challenger") {
  CoordinateDescent search(bowl_request(400));
  ScriptedTable table([](const Assignment&) { return Makespan(100000); });
  std::vector<Assignment> visits;
  while (!search.plan().empty()) {
    const Assignment assignment = search.plan().front().assignment;
    if (visits.empty() || visits.back() != assignment) {
      visits.push_back(assignment);
    }
    table.step({&search});
  }
  REQUIRE(visits.size() == 2 * (4 + 3));  // every change of one config, once
  for (std::size_t i = 0; i < visits.size(); i += 2) {
    CHECK(visits[i] == Assignment{0, 0});
  }
  CHECK(search.best() == Assignment{0, 0});
}

TEST_CASE("examples::CoordinateDescent is not misled by a device that becomes slower") {
  std::int64_t run = 0;
  CoordinateDescent search(bowl_request(400));
  ScriptedTable([&run](const Assignment& a) { return Makespan(*bowl(a) + 50 * ++run); }).finish(search);
  CHECK(search.best() == Assignment{3, 2});
}

TEST_CASE("examples::CoordinateDescent leaves an infeasible start") {
  CoordinateDescent search(bowl_request(400));
  ScriptedTable([](const Assignment& a) { return a[0] == 0 ? Makespan() : bowl(a); }).finish(search);
  CHECK(search.best() == Assignment{3, 2});
}

TEST_CASE("examples::CoordinateDescent goes on without an incumbent that is rejected") {
  CoordinateDescent search(bowl_request(400));
  ScriptedTable table(bowl);
  table.finish(search, 60);
  REQUIRE(search.best());
  const Assignment before = *search.best();
  search.reject(0, before[0]);
  table.finish(search);
  REQUIRE(search.best());
  CHECK(search.best()->at(0) != before[0]);
  CHECK(search.best()->at(1) == 2);
}

TEST_CASE("examples::ModelTopK with a right cost function needs one visit") {
  ModelTopK search(bowl_request(400), right_cost, 1);
  ScriptedTable table(bowl);
  table.finish(search);
  CHECK(search.best() == Assignment{3, 2});
  CHECK(table.runs() == 1 + 1 + 3);  // a first run, a lead-in and three samples
}

TEST_CASE("examples::ModelTopK measures the k that are predicted to be the cheapest") {
  ModelTopK search(bowl_request(400), right_cost, 3);
  ScriptedTable table(bowl);
  table.finish(search);
  CHECK(run_by(table) == std::set<Assignment>{{3, 2}, {3, 1}, {3, 3}});
}

TEST_CASE("examples::ModelTopK: the makespan decides among the k, not the model") {
  const auto nearly_right = [](const std::vector<Config>& configs) {
    const Assignment a = assignment_of(configs);
    return right_cost(configs) - (a == Assignment{2, 2} ? 4000 : 0);
  };
  ModelTopK one(bowl_request(400), nearly_right, 1);
  ScriptedTable(bowl).finish(one);
  CHECK(one.best() == Assignment{2, 2});
  ModelTopK two(bowl_request(400), nearly_right, 2);
  ScriptedTable(bowl).finish(two);
  CHECK(two.best() == Assignment{3, 2});
}

TEST_CASE("examples::ModelTopK replaces what is infeasible by the next of the prediction") {
  ModelTopK search(bowl_request(400), right_cost, 2);
  ScriptedTable table([](const Assignment& a) { return a == Assignment{3, 2} ? Makespan() : bowl(a); });
  table.finish(search);
  CHECK(run_by(table) == std::set<Assignment>{{3, 2}, {3, 1}, {3, 3}});
  CHECK(search.best() == Assignment{3, 1});
}

TEST_CASE("examples::RandomSearch finds the best of a small space, and visits nothing twice") {
  RandomSearch search(bowl_request(400));
  ScriptedTable table(bowl);
  table.finish(search);
  CHECK(search.best() == Assignment{3, 2});
  CHECK(table.runs() == 20 * 3);  // a first run, a lead-in and a sample each
  CHECK(run_by(table).size() == 20);
}

TEST_CASE("examples::RandomSearch begins with the start and draws by the request's seed") {
  const auto course = [](std::uint64_t seed) {
    SearchRequest request = bowl_request(30);
    request.seed = seed;
    request.start = {4, 1};
    RandomSearch search(request);
    ScriptedTable table(bowl);
    table.finish(search);
    return table.run_assignments();
  };
  CHECK(course(1).front() == Assignment{4, 1});
  CHECK(course(1) == course(1));
  CHECK(course(1) != course(2));
}

}  // namespace contextual::policy::search::test::searches_test
