#include "report/judging/search_view.hpp"
#include "support/catch.hpp"

namespace search_gain_test {

using namespace contextual::log_report;
using Catch::Matchers::WithinAbs;
using contextual::ChosenBy;
using contextual::SearchReference;

namespace {

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

std::optional<DefaultsComparison> comparison_of(const SearchResult& search) {
  return compared_with_defaults({view_of(search)});
}

}  // namespace

TEST_CASE("compared_with_defaults: the change is that of the paired rounds, with its interval", "[unit]") {
  const auto comparison = comparison_of(compared());
  REQUIRE(comparison.has_value());
  CHECK(comparison->chosen_ns == 80'000);
  CHECK(comparison->defaults_ns == 100'000);
  CHECK_THAT(comparison->change.centre, WithinAbs(-0.25, 1e-12));
  CHECK_THAT(comparison->change.low, WithinAbs(-0.26, 1e-12));
  CHECK_THAT(comparison->change.high, WithinAbs(-0.24, 1e-12));
  CHECK(comparison->round_count == 5);
  CHECK_FALSE(comparison->defaults_came_back);
}

TEST_CASE("compared_with_defaults: the last search holds, and the defaults can come back", "[unit]") {
  const SearchResult first = compared();
  SearchResult last = compared();
  last.problems[0].config_id = 0;
  last.gain = 0;
  const auto comparison = compared_with_defaults({view_of(first), view_of(last)});
  REQUIRE(comparison.has_value());
  CHECK(comparison->defaults_came_back);
  last.reference = SearchReference::none;
  CHECK_FALSE(compared_with_defaults({view_of(first), view_of(last)}).has_value());
}

TEST_CASE("compared_with_defaults: another reference, or one without times, says nothing", "[unit]") {
  SearchResult infeasible = compared();
  infeasible.reference = SearchReference::first_feasible;
  SearchResult untimed = compared();
  untimed.reference_makespan_ns.reset();
  SearchResult no_gain = compared();
  no_gain.gain.reset();
  CHECK_FALSE(compared_with_defaults({}).has_value());
  CHECK_FALSE(comparison_of(infeasible).has_value());
  CHECK_FALSE(comparison_of(untimed).has_value());
  CHECK_FALSE(comparison_of(no_gain).has_value());
}

}  // namespace search_gain_test
