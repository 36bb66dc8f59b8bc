#include "report/judging/defaults_comparison.hpp"

#include "support/catch.hpp"

using namespace contextual::log_report;

namespace {

ContestEntry entry(const char* name, double makespan_ns, std::optional<double> gain_ns, bool chosen) {
  ContestEntry entry;
  entry.name = name;
  entry.round_count = 5;
  entry.makespan_ns = makespan_ns;
  entry.gain_ns = gain_ns;
  entry.chosen = chosen;
  return entry;
}

/// The chosen set takes 80 us, all defaults 100 us; by pairs of rounds the defaults take `slower_ns` longer.
Contest verdict(double slower_ns, bool defaults_win) {
  Contest contest;
  contest.kind = ContestKind::verdict;
  contest.entries = {entry("chosen", 80'000, std::nullopt, !defaults_win),
                     entry("defaults", 100'000, -slower_ns, defaults_win)};
  return contest;
}

}  // namespace

TEST_CASE("compared_with_defaults: the change is that of the paired rounds, a part of the defaults' time",
          "[unit]") {
  const Contest contest = verdict(25'000, false);
  const auto comparison = compared_with_defaults({&contest});
  REQUIRE(comparison.has_value());
  CHECK(comparison->chosen_ns == 80'000);
  CHECK(comparison->defaults_ns == 100'000);
  CHECK_THAT(comparison->change, Catch::Matchers::WithinAbs(-0.25, 1e-12));
  CHECK(comparison->round_count == 5);
  CHECK_FALSE(comparison->defaults_came_back);
}

TEST_CASE("compared_with_defaults: the last verdict holds, and the defaults can win it", "[unit]") {
  const Contest first = verdict(25'000, false);
  const Contest last = verdict(-1'000, true);
  const auto comparison = compared_with_defaults({&first, &last});
  REQUIRE(comparison.has_value());
  CHECK(comparison->defaults_came_back);
}

TEST_CASE("compared_with_defaults: other contests and contests without times say nothing", "[unit]") {
  Contest of_a_problem = verdict(25'000, false);
  of_a_problem.kind = ContestKind::problem;
  Contest untimed = verdict(25'000, false);
  untimed.entries[1].makespan_ns = std::nullopt;
  Contest no_entries;
  no_entries.kind = ContestKind::verdict;
  CHECK_FALSE(compared_with_defaults({}).has_value());
  CHECK_FALSE(compared_with_defaults({&of_a_problem}).has_value());
  CHECK_FALSE(compared_with_defaults({&untimed}).has_value());
  CHECK_FALSE(compared_with_defaults({&no_entries}).has_value());
}
