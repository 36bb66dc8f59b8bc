#include "contextual/record/make_events.hpp"
#include "support/catch.hpp"

namespace limit_event_test {

using namespace contextual;
using namespace contextual::record;

TEST_CASE("limit_of: the longest part is the limit, and hidden is the share of the others behind it",
          "[unit]") {
  const LimitReport report = limit_of({"r", {310, 300, 320}}, {{"a", {100, 140, 120}}, {"b", {250, 250}}});
  CHECK(report.result.centre_ns == 310);
  REQUIRE(report.parts.size() == 2);
  CHECK(report.parts[0].name == "a");
  CHECK(report.parts[0].makespan.centre_ns == 120);
  CHECK(report.limit_ns == 250.0);
  CHECK(report.hidden == 0.5);
  const Limit event = limit_event(report, 3);
  CHECK(event.round_count == 3);
  CHECK(event.parts[1].makespan_ns == 250.0);
  CHECK(event.hidden == 0.5);
}

TEST_CASE("limit_of: nothing is hidden of a single part, nor where a time is missing", "[unit]") {
  const LimitReport single = limit_of({"r", {310}}, {{"a", {100}}});
  CHECK(single.limit_ns == 100.0);
  CHECK_FALSE(single.hidden.has_value());
  const LimitReport no_part = limit_of({"r", {310}}, {{"a", {100}}, {"b", {}}});
  CHECK_FALSE(no_part.limit_ns.has_value());
  CHECK_FALSE(no_part.hidden.has_value());
  CHECK_FALSE(limit_event(no_part, 5).parts[1].makespan_ns.has_value());
  const LimitReport no_result = limit_of({"r", {}}, {{"a", {100}}, {"b", {50}}});
  CHECK(no_result.limit_ns == 100.0);
  CHECK_FALSE(no_result.hidden.has_value());
}

TEST_CASE("limit: the report says parts, region, limit and hidden; nothing without parts", "[unit]") {
  RegionReport report;
  CHECK(report.limit_text().empty());
  report.limit = limit_of({"r", {310'000}}, {{"a", {120'000}}, {"b", {250'000}}});
  CHECK(report.limit_text() ==
        "part a: 0.12 ms\npart b: 0.25 ms\nthe region: 0.31 ms\nlimit, which is the longest part: 0.25 ms\n"
        "hidden: 50.0 % of what the other parts take is hidden behind the longest one\n");
}

}  // namespace limit_event_test
