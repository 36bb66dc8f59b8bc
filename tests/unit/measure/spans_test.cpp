#include "support/catch.hpp"

#include <contextual/detail/measure/spans.hpp>

namespace contextual::measure::spans_test {

namespace {

using Spans = std::vector<Span>;

/// Both ways round, which must say the same.
bool overlap(const Spans& a, const Spans& b) {
  const bool there = measure::overlap(merged(a), merged(b));
  CHECK(measure::overlap(merged(b), merged(a)) == there);
  return there;
}

}  // namespace

TEST_CASE("busy_ns: no span, no time") {
  CHECK(busy_ns({}) == 0);
}

TEST_CASE("busy_ns: one span is its length") {
  CHECK(busy_ns(std::vector<Span>{{100, 350, 0}}) == 250);
  CHECK(busy_ns(std::vector<Span>{{-50, 50, -1}}) == 100);
}

TEST_CASE("busy_ns: a span that ends at or before its begin is ignored") {
  CHECK(busy_ns(std::vector<Span>{{10, 10, 0}}) == 0);
  CHECK(busy_ns(std::vector<Span>{{10, 5, 0}}) == 0);
  CHECK(busy_ns(std::vector<Span>{{10, 5, 0}, {20, 23, 0}, {0, 0, 0}}) == 3);
}

TEST_CASE("busy_ns: gaps do not count, overlaps count once") {
  CHECK(busy_ns(std::vector<Span>{{0, 10, 0}, {20, 30, 0}}) == 20);
  CHECK(busy_ns(std::vector<Span>{{0, 10, 0}, {5, 12, 0}}) == 12);
  CHECK(busy_ns(std::vector<Span>{{0, 10, 0}, {10, 12, 0}}) == 12);
  CHECK(busy_ns(std::vector<Span>{{0, 100, 0}, {20, 30, 0}, {90, 95, 0}}) == 100);
}

TEST_CASE("busy_ns: the order of the spans is of no consequence") {
  CHECK(busy_ns(std::vector<Span>{{20, 30, 0}, {5, 12, 0}, {0, 10, 0}}) == 22);
}

TEST_CASE("busy_ns: devices are united apart and the busiest counts") {
  CHECK(busy_ns(std::vector<Span>{{0, 10, 0}, {0, 7, 1}, {20, 26, 1}}) == 13);
  CHECK(busy_ns(std::vector<Span>{{0, 10, 1}, {5, 12, 0}}) == 10);
  CHECK(busy_ns(std::vector<Span>{{0, 10, -1}, {5, 9, 0}, {3, 3, 2}}) == 10);
}

TEST_CASE("extents: on each device from the first begin to the last end") {
  const Spans spans = extents(Spans{{20, 30, 0}, {5, 12, 0}, {7, 9, 1}, {50, 40, 0}, {0, 0, 1}, {8, 20, 1}});
  REQUIRE(spans.size() == 2);
  CHECK(busy_ns(std::vector{spans[0]}) == 25);
  CHECK(spans[1].device == 1);
  CHECK(spans[1].begin_ns == 7);
  CHECK(spans[1].end_ns == 20);
  CHECK(extents(Spans{{3, 3, 0}}).empty());
}

TEST_CASE("merged: sorted, disjoint, without what is no span") {
  const Spans spans =
      merged(Spans{{30, 40, 1}, {5, 5, 0}, {20, 25, 0}, {0, 10, 0}, {10, 12, 0}, {22, 30, 0}});
  REQUIRE(spans.size() == 3);
  CHECK(spans[0].begin_ns == 0);
  CHECK(spans[0].end_ns == 12);
  CHECK(spans[1].begin_ns == 20);
  CHECK(spans[1].end_ns == 30);
  CHECK(spans[2].device == 1);
}

TEST_CASE("overlap: spans of one device at the same time") {
  CHECK(overlap({{0, 100, 0}}, {{50, 150, 0}}));
  CHECK(overlap({{0, 100, 0}}, {{40, 41, 0}}));  // all of the shorter one
  CHECK(overlap({{0, 10, 0}, {100, 110, 0}, {200, 210, 0}}, {{20, 90, 0}, {205, 300, 0}}));
  CHECK(overlap({{0, 10, -1}}, {{5, 15, -1}}));
}

TEST_CASE("overlap: one after the other, also end to begin, is none") {
  CHECK_FALSE(overlap({{0, 100, 0}}, {{100, 150, 0}}));
  CHECK_FALSE(overlap({{0, 10, 0}, {20, 30, 0}, {40, 50, 0}}, {{10, 20, 0}, {30, 40, 0}, {50, 60, 0}}));
  CHECK_FALSE(overlap({{0, 100, 0}}, {{20, 10, 0}, {50, 50, 0}}));
  CHECK_FALSE(overlap({}, {{0, 10, 0}}));
}

TEST_CASE("overlap: different devices have none") {
  CHECK_FALSE(overlap({{0, 100, 0}}, {{0, 100, 1}}));
  CHECK_FALSE(overlap({{0, 100, -1}, {0, 100, 2}}, {{0, 100, 1}, {0, 100, 3}}));
  CHECK(overlap({{0, 100, -1}, {0, 100, 2}, {0, 9, 5}}, {{0, 100, 1}, {50, 100, 2}}));
}

TEST_CASE("overlap: up to 2 % of the shorter busy time do not count") {
  CHECK_FALSE(overlap({{0, 1'000, 0}}, {{980, 5'000, 0}}));
  CHECK(overlap({{0, 1'000, 0}}, {{979, 5'000, 0}}));
  // The busy time is that of all spans, and overlaps add up.
  CHECK_FALSE(overlap({{0, 500, 0}, {1'000, 1'500, 0}}, {{490, 1'010, 0}, {3'000, 4'000, 0}}));
  CHECK(overlap({{0, 500, 0}, {1'000, 1'500, 0}}, {{489, 1'010, 0}, {3'000, 4'000, 0}}));
  // Busy time on another device makes nothing smaller.
  CHECK(overlap({{0, 100, 0}, {0, 100'000, 1}}, {{90, 200, 0}, {200'000, 300'000, 1}}));
}

}  // namespace contextual::measure::spans_test
