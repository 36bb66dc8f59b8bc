#include "support/catch.hpp"

#include <contextual/detail/measure/spans.hpp>

#include <vector>

using contextual::Span;
using contextual::measure::busy_ns;

TEST_CASE("busy_ns: no span, no time", "[unit]") {
  CHECK(busy_ns({}) == 0);
}

TEST_CASE("busy_ns: one span is its length", "[unit]") {
  CHECK(busy_ns(std::vector<Span>{{100, 350, 0}}) == 250);
  CHECK(busy_ns(std::vector<Span>{{-50, 50, -1}}) == 100);
}

TEST_CASE("busy_ns: a span that ends at or before its begin is ignored", "[unit]") {
  CHECK(busy_ns(std::vector<Span>{{10, 10, 0}}) == 0);
  CHECK(busy_ns(std::vector<Span>{{10, 5, 0}}) == 0);
  CHECK(busy_ns(std::vector<Span>{{10, 5, 0}, {20, 23, 0}, {0, 0, 0}}) == 3);
}

TEST_CASE("busy_ns: gaps do not count, overlaps count once", "[unit]") {
  CHECK(busy_ns(std::vector<Span>{{0, 10, 0}, {20, 30, 0}}) == 20);
  CHECK(busy_ns(std::vector<Span>{{0, 10, 0}, {5, 12, 0}}) == 12);
  CHECK(busy_ns(std::vector<Span>{{0, 10, 0}, {10, 12, 0}}) == 12);
  CHECK(busy_ns(std::vector<Span>{{0, 100, 0}, {20, 30, 0}, {90, 95, 0}}) == 100);
}

TEST_CASE("busy_ns: the order of the spans is of no consequence", "[unit]") {
  CHECK(busy_ns(std::vector<Span>{{20, 30, 0}, {5, 12, 0}, {0, 10, 0}}) == 22);
}

TEST_CASE("busy_ns: devices are united apart and the busiest counts", "[unit]") {
  CHECK(busy_ns(std::vector<Span>{{0, 10, 0}, {0, 7, 1}, {20, 26, 1}}) == 13);
  CHECK(busy_ns(std::vector<Span>{{0, 10, 1}, {5, 12, 0}}) == 10);
  CHECK(busy_ns(std::vector<Span>{{0, 10, -1}, {5, 9, 0}, {3, 3, 2}}) == 10);
}
