#include "contextual/storage/choice_store.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
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

ChoiceSet entry_of(const std::string& region, int key, std::size_t config_id) {
  ChoiceSet entry;
  entry.region = region;
  entry.choices.push_back({"k", "", make_key(key), "", 0, {{"k", 1}}, 1'000'000, config_id, "{}", "", {}});
  return entry;
}

std::vector<std::size_t> configs_in(const ChoiceStore& store) {
  std::vector<std::size_t> configs;
  for (const ChoiceSet& entry : store.read().file.sets) {
    configs.push_back(entry.choices.front().config_id);
  }
  return configs;
}

}  // namespace

TEST_CASE("ChoiceStore: the newest set of each purpose counts, and comes first", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  CHECK(configs_in(store).empty());
  for (const auto& [key, config] : std::vector<std::pair<int, std::size_t>>{{1, 10}, {2, 20}, {1, 11}}) {
    CHECK(store.save(entry_of("region", key, config)).empty());
  }
  CHECK(configs_in(store) == std::vector<std::size_t>{11, 20});
}

TEST_CASE("ChoiceStore: regions have files of their own, whatever their names are", "[unit]") {
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

TEST_CASE("ChoiceStore: a file that is damaged, of another format or of another region is named, and stays",
          "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  const std::string good = engine_test::text_of_file(store.path());
  std::string older = good;
  older.replace(older.find("\"format\": 5"), 11, "\"format\": 4");
  std::string other = good;
  other.replace(other.find("\"region\": \"region\""), 18, "\"region\": \"rogion\"");
  for (const std::string& text : {std::string(), std::string("{}"), older, other, good.substr(0, 200)}) {
    std::ofstream(store.path()) << text;
    for (int look = 0; look < 2; ++look) {
      const ChoiceStore::Kept kept = store.read();
      CHECK(kept.file.sets.empty());
      REQUIRE(kept.problems.size() == 1);
      CHECK_THAT(kept.problems[0], ContainsSubstring(store.path().string() + " is not used: "));
      CHECK(kept.pins_unknown.empty());
    }
    CHECK_THAT(store.save(entry_of("region", 1, 11)), ContainsSubstring(store.path().string()));
    CHECK(engine_test::text_of_file(store.path()) == text);
  }
}

TEST_CASE("ChoiceStore: a file that is longer than any of a region is named, and not read", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  fs::resize_file(store.path(), 100'000'000);  // without blocks on the disk
  const ChoiceStore::Kept kept = store.read();
  CHECK(kept.file.sets.empty());
  CHECK(kept.pins_unknown.empty());
  const std::string problem =
      store.path().string() + " is not used: it has 100000000 bytes, and no such file has more than 33554432";
  CHECK(kept.problems == std::vector<std::string>{problem});
  CHECK(store.save(entry_of("region", 1, 11)) == problem);
  const Regions regions = regions_in(directory.path());
  CHECK(regions.names.empty());
  CHECK(regions.problems == std::vector<std::string>{problem});
}

TEST_CASE("ChoiceStore: where a file that cannot be used may pin something, that is said", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  const auto is_unknown = [&] {
    const ChoiceStore::Kept kept = store.read();
    CHECK(kept.file.sets.empty());
    return !kept.pins_unknown.empty();
  };
  std::ofstream(store.path()) << R"({"format": 5, "region": "region", "pin": [)";
  CHECK(is_unknown());
  CHECK_THAT(store.read().pins_unknown,
             ContainsSubstring("what is pinned in " + store.path().string() + " is not known"));
  std::ofstream(store.path()) << R"({"format": 4, "region": "region", "pins": [{}]})";
  CHECK(is_unknown());
  std::ofstream(store.path()) << R"({"format": 5, "region": "region", "pins": [{}]})";
  CHECK(is_unknown());
  fs::permissions(store.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK(is_unknown());
  std::ofstream(store.path()) << R"({"format": 5, "region": "region"})";
  CHECK_FALSE(is_unknown());  // nothing is pinned there, whoever has written it
}

TEST_CASE("ChoiceStore: what others can write is named, and stays where it is", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  fs::permissions(store.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK(store.read().file.sets.empty());
  CHECK(store.read().problems.size() == 1);
  CHECK_FALSE(store.save(entry_of("region", 2, 20)).empty());
  CHECK(fs::exists(store.path()));
}

TEST_CASE(
    "ChoiceStore: what a folder of the former layout has left is named, and its pins are not passed over",
    "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  const contextual::detail::TrustedFolder former(directory.path(), "choices/region");
  REQUIRE(former.write("0-0.json", "{}").empty());
  ChoiceStore::Kept kept = store.read();
  CHECK(kept.file.sets.size() == 1);
  REQUIRE(kept.problems.size() == 1);
  CHECK_THAT(kept.problems[0], ContainsSubstring(former.path().string()));
  CHECK(kept.pins_unknown.empty());
  REQUIRE(former.write("mine.pin", "{}").empty());
  kept = store.read();
  CHECK_THAT(kept.pins_unknown, ContainsSubstring(former.path().string()));
  CHECK(fs::exists(former.path() / "0-0.json"));
}

TEST_CASE("ChoiceStore: a damaged set is named, and gone with the next write", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  REQUIRE(store.save(entry_of("region", 2, 20)).empty());
  std::string text = engine_test::text_of_file(store.path());
  text.replace(text.find("\"config_id\":20"), 14, "\"config_id\":21");
  std::ofstream(store.path()) << text;
  CHECK(configs_in(store) == std::vector<std::size_t>{10});
  REQUIRE(store.read().problems.size() == 1);
  CHECK_THAT(store.read().problems[0],
             ContainsSubstring(store.path().string()) && ContainsSubstring("digest"));
  REQUIRE(store.save(entry_of("region", 3, 30)).empty());
  CHECK(store.read().problems.empty());
  CHECK(configs_in(store) == std::vector<std::size_t>{30, 10});
}

TEST_CASE("ChoiceStore: without the lock nothing is kept after 1 s, and readers need none", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  const std::string lock = directory.path() / "choices" / ".lock";
  const int held = ::open(lock.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(store.save(entry_of("region", 1, 11)) == lock + ": other processes have held this lock for 1 s");
  const auto waited = std::chrono::steady_clock::now() - begin;
  CHECK(waited >= std::chrono::seconds(1));
  CHECK(waited < std::chrono::seconds(5));
  CHECK(configs_in(store) == std::vector<std::size_t>{10});
  ::close(held);
  CHECK(store.save(entry_of("region", 1, 11)).empty());
  CHECK(configs_in(store) == std::vector<std::size_t>{11});
}

TEST_CASE("ChoiceStore: a region without anything left has no file", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(store.save(entry_of("region", 1, 10)).empty());
  CHECK(store.change([](RegionFile&) { return false; }).empty());
  CHECK(fs::exists(store.path()));
  CHECK(store.change([](RegionFile& file) { return file.sets.clear(), true; }).empty());
  CHECK_FALSE(fs::exists(store.path()));
}

TEST_CASE("ChoiceStore: what was reused keeps the reason and the times of when it was chosen", "[unit]") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  ChoiceSet first = entry_of("region", 1, 10);
  first.choices[0].reason = "it was fast";
  first.choices[0].time_ns = 70;
  first.choices[0].time_spread_ns = 3;
  first.infeasible = {{"k config-4", "it hung"}};
  REQUIRE(store.save(first).empty());
  ChoiceSet second = entry_of("region", 2, 20);
  second.infeasible = {{"k config-5", "it hung"}};
  second.choices.push_back(entry_of("region", 1, 10).choices[0]);
  second.choices[1].reason = "locked in by an earlier run";
  second.choices[1].reused = true;
  REQUIRE(store.save(second).empty());
  std::vector<ChoiceSet> entries = store.read().file.sets;
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].choices[1] == first.choices[0]);
  CHECK(entries[0].infeasible ==
        std::vector<Infeasible>{{"k config-5", "it hung"}, {"k config-4", "it hung"}});
  // Another config, or the same one that was measured anew, has reasons of its own.
  second.choices[1].config_id = 11;
  REQUIRE(store.save(second).empty());
  CHECK(store.read().file.sets[0].choices[1].reason == "locked in by an earlier run");
  second.choices[1].reused = false;
  second.choices[1].reason = "measured";
  REQUIRE(store.save(second).empty());
  CHECK(store.read().file.sets[0].choices[1].reason == "measured");
}

TEST_CASE("ChoiceStore: sets of many threads are all there, and of one set the newest", "[unit]") {
  const TemporaryDirectory directory;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      const ChoiceStore store(directory.path(), "region");
      for (std::size_t i = 0; i < 20; ++i) {
        static_cast<void>(store.save(entry_of("region", thread, i)));
        static_cast<void>(store.read());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(configs_in(ChoiceStore(directory.path(), "region")) == std::vector<std::size_t>(8, 19));
}

}  // namespace choice_store_test
