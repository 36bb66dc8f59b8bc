#include "contextual/storage/choice_store.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace choice_store_test {

using namespace contextual::storage;
using contextual::make_key;
using engine_test::TemporaryDirectory;

namespace fs = std::filesystem;

namespace {

ChoiceEntry entry_of(const std::string& region, int key, std::size_t config_id) {
  ChoiceEntry entry;
  entry.region = region;
  entry.choices.push_back({"k", "", make_key(key), "", 0, {{"k", 1}}, 1'000'000, config_id, "{}", "", {}});
  return entry;
}

std::vector<std::size_t> configs_in(const ChoiceStore& store) {
  std::vector<std::size_t> configs;
  for (const ChoiceEntry& entry : store.load().entries) {
    configs.push_back(entry.choices.front().config_id);
  }
  return configs;
}

}  // namespace

TEST_CASE("ChoiceStore: the newest entry of each purpose counts, and comes first", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  CHECK(configs_in(store).empty());
  for (const auto& [key, config] : std::vector<std::pair<int, std::size_t>>{{1, 10}, {2, 20}, {1, 11}}) {
    CHECK(store.save(entry_of("region", key, config)).empty());
  }
  CHECK(configs_in(store) == std::vector<std::size_t>{11, 20});
}

TEST_CASE("ChoiceStore: regions have folders of their own, whatever their names are", "[unit]") {
  const TemporaryDirectory directory;
  const std::string long_name(300, 'x');
  const std::vector<std::string> regions{"a", "A",        "a/b",     "a%2Fb",         "..",
                                         "",  "\xc3\xa4", "caf\xe9", long_name + "1", long_name + "2"};
  for (std::size_t i = 0; i < regions.size(); ++i) {
    REQUIRE(ChoiceStore(directory.path(), regions[i]).save(entry_of(regions[i], 1, i)).empty());
  }
  for (std::size_t i = 0; i < regions.size(); ++i) {
    CHECK(configs_in(ChoiceStore(directory.path(), regions[i])) == std::vector<std::size_t>{i});
  }
  CHECK(file_name_of("a/b") == "a%2Fb");
  CHECK(file_name_of("..") == "%2E%2E");
}

TEST_CASE("ChoiceStore: a damaged file is named and set aside, and an older one counts", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  for (const std::string& planted : {std::string(), std::string("{}"), to_json(entry_of("another", 1, 99)),
                                     to_json(entry_of("region", 1, 99)).substr(0, 200)}) {
    std::ofstream(store.path() / "ffff-planted.json") << planted;
    fs::permissions(store.path() / "ffff-planted.json", fs::perms::owner_read | fs::perms::owner_write);
    const ChoiceStore::Kept kept = store.load();
    REQUIRE(kept.problems.size() == 1);
    CHECK_THAT(kept.problems[0], ContainsSubstring((store.path() / "ffff-planted.json").string()) &&
                                     ContainsSubstring("damaged"));
    CHECK(fs::exists(store.path() / "ffff-planted.json.damaged"));
    CHECK(configs_in(store) == std::vector<std::size_t>{10});
  }
}

TEST_CASE("ChoiceStore: a file of another version of the library is named, and stays for that", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 1)).empty());
  const fs::path file = fs::directory_iterator(store.path())->path();
  std::string text = engine_test::text_of_file(file);
  text.replace(text.find("\"format\": 4"), 11, "\"format\": 1");
  std::ofstream(file) << text;
  for (int look = 0; look < 2; ++look) {
    const ChoiceStore::Kept kept = store.load();
    CHECK(kept.entries.empty());
    REQUIRE(kept.problems.size() == 1);
    CHECK_THAT(kept.problems[0], ContainsSubstring(file.string() + " is not used: its format is 1"));
    CHECK(fs::exists(file));
  }
}

TEST_CASE("ChoiceStore: what others can write is named, and stays where it is", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  const fs::path file = fs::directory_iterator(store.path())->path();
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  CHECK(store.load().entries.empty());
  CHECK(store.load().problems.size() == 1);
  CHECK(fs::exists(file));
}

TEST_CASE("ChoiceStore: what is saved counts as the newest, also beside what a fast clock has named",
          "[unit]") {
  for (const std::string time : {"7fffffffffffffff", "fffffffffffffff0", "2fffffffffffffff"}) {
    const TemporaryDirectory directory;
    const ChoiceStore store(directory.path(), "region");
    const std::string ahead = time + "-0000000000000000.json";
    REQUIRE(store.folder().write(ahead, to_json(entry_of("region", 1, 10))).empty());
    REQUIRE(store.folder().write("3fffffffffffffff-0000000000000000.json.damaged", "x").empty());
    for (const std::size_t config : {11U, 12U}) {
      REQUIRE(store.save(entry_of("region", 1, config)).empty());
      CHECK(configs_in(store) == std::vector<std::size_t>{config});
    }
    CHECK_FALSE(fs::exists(store.path() / ahead));
  }
}

TEST_CASE("ChoiceStore: what was reused keeps the reason and the times of when it was chosen", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  ChoiceEntry first = entry_of("region", 1, 10);
  first.choices[0].reason = "it was fast";
  first.choices[0].time_ns = 70;
  first.choices[0].time_spread_ns = 3;
  first.infeasible = {{"k config-4", "it hung"}};
  REQUIRE(store.save(first).empty());
  ChoiceEntry second = entry_of("region", 2, 20);
  second.infeasible = {{"k config-5", "it hung"}};
  second.choices.push_back(entry_of("region", 1, 10).choices[0]);
  second.choices[1].reason = "locked in by an earlier run";
  second.choices[1].reused = true;
  REQUIRE(store.save(second).empty());
  std::vector<ChoiceEntry> entries = store.load().entries;
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].choices[1] == first.choices[0]);
  CHECK(entries[0].infeasible ==
        std::vector<Infeasible>{{"k config-5", "it hung"}, {"k config-4", "it hung"}});
  // Another config, or the same one that was measured anew, has reasons of its own.
  second.choices[1].config_id = 11;
  REQUIRE(store.save(second).empty());
  CHECK(store.load().entries[0].choices[1].reason == "locked in by an earlier run");
  second.choices[1].reused = false;
  second.choices[1].reason = "measured";
  REQUIRE(store.save(second).empty());
  CHECK(store.load().entries[0].choices[1].reason == "measured");
}

TEST_CASE("ChoiceStore: entries of many threads are all there, and of one set the newest", "[unit]") {
  const TemporaryDirectory directory;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      const ChoiceStore store(directory.path(), "region");
      for (std::size_t i = 0; i < 20; ++i) {
        static_cast<void>(store.save(entry_of("region", thread, i)));
        static_cast<void>(store.load());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(configs_in(ChoiceStore(directory.path(), "region")) == std::vector<std::size_t>(8, 19));
}

}  // namespace choice_store_test
