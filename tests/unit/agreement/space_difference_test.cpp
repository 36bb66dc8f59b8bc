#include "contextual/agreement/space_difference.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace space_difference_test {

using namespace contextual;
using agreement::parameters_of;
using agreement::space_difference;

namespace {

/// Seen from rank 1, beside rank 0.
std::string difference(const std::vector<Config>& ours, const std::vector<Config>& theirs) {
  return space_difference(1, parameters_of({ours.size(), 0, ours}), 0,
                          parameters_of({theirs.size(), 0, theirs}));
}

}  // namespace

TEST_CASE("space difference: the values that only one rank has are named with their parameter", "[unit]") {
  CHECK(difference({{{"TILE", 1}}, {{"TILE", 2}}, {{"TILE", 8}}},
                   {{{"TILE", 1}}, {{"TILE", 2}}, {{"TILE", 4}}}) ==
        "parameter TILE: only rank 1 has 8, only rank 0 has 4");
  CHECK(difference({{{"TILE", 1}}}, {{{"TILE", 1}}, {{"TILE", 2}}, {{"TILE", 3}}}) ==
        "parameter TILE: only rank 0 has 2, 3");
  CHECK(difference({{{"IMPL", "mma"}, {"FAST", true}}}, {{{"IMPL", "simt"}, {"FAST", false}}}) ==
        "parameter FAST: only rank 1 has true, only rank 0 has false; "
        "parameter IMPL: only rank 1 has \"mma\", only rank 0 has \"simt\"");
}

TEST_CASE("space difference: a parameter that only one rank has is named", "[unit]") {
  CHECK(difference({{{"TILE", 1}, {"SMS", 132}}}, {{{"TILE", 1}}}) == "only rank 1 has a parameter SMS");
  CHECK(difference({{{"TILE", 1}}}, {{{"TILE", 1}, {"SMS", 132}}}) == "only rank 0 has a parameter SMS");
}

TEST_CASE("space difference: another order of values is told with both orders", "[unit]") {
  CHECK(difference({{{"TILE", 1}}, {{"TILE", 2}}}, {{{"TILE", 2}}, {{"TILE", 1}}}) ==
        "parameter TILE: rank 1 has [1,2], rank 0 has [2,1]");
}

TEST_CASE("space difference: equal values in other combinations point to the constraints", "[unit]") {
  const std::vector<Config> all{
      {{"A", 1}, {"B", 1}}, {{"A", 1}, {"B", 2}}, {{"A", 2}, {"B", 1}}, {{"A", 2}, {"B", 2}}};
  const std::vector<Config> some(all.begin(), all.end() - 1);
  CHECK(difference(all, some) ==
        "every parameter has the same values, but their combinations differ: look at the constraints and at "
        "the "
        "default");
}

}  // namespace space_difference_test
