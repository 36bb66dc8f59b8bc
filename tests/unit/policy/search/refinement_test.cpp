#include "contextual/policy/search/refinement.hpp"

#include "contextual/policy/search/joint_search.hpp"
#include "contextual/policy/search/random_numbers.hpp"
#include "support/catch.hpp"
#include "unit/policy/search/searched.hpp"

#include <contextual/config.hpp>

#include <cstdlib>

namespace contextual::policy::search::test::refinement_test {

namespace {

constexpr int coarse[] = {132, 116, 100};
constexpr int first_fine = 6;  // ids: 132, 116, 100 of each tile, then the others

SearchConfig config(const std::string& tile, int sms, bool refinement) {
  return {Config{{"TILE", tile}, {"SMS", sms}}, true, refinement};
}

/// Two tiles by 132, 116 and 100 multiprocessors; refined: every even number from 84 to 130.
SearchProblem gemm() {
  SearchProblem problem{"gemm", "", {}};
  for (const char* tile : {"large", "small"}) {
    for (const int sms : coarse) {
      problem.configs.push_back(config(tile, sms, false));
    }
  }
  for (const char* tile : {"large", "small"}) {
    for (int sms = 84; sms <= 130; sms += 2) {
      if (sms != 100 && sms != 116) {
        problem.configs.push_back(config(tile, sms, true));
      }
    }
  }
  return problem;
}

/// The same, beside a problem of three configs without refinements.
SearchRequest request(std::int64_t max_runs) {
  SearchRequest request = request_of({1, 3}, max_runs);
  request.problems[0] = gemm();
  return request;
}

int sms_of(std::size_t id) {
  return gemm().configs[id].parameters.get<int>("SMS");
}

std::string tile_of(std::size_t id) {
  return gemm().configs[id].parameters.get<std::string>("TILE");
}

/// Shortest with the small tile on 110 multiprocessors beside config 1.
std::int64_t makespan(const Assignment& a) {
  const int off = std::abs(sms_of(a[0]) - 110);
  return 100000 + 400 * off + (tile_of(a[0]) == "large" ? 3000 : 0) + (a[1] == 1 ? 0 : 4000);
}

std::vector<int> sms_beside(const Refinement& refinement, const SearchSpace& space, const Assignment& a) {
  std::vector<int> found;
  for (const Assignment& next : refinement.beside(a, space)) {
    CHECK(next[1] == a[1]);
    CHECK(tile_of(next[0]) == tile_of(a[0]));
    found.push_back(sms_of(next[0]));
  }
  return found;
}

}  // namespace

TEST_CASE("Refinement::beside goes halfway to the neighbours, and on between what is open") {
  const SearchRequest described = request(100);
  const Refinement refinement(described.problems);
  SearchSpace space(described.problems);
  REQUIRE(refinement.possible());
  CHECK(sms_beside(refinement, space, {1, 0}) == std::vector<int>{108, 124});
  CHECK(sms_beside(refinement, space, {0, 2}) == std::vector<int>{124});      // nothing is above
  CHECK(sms_beside(refinement, space, {2, 2}) == std::vector<int>{92, 108});  // 84 is the last one below
  const Assignment halfway = refinement.beside({1, 0}, space).front();
  space.open(halfway);
  CHECK(space.candidate(halfway));
  CHECK(sms_beside(refinement, space, {1, 0}) == std::vector<int>{112, 124});
  CHECK(sms_beside(refinement, space, halfway) == std::vector<int>{104, 112});
}

TEST_CASE("Refinement::beside has nothing where all are open, rejected or no candidates") {
  SearchRequest described = request(100);
  for (SearchConfig& each : described.problems[0].configs) {
    each.candidate = !each.refinement;
  }
  const Refinement refinement(described.problems);
  const SearchSpace left_out(described.problems);
  CHECK(refinement.beside({1, 0}, left_out).empty());
  SearchSpace space(request(100).problems);
  for (std::size_t id = first_fine; id < gemm().configs.size(); ++id) {
    space.reject(0, id);
    space.open({id, 0});
    CHECK_FALSE(space.candidate(0, id));
  }
  CHECK(refinement.beside({1, 0}, space).empty());
  CHECK_FALSE(Refinement(request_of({4, 4}, 100).problems).possible());
}

TEST_CASE("Refinement::beside steps over what is rejected, and varies no other number") {
  SearchProblem problem{"gemm", "", {}};
  for (const int tile : {64, 128}) {
    for (const int sms : coarse) {
      problem.configs.push_back({Config{{"TILE", tile}, {"SMS", sms}}});
    }
  }
  for (const int tile : {64, 128}) {
    for (const int sms : {104, 108, 112}) {
      problem.configs.push_back({Config{{"TILE", tile}, {"SMS", sms}}, true, true});
    }
  }
  const Refinement refinement({problem});
  SearchSpace space({problem});
  space.reject(0, 7);  // 108 multiprocessors with tile 64
  CHECK(refinement.beside({1}, space) == std::vector<Assignment>{{8}});
  space.open({8});
  CHECK(refinement.beside({8}, space) == std::vector<Assignment>{{6}});
  space.open({6});
  CHECK(refinement.beside({6}, space).empty());  // the same number with tile 128 is another refinement
}

TEST_CASE("JointSearch: where the best one has no refinements, the runs that were kept are used") {
  SearchRequest described = request(400);
  described.problems[0].configs.push_back({Config{{"TILE", "odd"}, {"SMS", 7}}});
  const std::size_t odd = described.problems[0].configs.size() - 1;
  std::uint64_t calls = 0;
  JointSearch search(described);
  ScriptedTable table([&](const Assignment& a) {
    const double noise = 1 + 0.05 * standard_normal(++calls);
    return static_cast<std::int64_t>(noise * (a[0] == odd ? 90000 : 95000));
  });
  table.finish(search);
  REQUIRE(search.best());
  CHECK(table.runs() > 330);  // four fifths are 320
}

TEST_CASE("JointSearch refines the best config, and tries no refinement elsewhere") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SearchRequest described = request(150);
    described.seed = seed;
    JointSearch search(described);
    std::uint64_t calls = seed << 32U;
    ScriptedTable table([&](const Assignment& a) {
      return static_cast<std::int64_t>(static_cast<double>(makespan(a)) *
                                       (1 + 0.002 * standard_normal(++calls)));
    });
    table.finish(search);
    REQUIRE(search.best());
    CAPTURE(seed, *search.best());
    CHECK(makespan(*search.best()) <= 100000 + 2 * 400);
    CHECK(table.runs() <= 150);
    CHECK(search.remaining_runs() == 0);
    std::set<std::size_t> fine;
    bool refining = false;
    for (const Assignment& a : table.run_assignments()) {
      const bool refined = a[0] >= first_fine;
      refining = refining || refined;
      CHECK((!refined || (sms_of(a[0]) > 100 && sms_of(a[0]) < 132)));  // around the best one, 116 or 100
      if (refined) {
        fine.insert(a[0]);
      }
    }
    CHECK(fine.size() <= 12);  // of 44
  }
}

TEST_CASE("JointSearch begins with a refinement that was chosen elsewhere") {
  SearchRequest described = request(60);
  const auto known = std::find_if(described.problems[0].configs.begin(), described.problems[0].configs.end(),
                                  [](const SearchConfig& each) {
                                    return each.parameters == Config{{"TILE", "small"}, {"SMS", 110}};
                                  });
  const auto id = static_cast<std::size_t>(known - described.problems[0].configs.begin());
  described.further_starts = {{id, 1}};
  auto [search, table] = Searched(described, [](const Assignment& a) { return makespan(a); });
  CHECK(search.best() == Assignment{id, 1});
}

TEST_CASE("JointSearch with refinements ends within max_runs, whatever the table") {
  for (std::int64_t max_runs = 1; max_runs <= 61; max_runs += 6) {
    for (const int allowed : {0, 1, 2}) {  // nothing, no refinement, everything
      JointSearch search(request(max_runs));
      ScriptedTable table([&](const Assignment& a) {
        const bool feasible = allowed == 2 || (allowed == 1 && a[0] < first_fine);
        return feasible ? std::optional(makespan(a)) : std::nullopt;
      });
      table.finish(search);
      CAPTURE(max_runs, allowed);
      CHECK(table.runs() <= max_runs);
      CHECK(search.plan().empty());
      CHECK(search.remaining_runs() == 0);
    }
  }
}

}  // namespace contextual::policy::search::test::refinement_test
