/// \file
/// The configs of a space whose parameters have given values.

#include "support/catch.hpp"

#include <contextual/config_space.hpp>
#include <contextual/detail/config/fixed_configs.hpp>
#include <contextual/error.hpp>

#include <vector>

namespace fixed_configs_test {

using namespace contextual;

namespace {

SpaceView space() {
  return ConfigSpace<Config>{{"BLOCK", {64, 128}}, {"SHARE", {0.5, 2.0}}, {"IMPL", {"mma", "simt"}}}.view();
}

}  // namespace

TEST_CASE("fixed configs: all configs with the values, in the order of the space", "[unit]") {
  const auto some = detail::configs_with(space(), {{"IMPL", "simt"}, {"BLOCK", 128}}, "f");
  CHECK(some.config_ids == std::vector<std::size_t>{5, 7});
  CHECK(some.text == "{BLOCK: 128, IMPL: simt}");  // in the order of the parameters
}

TEST_CASE(
    "fixed configs: an integer stands for the same floating-point number, and nothing else is converted",
    "[unit]") {
  CHECK(detail::configs_with(space(), {{"SHARE", 2}}, "f").config_ids.size() == 4);
  CHECK(detail::configs_with(space(), {{"SHARE", 2}}, "f").text == "{SHARE: 2.0}");
  CHECK_THROWS_AS(detail::configs_with(space(), {{"BLOCK", 128.0}}, "f"), InvalidArgument);
  CHECK_THROWS_AS(detail::configs_with(space(), {{"BLOCK", true}}, "f"), InvalidArgument);
}

TEST_CASE("fixed configs: an unknown parameter and values that no config has are errors", "[unit]") {
  CHECK_THROWS_AS(detail::configs_with(space(), {{"WARPS", 4}}, "f"), InvalidArgument);
  CHECK_THROWS_AS(detail::configs_with(space(), {{"BLOCK", 64}, {"IMPL", "wmma"}}, "f"), InvalidArgument);
}

}  // namespace fixed_configs_test
