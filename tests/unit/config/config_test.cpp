#include "support/catch.hpp"

#include <contextual/config.hpp>
#include <contextual/error.hpp>

#include <limits>

namespace contextual::config_test {

namespace {

enum class Layout { row = 0, column = 1 };

const Config sample{{"BLOCK", 128}, {"STAGES", 3}, {"SWIZZLE", true}, {"ALPHA", 0.1}, {"IMPL", "mma"}};

}  // namespace

TEST_CASE("config: values are read by name and type") {
  REQUIRE(sample.get<int>("BLOCK") == 128);
  REQUIRE(sample.get<std::uint8_t>("BLOCK") == 128);
  REQUIRE(sample.get<bool>("SWIZZLE"));
  REQUIRE(sample.get<double>("ALPHA") == 0.1);
  REQUIRE(sample.get<double>("STAGES") == 3.0);
  REQUIRE(sample.get<std::string>("IMPL") == "mma");
  REQUIRE(Config{{"LAYOUT", Layout::column}}.get<Layout>("LAYOUT") == Layout::column);
  REQUIRE(sample.contains("IMPL"));
  REQUIRE_FALSE(sample.contains("impl"));
}

TEST_CASE("config: unknown parameter throws and lists the known ones") {
  REQUIRE_THROWS_AS(sample.get<int>("BLOK"), InvalidArgument);
  REQUIRE_THROWS_WITH(sample.get<int>("BLOK"), ContainsSubstring("\"BLOK\"") &&
                                                   ContainsSubstring("BLOCK, STAGES, SWIZZLE, ALPHA, IMPL"));
  REQUIRE_THROWS_WITH(sample[Param<int>("BLOK")], ContainsSubstring("\"BLOK\""));
  REQUIRE_THROWS_WITH(Config{}.get<int>("X"), ContainsSubstring("has none"));
}

TEST_CASE("config: type clash throws and names both types") {
  REQUIRE_THROWS_WITH(sample.get<int>("IMPL"),
                      ContainsSubstring("mma (text)") && ContainsSubstring("32-bit integer"));
  REQUIRE_THROWS_WITH(sample.get<bool>("BLOCK"),
                      ContainsSubstring("128 (integer)") && ContainsSubstring("bool"));
  REQUIRE_THROWS_AS(sample.get<std::int8_t>("BLOCK"), InvalidArgument);
  REQUIRE_THROWS_AS(sample.get<int>("ALPHA"), InvalidArgument);
  REQUIRE_THROWS_AS(sample.get<std::string>("BLOCK"), InvalidArgument);
  REQUIRE_THROWS_AS((Config{{"N", -1}}.get<std::uint64_t>("N")), InvalidArgument);
}

TEST_CASE("config: values that cannot be kept and duplicate names are refused") {
  REQUIRE_THROWS_WITH((Config{{"A", 1}, {"A", 2}}), ContainsSubstring("\"A\" is given twice"));
  REQUIRE_THROWS_WITH((Config{{"N", std::numeric_limits<std::uint64_t>::max()}}), ContainsSubstring("\"N\""));
  REQUIRE_THROWS_AS((Config{{"X", std::numeric_limits<double>::infinity()}}), InvalidArgument);
  REQUIRE_NOTHROW((Config{{"N", std::size_t{42}}}));
}

TEST_CASE("param: reads by position, and by name where the order differs") {
  const Param<int> stages("STAGES", 1);
  REQUIRE(sample[stages] == 3);
  REQUIRE(Config{{"STAGES", 4}, {"BLOCK", 64}}[stages] == 4);
  REQUIRE(Config{{"STAGES", 5}}[stages] == 5);
  const Param<std::string> impl("IMPL", 4);
  REQUIRE(&sample[impl] == std::get_if<std::string>(sample.find("IMPL")));
}

TEST_CASE("config: set replaces in place and appends") {
  Config config{{"A", 1}, {"B", 2}};
  config.set("A", 7).set("C", "x");
  REQUIRE(config == Config{{"A", 7}, {"B", 2}, {"C", "x"}});
}

TEST_CASE("config: equality and hash see names, types, values and order") {
  const Config configs[] = {
      Config{},           Config{{"A", 1}},           Config{{"A", 1.0}},         Config{{"A", true}},
      Config{{"A", "1"}}, Config{{"A", 1}, {"B", 2}}, Config{{"B", 2}, {"A", 1}}, Config{{"B", 1}}};
  for (const Config& a : configs) {
    for (const Config& b : configs) {
      REQUIRE((a == b) == (&a == &b));
      REQUIRE((a.hash() == b.hash()) == (&a == &b));
    }
  }
  REQUIRE(Config{{"A", -0.0}}.hash() == Config{{"A", 0.0}}.hash());
  REQUIRE_FALSE(Config{{"ab", "c"}}.hash() == Config{{"a", "bc"}}.hash());
}

TEST_CASE("config: hash is the same in every run and on every platform") {
  REQUIRE(sample.hash() == 0x789548fdc8a08d82ULL);
}

TEST_CASE("config: prints names and values in order") {
  REQUIRE(sample.to_string() == "{BLOCK: 128, STAGES: 3, SWIZZLE: true, ALPHA: 0.1, IMPL: mma}");
  REQUIRE(Config{{"X", 2.0}}.to_string() == "{X: 2.0}");
  REQUIRE(Config{}.to_string() == "{}");
}

TEST_CASE("config: JSON keeps order, types and bits both ways") {
  REQUIRE(sample.to_json() == R"({"BLOCK":128,"STAGES":3,"SWIZZLE":true,"ALPHA":0.1,"IMPL":"mma"})");
  const Config config{{"Z", 1},
                      {"A", 1.0},
                      {"THIRD", 1.0 / 3.0},
                      {"TINY", std::numeric_limits<double>::denorm_min()},
                      {"MAX", std::numeric_limits<double>::max()},
                      {"LOW", std::numeric_limits<std::int64_t>::min()},
                      {"HIGH", std::numeric_limits<std::int64_t>::max()},
                      {"TEXT", "a \"quoted\"\nline, \xc3\xbc"},
                      {"OFF", false},
                      {"EMPTY", ""}};
  REQUIRE(Config::from_json(config.to_json()) == config);
  REQUIRE(config.to_json().find('\n') == std::string::npos);
  REQUIRE(Config::from_json("{}") == Config{});
}

TEST_CASE("config: JSON that is no config throws and says what and where") {
  REQUIRE_THROWS_AS(Config::from_json("{\"A\": }"), InvalidArgument);
  REQUIRE_THROWS_WITH(Config::from_json("{\"A\": }"), ContainsSubstring("column 7"));
  REQUIRE_THROWS_WITH(Config::from_json(""), ContainsSubstring("not valid JSON"));
  REQUIRE_THROWS_WITH(Config::from_json("[1]"), ContainsSubstring("array"));
  REQUIRE_THROWS_WITH(Config::from_json(R"({"A": null})"), ContainsSubstring("\"A\" is null"));
  REQUIRE_THROWS_WITH(Config::from_json(R"({"A": {"B": 1}})"), ContainsSubstring("\"A\" is object"));
  REQUIRE_THROWS_WITH(Config::from_json(R"({"A": 1, "A": 2})"), ContainsSubstring("\"A\" occurs twice"));
  REQUIRE_THROWS_WITH(Config::from_json(R"({"A": 18446744073709551615})"), ContainsSubstring("\"A\""));
  REQUIRE_THROWS_AS(Config::from_json(R"({"A": 1e999})"), InvalidArgument);
}

TEST_CASE("config: text that is not UTF-8 does not make printing throw") {
  const Config config{{"RAW", "\xff"}};
  REQUIRE_NOTHROW(config.to_json());
  REQUIRE(config.to_string() == "{RAW: \xff}");
}

}  // namespace contextual::config_test
