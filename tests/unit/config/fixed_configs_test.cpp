/// \file
/// The configs of a space whose parameters have given values.

#include "support/engine.hpp"

#include <contextual/detail/config/fixed_configs.hpp>

namespace contextual::fixed_configs_test {

namespace {

struct Floats {
  float ratio = 0.1F;
  double share = 0.1;
};

SpaceView space() {
  return ConfigSpace<Config>{{"BLOCK", {64, 128}}, {"SHARE", {0.5, 2.0}}, {"IMPL", {"mma", "simt"}}}.view();
}

}  // namespace

TEST_CASE("fixed configs: all configs with the values, in the order of the space") {
  const auto some = detail::configs_with(space(), {{"IMPL", "simt"}, {"BLOCK", 128}}, "f");
  CHECK(some.config_ids == std::vector<std::size_t>{5, 7});
  CHECK(some.text == "{BLOCK: 128, IMPL: simt}");  // in the order of the parameters
}

TEST_CASE(
    "fixed configs: an integer stands for the same floating-point number, and nothing else is converted") {
  CHECK(detail::configs_with(space(), {{"SHARE", 2}}, "f").config_ids.size() == 4);
  CHECK(detail::configs_with(space(), {{"SHARE", 2}}, "f").text == "{SHARE: 2.0}");
  CHECK_THROWS_AS(detail::configs_with(space(), {{"BLOCK", 128.0}}, "f"), InvalidArgument);
  CHECK_THROWS_AS(detail::configs_with(space(), {{"BLOCK", true}}, "f"), InvalidArgument);
}

TEST_CASE("fixed configs: a number stands for the float that it is rounded to, unless it is there itself") {
  const SpaceView floats =
      ConfigSpace<Floats>{{"RATIO", &Floats::ratio, {0.1F, 0.2F}}, {"SHARE", &Floats::share, {0.1, 0.2}}}
          .view();
  CHECK(detail::configs_with(floats, {{"RATIO", 0.2}}, "f").config_ids == std::vector<std::size_t>{2, 3});
  CHECK(detail::configs_with(floats, {{"RATIO", 0.2F}}, "f").config_ids == std::vector<std::size_t>{2, 3});
  CHECK(detail::configs_with(floats, {{"RATIO", 0.2}}, "f").text ==
        detail::configs_with(floats, {{"RATIO", 0.2F}}, "f").text);
  CHECK_THROWS_AS(detail::configs_with(floats, {{"SHARE", 0.2F}}, "f"), InvalidArgument);
  const SpaceView near = ConfigSpace<Config>{{"X", {0.5, 0.500000001}}}.view();
  CHECK(detail::configs_with(near, {{"X", 0.500000001}}, "f").config_ids == std::vector<std::size_t>{1});
  CHECK(detail::configs_with(near, {{"X", 0.5}}, "f").config_ids == std::vector<std::size_t>{0});
}

TEST_CASE("fixed configs: the message names the type and the values of the parameter") {
  const auto message = [](const Config& fixed) {
    return test::error_text<InvalidArgument>([&] { detail::configs_with(space(), fixed, "f"); });
  };
  CHECK_THAT(message({{"BLOCK", "128"}}),
             ContainsSubstring("\"BLOCK\" is of the type integer with the values "
                               "64, 128; \"128\" (text) is none of them"));
  CHECK_THAT(message({{"SHARE", 0.25}}), ContainsSubstring("floating point with the values 0.5, 2.0; 0.25"));
  CHECK_THAT(message({{"IMPL", "wmma"}}), ContainsSubstring("values \"mma\", \"simt\"; \"wmma\""));
  const SpaceView some = ConfigSpace<Config>::list({{{"A", 1}, {"B", 1}}, {{"A", 2}, {"B", 2}}}).view();
  CHECK_THROWS_WITH(detail::configs_with(some, {{"A", 1}, {"B", 2}}, "f"),
                    ContainsSubstring("not all of them in one config"));
}

TEST_CASE("config_id_of: names and values in any order, and all of them") {
  CHECK(detail::config_id_of(space(), {{"IMPL", "simt"}, {"SHARE", 2}, {"BLOCK", 128}}) == 7);
  CHECK_FALSE(detail::config_id_of(space(), {{"IMPL", "simt"}, {"BLOCK", 128}}).has_value());
  CHECK_FALSE(detail::config_id_of(space(), {{"IMPL", "simt"}, {"SHARE", 3.0}, {"BLOCK", 128}}).has_value());
  CHECK_FALSE(
      detail::config_id_of(space(), {{"IMPL", "simt"}, {"SHARE", 2}, {"BLOCK", 128}, {"X", 1}}).has_value());
}

TEST_CASE("fixed configs: an unknown parameter and values that no config has are errors") {
  CHECK_THROWS_AS(detail::configs_with(space(), {{"WARPS", 4}}, "f"), InvalidArgument);
  CHECK_THROWS_AS(detail::configs_with(space(), {{"BLOCK", 64}, {"IMPL", "wmma"}}, "f"), InvalidArgument);
}

}  // namespace contextual::fixed_configs_test
