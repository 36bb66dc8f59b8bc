#include "report/judging/search_view.hpp"

#include "support/catch.hpp"
#include "unit/tools/judging/analysed.hpp"

namespace search_view_test {

using namespace contextual::log_report;
using namespace report_test;
using Catch::Matchers::WithinAbs;
using contextual::ChosenBy;
using contextual::SearchReference;

namespace {

SearchResult two_problems() {
  SearchResult search;
  search.problems = {{nullptr, ChosenBy::makespan, 1, 2}, {nullptr, ChosenBy::not_tuned, 3, 3}};
  search.measured = {{{0, 3}, 4, 200, 1, Standing::other}, {{1, 3}, 5, 100, 1, Standing::choice}};
  search.infeasible = {{{2, 3}, "no progress"}};
  return search;
}

/// The chosen config takes 80 us, the default 100 us; by pairs of rounds it gains 25 %, at least 24, at
/// most 26.
SearchResult compared() {
  SearchResult search;
  search.problems = {{nullptr, ChosenBy::makespan, 1, 1}};
  search.reference = SearchReference::defaults;
  search.reference_config_ids = {0};
  search.round_count = 5;
  search.reference_makespan_ns = 100'000;
  search.choice_makespan_ns = 80'000;
  search.gain = 0.25;
  search.gain_low = 0.24;
  search.gain_high = 0.26;
  return search;
}

std::optional<Change> change_of_last(const SearchResult& search) {
  return change_to_defaults({view_of(search)});
}

}  // namespace

TEST_CASE("analyse: the searches of a run are those of the lowest rank that has some", "[unit]") {
  const Analysed run = analysed(files_of({}));
  REQUIRE(run.analysis.searches.size() == 1);
  const SearchView& search = run.analysis.searches[0];
  CHECK(search.choice == ConfigIds{1, 0});
  CHECK(search.by_own_time == ConfigIds{1, 1});
  CHECK(search.defaults == ConfigIds{0, 0});
  CHECK(search.differing == std::vector<std::size_t>{0, 1});
  CHECK(search.result->problems[0].problem == run.analysis.problems[0].name);
}

TEST_CASE("view_of: the measured assignments are in the order of their makespans, relative to the choice",
          "[unit]") {
  const SearchResult result = two_problems();
  const SearchView search = view_of(result);
  REQUIRE(search.measured.size() == 2);
  CHECK(search.measured[0].config_ids() == ConfigIds{1, 3});
  CHECK_THAT(search.measured[1].to_choice.value_or(0), WithinAbs(1.0, 1e-12));
  CHECK(search.find_infeasible({2, 3})->reason == "no progress");
  CHECK(search.find_infeasible({1, 3}) == nullptr);
  CHECK(search.differing == std::vector<std::size_t>{0});
}

TEST_CASE("view_of: what lost has a gain and one id for each problem; its change is never below -100 %",
          "[unit]") {
  SearchResult result = two_problems();
  result.lost = {{{4, 3}, 0.5, -0.5, 1.36}, {{1}, 0.5, 0.5, 0.5}, {{5, 3}, std::nullopt, 0, 0}};
  const SearchView search = view_of(result);
  REQUIRE(search.lost.size() == 1);
  CHECK(search.lost[0]->config_ids == ConfigIds{4, 3});
  const Change change = change_of(0.5, -0.5, 1.36);
  CHECK(change.centre == -0.5);
  CHECK(change.low == -1);
  CHECK(change.high == 0.5);
  CHECK(change_of(0.25, std::nullopt, std::nullopt).low == -0.25);
}

TEST_CASE("view_of: the defaults are the reference, else config 0 of every problem that was tuned",
          "[unit]") {
  SearchResult result = two_problems();
  CHECK(view_of(result).defaults == ConfigIds{0, 3});
  result.reference = SearchReference::first_feasible;
  result.reference_config_ids = {5, 3};
  CHECK(view_of(result).defaults == ConfigIds{0, 3});
  result.reference = SearchReference::defaults;
  CHECK(view_of(result).defaults == ConfigIds{5, 3});
}

TEST_CASE("view_of: assignments of another number of problems, and times that are none, are left out",
          "[unit]") {
  SearchResult result = two_problems();
  result.measured.push_back({{1}, 5, 100, 1, Standing::other});
  result.measured.push_back({{4, 3}, 5, std::nullopt, 1, Standing::other});
  result.measured.push_back({{5, 3}, 5, -1, 1, Standing::other});
  result.infeasible.push_back({{1, 2, 3}, "too many"});
  result.reference = SearchReference::defaults;
  result.reference_config_ids = {7};
  const SearchView search = view_of(result);
  CHECK(search.measured.size() == 2);
  CHECK(search.infeasible.size() == 1);
  CHECK(search.defaults == ConfigIds{0, 3});
}

TEST_CASE("view_of: a search without a choice has none, and compares with nothing", "[unit]") {
  SearchResult result = two_problems();
  result.problems[1].config_id.reset();
  result.measured[1].standing = Standing::other;
  const SearchView search = view_of(result);
  CHECK(search.choice.empty());
  CHECK(search.defaults.empty());
  CHECK_FALSE(search.measured[0].to_choice.has_value());
}

TEST_CASE("change_to_defaults: it is that of the paired rounds, with its interval", "[unit]") {
  const auto change = change_of_last(compared());
  REQUIRE(change.has_value());
  CHECK_THAT(change->centre, WithinAbs(-0.25, 1e-12));
  CHECK_THAT(change->low, WithinAbs(-0.26, 1e-12));
  CHECK_THAT(change->high, WithinAbs(-0.24, 1e-12));
}

TEST_CASE("change_to_defaults: the last search holds, and the defaults can come back", "[unit]") {
  const SearchResult first = compared();
  SearchResult last = compared();
  last.problems[0].config_id = 0;
  last.gain = 0;
  CHECK_FALSE(change_to_defaults({view_of(first), view_of(last)}).has_value());
  CHECK(change_to_defaults({view_of(last), view_of(first)}).has_value());
}

TEST_CASE("change_to_defaults: another reference, or a comparison without a gain, says nothing", "[unit]") {
  SearchResult infeasible = compared();
  infeasible.reference = SearchReference::first_feasible;
  SearchResult no_gain = compared();
  no_gain.gain.reset();
  CHECK_FALSE(change_to_defaults({}).has_value());
  CHECK_FALSE(change_of_last(infeasible).has_value());
  CHECK_FALSE(change_of_last(no_gain).has_value());
}

}  // namespace search_view_test
