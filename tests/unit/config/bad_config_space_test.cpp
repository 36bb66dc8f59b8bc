#include "support/engine.hpp"

#include <contextual/config_space.hpp>

#include <limits>

namespace contextual::bad_config_space_test {

namespace {

struct Tile {
  int m = 64;
  int n = 64;
  double alpha = 1.0;
};

struct NoDefault {
  explicit NoDefault(int value) : block(value) {}
  int block;
};

// Made before main: nothing here may throw, although each of them is bad.
const ConfigSpace<Tile> static_empty{};
const ConfigSpace<Tile> static_duplicate{{"M", &Tile::m, {64, 64}}};
const ConfigSpace<Tile> static_contradictory =
    ConfigSpace<Tile>{{"M", &Tile::m, {32, 64}}}.constraint("none", [](const Tile&) { return false; });
const ConfigSpace<Tile> static_throwing = ConfigSpace<Tile>{{"M", &Tile::m, {32, 64}}}.constraint(
    "thrower", [](const Tile&) -> bool { throw std::runtime_error("boom"); });
const ConfigSpace<Config> static_dynamic{{"N", {std::numeric_limits<std::uint64_t>::max()}}};
const auto static_unknown = static_dynamic.param<int>("UNKNOWN");

template <typename Space>
std::string error_of(const Space& space) {
  return test::error_text<ConfigSpaceError>([&] { space.validate(); });
}

}  // namespace

TEST_CASE("bad config space: static ones throw at the first use, not before main") {
  REQUIRE_THROWS_AS(static_empty.size(), ConfigSpaceError);
  REQUIRE_THROWS_AS(static_duplicate.configs(), ConfigSpaceError);
  REQUIRE_THROWS_AS(static_contradictory.digest(), ConfigSpaceError);
  REQUIRE_THROWS_AS(static_throwing[0], ConfigSpaceError);
  REQUIRE_THROWS_AS(static_dynamic.view(), ConfigSpaceError);
  REQUIRE_THROWS_AS(Config{}[static_unknown], InvalidArgument);
}

TEST_CASE("bad config space: every use throws the same error") {
  const std::string first = error_of(static_throwing);
  REQUIRE(error_of(static_throwing) == first);
  REQUIRE(error_of(ConfigSpace<Tile>(static_throwing)) == first);
}

TEST_CASE("bad config space: no parameters, no values, no configs are empty") {
  REQUIRE_THAT(error_of(static_empty), ContainsSubstring("empty") && ContainsSubstring("no parameters"));
  REQUIRE_THAT(error_of(ConfigSpace<Tile>{{"M", &Tile::m, {1}}, {"N", &Tile::n, {}}}),
               ContainsSubstring("empty") && ContainsSubstring("\"N\" has no values"));
  REQUIRE_THAT(error_of(ConfigSpace<Tile>::list({{"M", &Tile::m}}, {})), ContainsSubstring("empty"));
  REQUIRE_THAT(error_of(ConfigSpace<Tile>::list({}, {Tile{}})), ContainsSubstring("name the members"));
  REQUIRE_THAT(error_of(ConfigSpace<Config>{}), ContainsSubstring("empty"));
}

TEST_CASE("bad config space: duplicate values, names and listed configs are named") {
  REQUIRE_THAT(error_of(static_duplicate),
               ContainsSubstring("\"M\"") && ContainsSubstring("duplicate value 64"));
  REQUIRE_THAT(error_of(ConfigSpace<Tile>{{"M", &Tile::m, {1}}, {"M", &Tile::n, {1}}}),
               ContainsSubstring("duplicate parameter \"M\""));
  REQUIRE_THAT(error_of(ConfigSpace<Tile>::list({{"M", &Tile::m}}, {Tile{1}, Tile{2}, Tile{1, 32}})),
               ContainsSubstring("configs 0 and 2") && ContainsSubstring("{M: 1}"));
  REQUIRE_THAT(error_of(ConfigSpace<Tile>{{"", &Tile::m, {1}}}), ContainsSubstring("empty name"));
}

TEST_CASE("bad config space: two parameters of one member are named") {
  REQUIRE_THAT(error_of(ConfigSpace<Tile>{{"M", &Tile::m, {1, 2}}, {"ROWS", &Tile::m, {4, 8}}}),
               ContainsSubstring("\"M\" and \"ROWS\" are of one member"));
  REQUIRE_THAT(error_of(ConfigSpace<Tile>::list({{"M", &Tile::m}, {"ROWS", &Tile::m}}, {Tile{1}, Tile{2}})),
               ContainsSubstring("\"M\" and \"ROWS\" are of one member"));
  REQUIRE_THAT(error_of(ConfigSpace<Tile>{{"M", &Tile::m, {1, 4}}}.refine({"M", &Tile::n, {2}})),
               ContainsSubstring("\"M\" is refined with another member"));
}

TEST_CASE("bad config space: contradictory constraints say which excluded how many") {
  const auto space = ConfigSpace<Tile>{{"M", &Tile::m, {32, 64, 128}}}
                         .constraint("small", [](const Tile& t) { return t.m < 64; })
                         .constraint("large", [](const Tile& t) { return t.m > 64; });
  REQUIRE_THAT(error_of(space), ContainsSubstring("contradictory") && ContainsSubstring("candidate of 3") &&
                                    ContainsSubstring("\"small\" excluded 2") &&
                                    ContainsSubstring("\"large\" excluded 1"));
  const auto default_outside =
      ConfigSpace<Tile>{{"M", &Tile::m, {32}}}.constraint("not 32", [](const Tile& t) { return t.m != 32; });
  REQUIRE_THAT(error_of(default_outside), ContainsSubstring("\"not 32\" excluded 1"));
}

TEST_CASE("bad config space: an excluded default is named with an allowed one") {
  const auto space = ConfigSpace<Tile>{{"M", &Tile::m, {64, 128}}}.constraint(
      "large", [](const Tile& t) { return t.m > 64; });
  REQUIRE_THAT(error_of(space), ContainsSubstring("\"large\" excludes the default config {M: 64}") &&
                                    ContainsSubstring("default_config") && ContainsSubstring("{M: 128}"));
  REQUIRE(error_of(ConfigSpace<Tile>(space).default_config({128})) == "[no error]");
}

TEST_CASE("bad config space: a constraint that throws is named with config and cause") {
  REQUIRE_THAT(error_of(static_throwing),
               ContainsSubstring("\"thrower\"") && ContainsSubstring("{M: 64}") && ContainsSubstring("boom"));
  const auto odd =
      ConfigSpace<Tile>{{"M", &Tile::m, {64}}}.constraint("odd", [](const Tile&) -> bool { throw 42; });
  REQUIRE_THAT(error_of(odd), ContainsSubstring("\"odd\"") && ContainsSubstring("not a std::exception"));
  const auto none = ConfigSpace<Tile>{{"M", &Tile::m, {64}}}.constraint("none", nullptr);
  REQUIRE_THAT(error_of(none), ContainsSubstring("\"none\" holds no function"));
}

TEST_CASE("bad config space: too many combinations are refused and not generated") {
  std::vector<int> many(1001);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = static_cast<int>(i);
  }
  const ConfigSpace<Tile> space{{"M", &Tile::m, many}, {"N", &Tile::n, many}};
  REQUIRE_THAT(error_of(space), ContainsSubstring("1002001") && ContainsSubstring("1000000") &&
                                    ContainsSubstring("explicit list"));
}

TEST_CASE("bad config space: values that are no values are named") {
  const ConfigSpace<Tile> space{{"ALPHA", &Tile::alpha, {1.0, std::numeric_limits<double>::quiet_NaN()}}};
  REQUIRE_THAT(error_of(space), ContainsSubstring("value 1 of parameter \"ALPHA\""));
  REQUIRE_THAT(error_of(static_dynamic), ContainsSubstring("value 0 of parameter \"N\""));
  const auto bad_default = ConfigSpace<Tile>{{"ALPHA", &Tile::alpha, {1.0}}}.default_config(
      {1, 1, std::numeric_limits<double>::infinity()});
  REQUIRE_THAT(error_of(bad_default), ContainsSubstring("\"ALPHA\""));
}

TEST_CASE("bad config space: a type without default constructor needs a default") {
  const ConfigSpace<NoDefault> space{{"BLOCK", &NoDefault::block, {1, 2}}};
  REQUIRE_THAT(error_of(space), ContainsSubstring("default_config"));
  REQUIRE(ConfigSpace<NoDefault>(space).default_config(NoDefault(2)).size() == 2);
}

TEST_CASE("bad config space: used after a move it throws instead of crashing") {
  ConfigSpace<Tile> space{{"M", &Tile::m, {64, 128}}};
  const ConfigSpace<Tile> taken = std::move(space);
  REQUIRE(taken.size() == 2);
  REQUIRE_THAT(error_of(space), ContainsSubstring("moved from"));
}

TEST_CASE("bad dynamic config space: unknown, missing and mistyped parameters are named") {
  const ConfigSpace<Config> space{{"A", {1, 2}}, {"B", {"x"}}};
  const auto with_default = [&](const Config& config) {
    return error_of(ConfigSpace<Config>(space).default_config(config));
  };
  REQUIRE_THAT(with_default(Config{{"A", 1}, {"C", 1}}),
               ContainsSubstring("unknown parameter \"C\"") && ContainsSubstring("{A: 1, B: x}"));
  REQUIRE_THAT(with_default(Config{{"A", 1}}), ContainsSubstring("lacks the parameter \"B\""));
  REQUIRE_THAT(with_default(Config{{"A", 1.0}, {"B", "x"}}),
               ContainsSubstring("\"A\" = 1.0 (floating point)"));
  REQUIRE_THAT(error_of(ConfigSpace<Config>::list({Config{{"A", 1}}, Config{{"B", 1}}})),
               ContainsSubstring("config 1 of the list") && ContainsSubstring("\"B\""));
  REQUIRE_THAT(error_of(ConfigSpace<Config>{{"A", {1, 2.5}}}), ContainsSubstring("different types"));
}

}  // namespace contextual::bad_config_space_test
