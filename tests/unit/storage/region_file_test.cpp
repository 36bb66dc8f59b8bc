#include "contextual/storage/region_file.hpp"

#include "support/catch.hpp"
#include "support/repetitions.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

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

RegionFile example() {
  RegionFile file{"r"};
  file.pins = {{"r.json", "gemm", "{M: 512}", make_key(512), 7, Config{{"BLOCK", 64}}, {}},
               {"r.json", "pair", "", {}, {}, {}, 3}};
  file.sets = {set_of(1, 10), set_of(2, 20)};
  file.sets[1].search = SearchLevel::thorough;
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

TEST_CASE("insert_set: sets of other builds stay beside a newer one, the newest of them up to a number",
          "[unit]") {
  std::vector<ChoiceSet> sets;
  const auto insert = [&](std::uint64_t build, int key) {
    ChoiceSet set = set_of(key, build);
    set.choices[0].launched[0].table_digest = build;
    REQUIRE(insert_set(sets, 0, set));
  };
  insert(99, 2);
  for (std::uint64_t build = 0; build < 2 * most_competing; ++build) {
    insert(build, 1);
    insert(build, 1);  // a program that starts again
  }
  REQUIRE(sets.size() == most_competing + 2);
  CHECK(configs_in(sets).front() == 2 * most_competing - 1);
  CHECK(configs_in(sets)[most_competing] == most_competing - 1);
  CHECK(configs_in(sets).back() == 99);  // of another key
}

TEST_CASE(
    "parse_region: a set of an older version of the library is left out, with a line, and the pins count",
    "[unit]") {
  const std::string text = to_json(example());
  std::string older = text;
  for (std::size_t at = older.find("\"search\""); at != std::string::npos; at = older.find("\"search\"")) {
    older.replace(at, 8, "\"former\"");
  }
  const ParsedRegion parsed = parse_region(older, "r.json");
  REQUIRE(parsed.file);
  CHECK(parsed.file->sets.empty());
  CHECK(parsed.file->damaged.size() == 2);
  CHECK(parsed.file->pins == example().pins);
}

TEST_CASE("parse_region: what is written is read", "[unit]") {
  const ParsedRegion parsed = parse_region(to_json(example()), "r.json");
  CHECK(parsed.problem.empty());
  REQUIRE(parsed.file);
  CHECK(parsed.file->region == "r");
  CHECK(parsed.file->pins == example().pins);
  CHECK(parsed.file->sets == example().sets);
  CHECK(parsed.file->damaged.empty());
}

TEST_CASE("parse_region: a person may write pins alone", "[unit]") {
  const ParsedRegion parsed = parse_region(
      R"({"format": 5, "region": "r", "pins": [{"kernel": "gemm", "config": {"BLOCK": 64}}]})", "r.json");
  REQUIRE(parsed.file);
  REQUIRE(parsed.file->pins.size() == 1);
  CHECK(parsed.file->pins[0].file == "r.json");
}

TEST_CASE("parse_region: a damaged set, or one of another region, is left out, and the others count",
          "[unit]") {
  const std::string text = to_json(example());
  for (const std::string& damaged : {changed(text, "\"config_id\":20", "\"config_id\":21"),
                                     changed(text, "\"digest\":\"", "\"digest\":\"x")}) {
    const ParsedRegion parsed = parse_region(damaged, "r.json");
    REQUIRE(parsed.file);
    CHECK(parsed.file->sets.size() == 1);
    CHECK(parsed.file->damaged.size() == 1);
    CHECK(parsed.file->pins.size() == 2);
  }
  RegionFile other = example();
  other.sets[0].region = "s";
  const ParsedRegion parsed = parse_region(to_json(other), "r.json");
  REQUIRE(parsed.file);
  CHECK(configs_in(parsed.file->sets) == std::vector<std::size_t>{20});
  CHECK(parsed.file->damaged == std::vector<std::string>{"it is of region \"s\""});
}

TEST_CASE("parse_region: it is the same whatever its white space is, and sets are what their text says",
          "[unit]") {
  const std::string text = to_json(example());
  std::string indented = nlohmann::ordered_json::parse(text).dump(3);
  for (int look = 0; look < 2; ++look) {
    for (const std::string& same : {text, indented, changed(text, ",\n{", ", {"), "\n" + text + "\n"}) {
      const ParsedRegion parsed = parse_region(same, "r.json");
      REQUIRE(parsed.file);
      CHECK(parsed.file->sets == example().sets);
      CHECK(parsed.file->pins.size() == 2);
    }
  }
  // The same set of another module, which equality leaves out.
  RegionFile moved = example();
  moved.sets[0].choices[0].launched[0].origin = "elsewhere";
  const ParsedRegion parsed = parse_region(to_json(moved), "r.json");
  REQUIRE(parsed.file);
  CHECK(parsed.file->sets[0].choices[0].launched[0].origin == "elsewhere");
  // A pin that looks like sets.
  CHECK(parse_region(R"({"format": 5, "region": "r", "pins": [
 "sets": []
}
)",
                     "r.json")
            .problem.find("parse error") != std::string::npos);
}

TEST_CASE("parse_region: of another format, or with a field that means nothing, it is refused", "[unit]") {
  const std::string text = to_json(example());
  CHECK(parse_region(changed(text, "\"format\": 5", "\"format\": 4"), "r.json").problem ==
        "its format is 4, and this library reads 5");
  CHECK_THAT(parse_region(changed(text, "\"pins\"", "\"pinned\""), "r.json").problem,
             ContainsSubstring("\"pinned\", which means nothing"));
  CHECK_FALSE(parse_region(changed(text, "\"kernel\"", "\"kernels\""), "r.json").file);
  for (const std::string bad : {"", "[]", "{}", R"({"format": 5})", R"({"format": 5, "region": 7})"}) {
    CHECK_FALSE(parse_region(bad, "r.json").problem.empty());
  }
  CHECK_FALSE(parse_region(std::string(1'000'000, '['), "r.json").file);
  for (const std::string number : {"5.5", "\"5\"", "99999999999"}) {
    CHECK_THAT(parse_region(changed(text, "\"format\": 5", "\"format\": " + number), "r.json").problem,
               ContainsSubstring("its format is " + number));
  }
}

TEST_CASE("parse_region: what has a field twice is refused, since one of them would be passed over",
          "[unit]") {
  for (const std::string twice : {R"("pins": [{"kernel": "k", "config": {"A": 1}}], "pins": [])",
                                  R"("pins": [{"kernel": "k", "config": {"A": 1}, "config": {"A": 2}}])"}) {
    CHECK_THAT(parse_region(R"({"format": 5, "region": "r", )" + twice + "}", "r.json").problem,
               ContainsSubstring("twice"));
  }
  const std::string pin = R"({"kernel": "k", "config": {"A": 1}})";  // of one object after the other
  CHECK(parse_region(R"({"format": 5, "region": "r", "pins": [)" + pin + ", " + pin + "]}", "r.json").file);
}

TEST_CASE("parse_region: a text with a change anywhere is refused, or its sets are as they were", "[unit]") {
  const std::string whole = to_json(example());
  const std::vector<ChoiceSet> sets = example().sets;
  std::mt19937 random(1);
  int wrong = 0;
  for (int i = 0; i < contextual::test::repetitions(20'000); ++i) {
    std::string text = whole;
    const std::size_t place = random() % text.size();
    if (random() % 2 == 0) {
      text[place] = static_cast<char>(random());
    } else {
      text.erase(place, 1 + random() % 20);
    }
    const ParsedRegion parsed = parse_region(text, "r.json");
    if (!parsed.file) {
      wrong += parsed.problem.empty() ? 1 : 0;
      continue;
    }
    for (const ChoiceSet& set : parsed.file->sets) {
      wrong += std::find(sets.begin(), sets.end(), set) != sets.end() ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("parse_bundle: what is bundled is read, and with any damage nothing is", "[unit]") {
  RegionFile other{"s"};
  other.sets = {set_of(3, 30)};
  other.sets[0].region = "s";
  const std::string text = bundle_text({example(), other});
  const std::vector<RegionFile> files = parse_bundle(text);
  REQUIRE(files.size() == 2);
  CHECK(files[0].sets == example().sets);
  CHECK(files[1].sets == other.sets);
  CHECK_THROWS(parse_bundle(changed(text, "\"config_id\": 30", "\"config_id\": 31")));
  CHECK_THROWS(parse_bundle("{}"));
}

TEST_CASE("insert_set: the newest replaces older sets of its purpose, and is replaced by newer ones",
          "[unit]") {
  std::vector<ChoiceSet> sets{set_of(1, 10), set_of(2, 20)};
  CHECK(insert_set(sets, 0, set_of(2, 21)));
  CHECK(configs_in(sets) == std::vector<std::size_t>{21, 10});
  CHECK_FALSE(insert_set(sets, 2, set_of(1, 9)));
  CHECK(insert_set(sets, 2, set_of(3, 30)));
  CHECK(configs_in(sets) == std::vector<std::size_t>{21, 10, 30});
}

}  // namespace region_file_test
