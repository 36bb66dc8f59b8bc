#include "contextual/storage/region_file.hpp"

#include "support/catch.hpp"

namespace region_file_test {

using namespace contextual;
using namespace contextual::storage;

namespace {

ChoiceSet set_of(int key, std::size_t config_id) {
  ChoiceSet entry;
  entry.region = "r";
  entry.choices.push_back({"k", "", make_key(key), "", 0, {{"k", 1}}, 100, config_id, "{}", "", {}});
  return entry;
}

/// Why a text is none of a region; an empty text if it is one.
std::string problem_of(const std::string& text) {
  try {
    static_cast<void>(parse_region(text, "r.json"));
    return {};
  } catch (const std::exception& error) {
    REQUIRE_FALSE(std::string(error.what()).empty());
    return error.what();
  }
}

RegionFile example() {
  RegionFile file{"r"};
  file.pins = {{"r.json", "gemm", "{M: 512}", make_key(512), 7, Config{{"BLOCK", 64}}, {}},
               {"r.json", "pair", "", {}, {}, {}, 3}};
  file.sets = {set_of(1, 10), set_of(2, 20)};
  file.sets[1].choices[0].search = SearchLevel::thorough;
  return file;
}

std::vector<std::size_t> configs_in(const std::vector<ChoiceSet>& sets) {
  std::vector<std::size_t> configs;
  for (const ChoiceSet& set : sets) {
    configs.push_back(set.choices.front().config_id);
  }
  return configs;
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("parse_region: what is written is read") {
  const RegionFile parsed = parse_region(to_json(example()), "r.json");
  CHECK(parsed.region == "r");
  CHECK(parsed.pins == example().pins);
  CHECK(parsed.sets == example().sets);
  CHECK(parsed.damaged.empty());
}

TEST_CASE("parse_region: a person may write pins alone") {
  const std::string text =
      R"({"format": 6, "region": "r", "pins": [{"kernel": "gemm", "config": {"BLOCK": 64}}])";
  for (const std::string sets : {"}", ",\n \"sets\": []\n}", ",\n \"sets\": []\n}\n\n", ", \"sets\": []}"}) {
    const RegionFile parsed = parse_region(text + sets, "r.json");
    CHECK(only(parsed.pins).file == "r.json");
    CHECK(parsed.damaged.empty());
  }
  const std::string pins = R"("pins": [{"kernel": "gemm", "config": {"BLOCK": 64}}])";
  CHECK(parse_region(R"({"format": 6, "region": "r", "sets": [], )" + pins + "}", "r.json").pins.size() == 1);
  const std::string with_sets = to_json({"r", {}, {set_of(1, 10)}, {}});
  CHECK_THAT(problem_of(changed(with_sets, "]\n}", "],\n " + pins + "}")),
             ContainsSubstring("before its sets"));
}

TEST_CASE("parse_region: a damaged set, or one of another region, is left out, and the others count") {
  const std::string text = to_json(example());
  for (const std::string& damaged : {changed(text, "\"config_id\":20", "\"config_id\":21"),
                                     changed(text, "\"digest\":\"", "\"digest\":\"x")}) {
    const RegionFile parsed = parse_region(damaged, "r.json");
    CHECK(parsed.sets.size() == 1);
    CHECK(parsed.damaged.size() == 1);
    CHECK(parsed.pins.size() == 2);
  }
  for (const std::string& elsewhere : {changed(text, "\n{", "\n{\n"), changed(text, "[\n{", "[{")}) {
    const RegionFile parsed = parse_region(elsewhere, "r.json");
    CHECK_FALSE(parsed.damaged.empty());
    CHECK(parsed.pins.size() == 2);
  }
  RegionFile other = example();
  other.sets[0].region = "s";
  const RegionFile parsed = parse_region(to_json(other), "r.json");
  CHECK(configs_in(parsed.sets) == std::vector<std::size_t>{20});
  CHECK(parsed.damaged == std::vector<std::string>{"it is of region \"s\""});
}

TEST_CASE("parse_region: of another format, or with a field that means nothing, it is refused") {
  const std::string text = to_json(example());
  CHECK(problem_of(changed(text, "\"format\": 6", "\"format\": 4")) ==
        "its format is 4, and this library reads 6");
  CHECK_THAT(problem_of(changed(text, "\"pins\"", "\"pinned\"")),
             ContainsSubstring("\"pinned\", which means nothing"));
  CHECK_FALSE(problem_of(changed(text, "\"kernel\"", "\"kernels\"")).empty());
  for (const std::string bad : {"", "[]", "{}", R"({"format": 6})", R"({"format": 6, "region": 7})"}) {
    CHECK_FALSE(problem_of(bad).empty());
  }
  CHECK_FALSE(problem_of(std::string(1'000'000, '[')).empty());
  for (const std::string number : {"6.5", "\"6\"", "99999999999"}) {
    CHECK_THAT(problem_of(changed(text, "\"format\": 6", "\"format\": " + number)),
               ContainsSubstring("its format is " + number));
  }
}

TEST_CASE("parse_region: what has a field twice is refused, since one of them would be passed over") {
  for (const std::string twice : {R"("pins": [{"kernel": "k", "config": {"A": 1}}], "pins": [])",
                                  R"("pins": [{"kernel": "k", "config": {"A": 1}, "config": {"A": 2}}])"}) {
    CHECK_THAT(problem_of(R"({"format": 6, "region": "r", )" + twice + "}"), ContainsSubstring("twice"));
  }
  const std::string pin = R"({"kernel": "k", "config": {"A": 1}})";  // of one object after the other
  CHECK(problem_of(R"({"format": 6, "region": "r", "pins": [)" + pin + ", " + pin + "]}").empty());
}

}  // namespace region_file_test
