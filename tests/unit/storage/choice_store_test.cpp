#include "contextual/storage/choice_store.hpp"

#include "support/engine.hpp"

#include <future>
#include <thread>

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

/// Of all choices, those of the newest set first.
std::vector<std::size_t> configs_in(const ChoiceStore& store) {
  std::vector<std::size_t> configs;
  for (const ChoiceSet& entry : store.read_all().file.sets) {
    for (const KeptChoice& choice : entry.choices) {
      configs.push_back(choice.config_id);
    }
  }
  return configs;
}

std::string save(const ChoiceStore& store, const ChoiceSet& entry) {
  return store.save(entry, {entry.machines});
}

/// The file of the sets that `entry_of` returns.
fs::path file_of(const ChoiceStore& store) {
  return store.path(store.name_of_sets({}));
}

fs::path pins_of(const ChoiceStore& store) {
  return store.path(store.name_of_pins());
}

}  // namespace

TEST_CASE("ChoiceStore: what is newest of each problem counts, and comes first") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  CHECK(configs_in(store).empty());
  for (const auto& [key, config] : std::vector<std::pair<int, std::size_t>>{{1, 10}, {2, 20}, {1, 11}}) {
    CHECK(save(store, entry_of("region", key, config)).empty());
  }
  CHECK(configs_in(store) == std::vector<std::size_t>{11, 20});
}

TEST_CASE("ChoiceStore: regions have files of their own, whatever their names are") {
  const TemporaryDirectory directory;
  const std::string long_name(300, 'x');
  const std::vector<std::string> regions{"a", "A",        "a/b",     "a%2Fb",         "..",
                                         "",  "\xc3\xa4", "caf\xe9", long_name + "1", long_name + "2"};
  for (std::size_t i = 0; i < regions.size(); ++i) {
    REQUIRE(save(ChoiceStore(directory.path(), regions[i]), entry_of(regions[i], 1, i)).empty());
  }
  for (std::size_t i = 0; i < regions.size(); ++i) {
    CHECK(configs_in(ChoiceStore(directory.path(), regions[i])) == std::vector<std::size_t>{i});
  }
  CHECK(file_name_of("a/b") == "a%2Fb");
  CHECK(file_name_of("..") == "%2E%2E");
}

TEST_CASE("ChoiceStore: a file that is damaged, of another format or of another region is named, and stays") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, entry_of("region", 1, 10)).empty());
  const std::string good = engine_test::text_of_file(file_of(store));
  std::string older = good;
  older.replace(older.find("\"format\": 6"), 11, "\"format\": 5");
  std::string other = good;
  other.replace(other.find("\"region\": \"region\""), 18, "\"region\": \"rogion\"");
  for (const std::string& text : {std::string(), std::string("{}"), older, other, good.substr(0, 200)}) {
    std::ofstream(file_of(store)) << text;
    for (int look = 0; look < 2; ++look) {
      const ChoiceStore::Kept kept = store.read_all();
      CHECK(kept.file.sets.empty());
      CHECK_THAT(only(kept.problems), ContainsSubstring(file_of(store).string() + " is not used: "));
      CHECK(kept.pins_unknown.empty());
    }
    CHECK_THAT(save(store, entry_of("region", 1, 11)), ContainsSubstring(file_of(store).string()));
    CHECK(engine_test::text_of_file(file_of(store)) == text);
  }
}

TEST_CASE("ChoiceStore: a file that is longer than any of a region is named, and not read") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, entry_of("region", 1, 10)).empty());
  fs::resize_file(file_of(store), 100'000'000);  // without blocks on the disk
  const ChoiceStore::Kept kept = store.read_all();
  CHECK(kept.file.sets.empty());
  CHECK(kept.pins_unknown.empty());
  const std::string problem = file_of(store).string() +
                              " is not used: it has 100000000 bytes, and no such file has more than 33554432";
  CHECK(kept.problems == std::vector<std::string>{problem});
  CHECK(save(store, entry_of("region", 1, 11)) == problem);
  std::vector<std::string> problems;
  CHECK(files_in(directory.path(), {}, problems).empty());
  CHECK(problems == std::vector<std::string>{problem});
}

TEST_CASE("ChoiceStore: where a file that cannot be used may pin something, that is said") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, entry_of("region", 1, 10)).empty());
  REQUIRE(contextual::detail::TrustedFolder(directory.path(), choices_folder)
              .write(store.name_of_pins(), R"({"format": 6, "region": "region", "pin": [)")
              .empty());
  const auto is_unknown = [&] {
    const ChoiceStore::Kept kept = store.read_all();
    CHECK(kept.file.sets.size() == 1);
    return !kept.pins_unknown.empty();
  };
  CHECK(is_unknown());
  CHECK_THAT(store.read_all().pins_unknown,
             ContainsSubstring("what is pinned in " + pins_of(store).string() + " is not known"));
  std::ofstream(pins_of(store)) << R"({"format": 5, "region": "region", "pins": [{}]})";
  CHECK(is_unknown());
  std::ofstream(pins_of(store)) << R"({"format": 6, "region": "region", "pins": [{}]})";
  CHECK(is_unknown());
  fs::permissions(pins_of(store), fs::perms::others_write, fs::perm_options::add);
  CHECK(is_unknown());
  std::ofstream(pins_of(store)) << R"({"format": 6, "region": "region"})";
  CHECK(is_unknown());  // somebody else may have written it
  fs::permissions(pins_of(store), fs::perms::others_write, fs::perm_options::remove);
  CHECK_FALSE(is_unknown());  // it pins nothing
  std::ofstream(pins_of(store)) << R"({"format": 5, "region": "region", "sets": []})";
  CHECK_FALSE(is_unknown());  // nor does one of another format
}

TEST_CASE("ChoiceStore: a pin among the sets of a machine is an error that says where it belongs") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, entry_of("region", 1, 10)).empty());
  std::string text = engine_test::text_of_file(file_of(store));
  text.insert(text.find("\"sets\""), R"("pins": [{"kernel": "k", "config_id": 1}], )");
  std::ofstream(file_of(store)) << text;
  CHECK_THAT(store.read_all().pins_unknown,
             ContainsSubstring(file_of(store).string() + " has pins, which belong in region.json"));
  CHECK(configs_in(store) == std::vector<std::size_t>{10});
}

TEST_CASE("ChoiceStore: a damaged set is named, and gone with the next write") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, entry_of("region", 1, 10)).empty());
  ChoiceSet rebuilt = entry_of("region", 2, 20);
  rebuilt.choices[0].launched[0].table_digest = 2;
  REQUIRE(save(store, rebuilt).empty());
  std::string text = engine_test::text_of_file(file_of(store));
  text.replace(text.find("\"config_id\":20"), 14, "\"config_id\":21");
  std::ofstream(file_of(store)) << text;
  CHECK(configs_in(store) == std::vector<std::size_t>{10});
  CHECK_THAT(only(store.read_all().problems), ContainsAll(file_of(store).string(), "digest"));
  REQUIRE(save(store, entry_of("region", 3, 30)).empty());
  CHECK(store.read_all().problems.empty());
  CHECK(configs_in(store) == std::vector<std::size_t>{30, 10});
}

TEST_CASE("ChoiceStore: a writer that is stuck costs others nothing, and loses none of what they write") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, entry_of("region", 1, 10)).empty());
  std::promise<void> stuck;
  std::promise<void> freed;
  std::string problem = "it has not come back";
  std::thread writer([&] {
    bool first = true;
    problem = store.change(store.name_of_sets({}), [&](RegionFile& file) {
      add_newest(file.sets, entry_of("region", 2, 20), {}, {});
      if (std::exchange(first, false)) {
        stuck.set_value();
        freed.get_future().wait();
      }
      return true;
    });
  });
  stuck.get_future().wait();
  CHECK(save(store, entry_of("region", 3, 30)).empty());
  CHECK(configs_in(store) == std::vector<std::size_t>{30, 10});
  freed.set_value();
  writer.join();
  CHECK(problem.empty());
  CHECK(configs_in(store) == std::vector<std::size_t>{20, 30, 10});
}

TEST_CASE("ChoiceStore: a file that always changes meanwhile is replaced after some attempts") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  std::size_t calls = 0;
  const std::string problem = store.change(store.name_of_sets({}), [&](RegionFile& file) {
    REQUIRE(++calls < 1000);
    add_newest(file.sets, entry_of("region", 1, 10), {}, {});
    REQUIRE(save(store, entry_of("region", 2, calls)).empty());
    return true;
  });
  CHECK(problem.empty());
  CHECK(calls > 1);
  CHECK(configs_in(store).front() == 10);
}

TEST_CASE("ChoiceStore: each kind of machine has a file of its own, and its sets come first") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  const auto machine = [](const std::string& devices, const std::string& driver,
                          const std::string& processor) {
    return contextual::detail::Machine{{"devices", devices}, {"driver", driver}, {"processor", processor}};
  };
  const auto keep = [&](const contextual::detail::Machine& where, std::size_t config_id,
                        const std::string& written) {
    ChoiceSet entry = entry_of("region", 1, config_id);
    entry.machines = {where, machine("of another rank", "", "")};
    entry.written = written;
    REQUIRE(save(store, entry).empty());
  };
  keep(machine("A", "1", "x"), 1, "1");
  keep(machine("A", "2", "x"), 2, "2");
  keep(machine("A", "1", "y"), 3, "3");
  keep(machine("B", "1", "x"), 4, "4");
  keep(machine("C", "1", "x"), 5, "5");
  std::vector<std::string> problems;
  CHECK(files_in(directory.path(), "region", problems).size() == 3);
  const auto first_on = [&](const contextual::detail::Machine& here) {
    std::vector<std::size_t> configs;
    for (const ChoiceSet& set : store.read_all(here).file.sets) {
      configs.push_back(set.choices[0].config_id);
    }
    return configs;
  };
  CHECK(first_on(machine("A", "3", "z")) == std::vector<std::size_t>{3, 2, 1, 5, 4});
  CHECK(first_on(machine("B", "3", "z")) == std::vector<std::size_t>{4, 5, 3, 2, 1});
  CHECK(problems.empty());
}

TEST_CASE("ChoiceStore: a region without anything left has no file") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, entry_of("region", 1, 10)).empty());
  CHECK(store.change(store.name_of_sets({}), [](RegionFile&) { return false; }).empty());
  CHECK(fs::exists(file_of(store)));
  CHECK(
      store.change(store.name_of_sets({}), [](RegionFile& file) { return file.sets.clear(), true; }).empty());
  CHECK_FALSE(fs::exists(file_of(store)));
}

}  // namespace choice_store_test
