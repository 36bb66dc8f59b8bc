#include "contextual/policy/selection.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

using contextual::policy::Entrant;
using contextual::policy::select;

namespace {

Entrant entrant(std::size_t config_id, double centre_ns, double standard_error_ns = 0) {
  return {config_id, {5, centre_ns, standard_error_ns, standard_error_ns}};
}

}  // namespace

TEST_CASE("selection among nobody is empty", "[unit]") {
  CHECK_FALSE(select({}, 0.005));
}

TEST_CASE("selection takes the fastest and says how much shorter it is", "[unit]") {
  const auto selection = select({entrant(0, 1000), entrant(1, 900), entrant(2, 877)}, 0.005);
  REQUIRE(selection);
  CHECK(selection->config_id == 2);
  CHECK(selection->reason == "fastest by own time, 12.3 % shorter than the default");
}

TEST_CASE("selection within the margin goes to the default", "[unit]") {
  const auto selection = select({entrant(2, 1000), entrant(0, 1004), entrant(1, 1003)}, 0.005);
  REQUIRE(selection);
  CHECK(selection->config_id == 0);
  CHECK(selection->reason == "tie with config-2: the default wins");
}

TEST_CASE("selection within the margin without the default goes to the lower index", "[unit]") {
  const auto selection = select({entrant(0, 2000), entrant(3, 1000), entrant(1, 1004)}, 0.005);
  REQUIRE(selection);
  CHECK(selection->config_id == 1);
  CHECK(selection->reason == "tie with config-3: the lower index wins");
}

TEST_CASE("selection just outside the margin goes to the fastest", "[unit]") {
  CHECK(select({entrant(0, 1006), entrant(1, 1000)}, 0.005)->config_id == 1);
}

TEST_CASE("selection within twice the combined standard error is a tie", "[unit]") {
  CHECK(select({entrant(0, 1090, 30), entrant(1, 1000, 40)}, 0.005)->config_id == 0);
  CHECK(select({entrant(0, 1110, 30), entrant(1, 1000, 40)}, 0.005)->config_id == 1);
}

TEST_CASE("selection of exactly equal centres goes to the lower index", "[unit]") {
  CHECK(select({entrant(5, 1000), entrant(4, 1000)}, 0)->config_id == 4);
}

TEST_CASE("selection says when the default is the fastest, alone or not measured", "[unit]") {
  CHECK(select({entrant(0, 500), entrant(1, 1000)}, 0.005)->reason ==
        "the default is the fastest by own time");
  CHECK(select({entrant(3, 500)}, 0.005)->reason == "the only config with times");
  CHECK(select({entrant(3, 500), entrant(4, 900)}, 0.005)->reason ==
        "fastest by own time, the default has no times");
}
