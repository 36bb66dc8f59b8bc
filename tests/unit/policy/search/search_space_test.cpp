#include "contextual/policy/search/search_space.hpp"

#include "support/catch.hpp"

#include <contextual/config.hpp>

namespace contextual::policy::search::search_space_test {

namespace {

/// Two tile sizes and two stages, which share values; then three configs without parameters.
std::vector<SearchProblem> problems() {
  return {{"gemm",
           "",
           {{Config{{"tile", 64}, {"stages", 2}}},
            {Config{{"tile", 64}, {"stages", 4}}},
            {Config{{"tile", 128}, {"stages", 4}}}}},
          {"copy", "", {{}, {}, {}}}};
}

}  // namespace

TEST_CASE("SearchSpace counts problems, configs and assignments") {
  const SearchSpace space(problems());
  CHECK(space.problem_count() == 2);
  CHECK(space.config_count(0) == 3);
  CHECK(space.config_count(1) == 3);
  CHECK(space.size(100) == 9);
  CHECK(space.size(9) == 9);
  CHECK(space.size(4) == 4);
}

TEST_CASE("SearchSpace: what is left out or rejected is no candidate") {
  auto described = problems();
  described[0].configs[1].candidate = false;
  SearchSpace space(described);
  CHECK_FALSE(space.candidate(0, 1));
  CHECK(space.candidate({2, 0}));
  CHECK_FALSE(space.candidate({1, 0}));
  CHECK(space.size(100) == 6);

  space.reject(1, 0);
  CHECK_FALSE(space.candidate(1, 0));
  CHECK_FALSE(space.candidate({2, 0}));
  CHECK(space.candidate({2, 1}));
  CHECK(space.size(100) == 4);
}

TEST_CASE("SearchSpace: without a candidate of some problem there is no assignment") {
  SearchSpace space(problems());
  for (std::size_t config = 0; config < 3; ++config) {
    space.reject(0, config);
  }
  CHECK(space.size(100) == 0);
}

TEST_CASE("SearchSpace::size of a huge space is the limit") {
  const std::vector<SearchProblem> many(100, problems()[0]);
  CHECK(SearchSpace(many).size(1000) == 1000);
}

TEST_CASE("SearchSpace::matches counts the problems with the same config") {
  const SearchSpace space(problems());
  CHECK(space.matches({0, 1}, {0, 1}) == 2);
  CHECK(space.matches({0, 1}, {0, 2}) == 1);
  CHECK(space.matches({0, 1}, {1, 0}) == 0);
}

TEST_CASE("SearchSpace::likeness is the share of equal parameters, averaged over problems") {
  const SearchSpace space(problems());
  CHECK(space.likeness({0, 0}, {0, 0}) == 1);
  CHECK(space.likeness({0, 0}, {1, 0}) == Approx((0.5 + 1) / 2));  // the tile
  CHECK(space.likeness({1, 0}, {2, 1}) == Approx(0.5 / 2));        // the stages
  CHECK(space.likeness({0, 0}, {2, 1}) == 0);
}

TEST_CASE("SearchSpace::parameters: a word for each value, its own for a config without any") {
  const SearchSpace space(problems());
  REQUIRE(space.parameters(0, 0).size() == 2);
  CHECK(space.parameters(0, 0)[0] == space.parameters(0, 1)[0]);
  CHECK(space.parameters(0, 0)[1] != space.parameters(0, 1)[1]);
  CHECK(space.parameters(0, 1)[1] == space.parameters(0, 2)[1]);
  REQUIRE(space.parameters(1, 0).size() == 1);
  CHECK(space.parameters(1, 0) != space.parameters(1, 1));
}

TEST_CASE("SearchSpace::parameters of different problems differ") {
  const SearchSpace space({problems()[0], problems()[0]});
  std::set<std::uint64_t> words;
  for (std::size_t problem = 0; problem < 2; ++problem) {
    for (std::size_t config = 0; config < 3; ++config) {
      const auto& parameters = space.parameters(problem, config);
      words.insert(parameters.begin(), parameters.end());
    }
  }
  CHECK(words.size() == 2 * 4);  // two tiles and two stages each
}

TEST_CASE("SearchSpace::advance goes through all assignments, or all of the later problems") {
  const SearchSpace space(std::vector<SearchProblem>{{"a", "", std::vector<SearchConfig>(2)},
                                                     {"b", "", std::vector<SearchConfig>(3)}});
  Assignment place{0, 0};
  int steps = 1;
  while (space.advance(place)) {
    ++steps;
  }
  CHECK(steps == 6);
  CHECK(place == Assignment{0, 0});
  REQUIRE(space.advance(place));
  CHECK(place == Assignment{1, 0});
  REQUIRE(space.advance(place, 1));
  CHECK(place == Assignment{1, 1});
  REQUIRE(space.advance(place, 1));
  CHECK_FALSE(space.advance(place, 1));
  CHECK(place == Assignment{1, 0});
}

TEST_CASE("SearchSpace::advance passes over what is no candidate") {
  SearchSpace space(std::vector<SearchProblem>{{"a", "", std::vector<SearchConfig>(3)},
                                               {"b", "", std::vector<SearchConfig>(4)}});
  for (const auto& [problem, config] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {1, 0}, {1, 2}}) {
    space.reject(problem, config);
  }
  std::optional<Assignment> place = space.first();
  REQUIRE(place);
  std::vector<Assignment> places;
  do {
    places.push_back(*place);
  } while (space.advance(*place));
  CHECK(places == std::vector<Assignment>{{1, 1}, {2, 1}, {1, 3}, {2, 3}});
  CHECK(place == space.first());
  space.reject(0, 1);
  space.reject(0, 2);
  CHECK_FALSE(space.first());
}

}  // namespace contextual::policy::search::search_space_test
