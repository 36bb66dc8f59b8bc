#include "report/trace/lanes.hpp"

#include "support/catch.hpp"

namespace lanes_test {

using namespace contextual::log_report;

TEST_CASE("lanes_of: intervals that touch share a lane, those that overlap do not", "[unit]") {
  CHECK(lanes_of({{0, 10}, {10, 20}, {20, 30}}) == std::vector<std::size_t>{0, 0, 0});
  CHECK(lanes_of({{0, 10}, {9, 20}, {10, 30}, {15, 16}}) == std::vector<std::size_t>{0, 1, 0, 2});
}

TEST_CASE("lanes_of: the order of the intervals does not matter", "[unit]") {
  CHECK(lanes_of({{10, 30}, {0, 10}, {9, 20}}) == std::vector<std::size_t>{0, 0, 1});
  CHECK(lanes_of({}).empty());
}

}  // namespace lanes_test
