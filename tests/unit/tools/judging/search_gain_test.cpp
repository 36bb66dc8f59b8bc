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

std::optional<Change> change_of_last(const SearchResult& search) {
  return change_to_defaults({view_of(search)});
}

}  // namespace

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

}  // namespace search_gain_test
