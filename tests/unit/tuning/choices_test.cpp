#include "contextual/storage/choice_store.hpp"
#include "contextual/storage/file_calls.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <contextual/choices.hpp>
#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/machine.hpp>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace choices_test {

using namespace contextual;
using contextual::storage::ChoiceEntry;
using contextual::storage::ChoiceStore;
using contextual::storage::to_json;
using engine_test::TemporaryDirectory;

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

ChoiceEntry entry_of(const std::string& region, int key, std::size_t config_id,
                     const std::string& kernel = "k") {
  ChoiceEntry entry;
  entry.region = region;
  entry.written = "2026-01-02T03:04:05Z";
  entry.machines = {detail::machine_text()};
  entry.makespan_ns = 5'000;
  entry.choices.push_back({kernel,
                           "",
                           make_key(key),
                           "(" + std::to_string(key) + ")",
                           0,
                           {{kernel, 1}},
                           100,
                           config_id,
                           R"({"B":)" + std::to_string(config_id) + "}",
                           "it was fast",
                           70,
                           2});
  entry.makespan_spread_ns = 40;
  entry.infeasible = {{"k config-1", "it hung"}};
  return entry;
}

constexpr std::uint64_t hour_ns = 3'600'000'000'000ULL;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

/// A cache directory, and what is kept in it.
struct Kept {
  TemporaryDirectory directory;
  KeptChoices choices{directory.path()};

  const fs::path& path() const { return directory.path(); }

  /// As a writer would have written it so long ago.
  fs::path plant(const ChoiceEntry& entry, std::chrono::nanoseconds ago = 0ns) const {
    const ChoiceStore store(path(), entry.region);
    const std::uint64_t time_ns = now_ns() - static_cast<std::uint64_t>(ago.count());
    const std::string name =
        detail::hex_text(time_ns) + "-" +
        detail::hex_text(detail::StableHash().add(std::string_view(to_json(entry))).value()) + ".json";
    REQUIRE(store.folder().write(name, to_json(entry)).empty());
    return store.path() / name;
  }
};

std::vector<std::size_t> configs_in(const KeptChoices::Contents& contents) {
  std::vector<std::size_t> configs;
  for (const KeptSet& set : contents.sets) {
    configs.push_back(set.configs.at(0).config_id);
  }
  return configs;
}

std::vector<fs::path> sorted(std::vector<fs::path> files) {
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("KeptChoices: lists the sets of all regions or of one, the newest first, and says which count",
          "[unit]") {
  const Kept kept;
  CHECK(kept.choices.list().sets.empty());
  const std::string long_name(300, 'x');
  const fs::path older = kept.plant(entry_of("a/b", 1, 10), 2h);
  kept.plant(entry_of("a/b", 1, 11), 1h);
  kept.plant(entry_of("a/b", 2, 20));
  kept.plant(entry_of(long_name, 3, 30));
  const KeptChoices::Contents all = kept.choices.list();
  CHECK(all.problems.empty());
  CHECK(configs_in(all) == std::vector<std::size_t>{20, 11, 10, 30});
  CHECK(all.sets[3].region == long_name);
  CHECK(configs_in(kept.choices.list("a/b")) == std::vector<std::size_t>{20, 11, 10});
  CHECK(kept.choices.list("a").sets.empty());
  const KeptSet& set = all.sets[2];
  CHECK(set.file == older);
  CHECK(set.superseded);
  CHECK_FALSE(all.sets[1].superseded);
  CHECK(set.written == "2026-01-02T03:04:05Z");
  CHECK(set.makespan_ns == 5'000);
  const KeptConfig& config = set.configs.at(0);
  CHECK(config.kernel == "k");
  CHECK(config.key == "(1)");
  CHECK(config.config == Config{{"B", 10}});
  CHECK(config.config_count == 100);
  CHECK(config.reason == "it was fast");
  CHECK(config.time_ns == 70);
  CHECK(config.time_spread_ns == 2);
  CHECK(set.makespan_spread_ns == 40);
  REQUIRE(set.infeasible.size() == 1);
  CHECK(set.infeasible[0].what == "k config-1");
  CHECK(set.infeasible[0].reason == "it hung");
}

TEST_CASE("KeptChoices: names what is damaged, and what others can write, and leaves it", "[unit]") {
  const Kept kept;
  const fs::path good = kept.plant(entry_of("r", 1, 10));
  const fs::path damaged = kept.plant(entry_of("r", 2, 20));
  std::ofstream(damaged, std::ios::app) << "x";
  const fs::path open = kept.plant(entry_of("r", 3, 30));
  fs::permissions(open, fs::perms::others_write, fs::perm_options::add);
  const KeptChoices::Contents contents = kept.choices.list();
  CHECK(configs_in(contents) == std::vector<std::size_t>{10});
  REQUIRE(contents.problems.size() == 2);
  CHECK_THAT(contents.problems[0], ContainsSubstring(open.string()) && ContainsSubstring("others can write"));
  CHECK_THAT(contents.problems[1], ContainsSubstring(damaged.string()));
  CHECK(fs::exists(damaged));
  fs::permissions(kept.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK(kept.choices.list().sets.empty());
  CHECK_THAT(kept.choices.list().problems.at(0), ContainsSubstring("others can write"));
}

TEST_CASE("KeptChoices: prune removes what is superseded, damaged or left over, and by age what counts",
          "[unit]") {
  const Kept kept;
  const fs::path superseded = kept.plant(entry_of("r", 1, 10), 30h);
  const fs::path newest = kept.plant(entry_of("r", 1, 11), 2h);
  const fs::path old = kept.plant(entry_of("r", 2, 20), 40h);
  const fs::path damaged = newest.string() + ".damaged";
  std::ofstream(damaged) << "x";
  const auto temporary = [&](std::uint64_t age_ns) {
    fs::path path = newest.parent_path() / ("." + detail::hex_text(now_ns() - age_ns) + "-" +
                                            detail::hex_text(1) + ".json.node.1.0.2.part");
    std::ofstream(path) << "half";
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::nanoseconds(age_ns));
    return path;
  };
  const fs::path left = temporary(2 * hour_ns);
  const fs::path being_written = temporary(0);
  const std::vector<fs::path> goes = sorted({superseded, damaged, left});
  CHECK(sorted(kept.choices.prune({.dry_run = true}).files) == goes);
  CHECK(fs::exists(superseded));
  const KeptChoices::Changes changes = kept.choices.prune({});
  CHECK(sorted(changes.files) == goes);
  CHECK(changes.problems.empty());
  for (const fs::path& file : goes) {
    CHECK_FALSE(fs::exists(file));
  }
  CHECK(fs::exists(being_written));
  const fs::path journals = kept.path() / "journal" / "r";
  fs::create_directories(journals);
  fs::permissions(kept.path() / "journal", fs::perms::owner_all);
  fs::permissions(journals, fs::perms::owner_all);
  const auto journal = [&](const std::string& name, std::chrono::hours age) {
    std::ofstream(journals / name) << "line";
    fs::last_write_time(journals / name, fs::file_time_type::clock::now() - age);
    return journals / name;
  };
  const fs::path cut_off = journal("a.journal", std::chrono::hours(30));
  const fs::path going_on = journal("b.journal", std::chrono::hours(2));
  CHECK(kept.choices.prune({}).files.empty());
  CHECK(sorted(kept.choices.prune({.older_than = std::chrono::hours(24)}).files) == sorted({old, cut_off}));
  CHECK(fs::exists(going_on));
  CHECK(configs_in(kept.choices.list()) == std::vector<std::size_t>{11});
}

TEST_CASE("KeptChoices: a set that a newer one contradicts is superseded where that counts in any case",
          "[unit]") {
  const Kept kept;
  const auto both = [](int key, std::size_t config_of_g) {
    ChoiceEntry entry = entry_of("r", key, 10);
    entry.choices.push_back(entry_of("r", 0, config_of_g, "g").choices[0]);
    return entry;
  };
  const fs::path contradicted = kept.plant(both(1, 4), 4h);
  ChoiceEntry other_kernels = both(3, 4);
  other_kernels.choices[0].launched[0].table_digest = 2;  // where its kernel is like that, it counts
  kept.plant(other_kernels, 3h);
  kept.plant(both(2, 5), 2h);
  kept.plant(both(4, 5), 1h);
  const auto sets = kept.choices.list().sets;
  REQUIRE(sets.size() == 4);
  CHECK_FALSE(sets[0].superseded);
  CHECK_FALSE(sets[1].superseded);
  CHECK_FALSE(sets[2].superseded);
  CHECK(sets[3].superseded);
  CHECK(kept.choices.prune({}).files == std::vector<fs::path>{contradicted});
}

TEST_CASE("KeptChoices: prune leaves what a tuning has left alone while a process uses it", "[unit]") {
  const Kept kept;
  const detail::TrustedFolder folder(kept.path(), "journal/r");
  const auto old = [&](const std::string& name) {
    REQUIRE(folder.write(name, "line").empty());
    fs::last_write_time(folder.path() / name, fs::file_time_type::clock::now() - std::chrono::hours(30));
    return folder.path() / name;
  };
  // Also what an older format has left.
  const std::vector<fs::path> files =
      sorted({old("a.journal"), old("b.journal"), old("c.0.flight"), old("c.strikes")});
  for (const fs::path& used : files) {
    const int held = ::open(used.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(held, LOCK_SH) == 0);
    std::vector<fs::path> others = files;
    std::erase(others, used);
    CHECK(sorted(kept.choices.prune({.older_than = std::chrono::seconds(0), .dry_run = true}).files) ==
          others);
    ::close(held);
  }
  fs::last_write_time(files[1], fs::file_time_type::clock::now());
  CHECK(sorted(kept.choices.prune({.older_than = std::chrono::hours(24)}).files) ==
        std::vector<fs::path>{files[0], files[2], files[3]});
  CHECK(kept.choices.prune({.older_than = std::chrono::hours(24)}).files.empty());
  CHECK(kept.choices.prune({.older_than = std::chrono::seconds(0)}).files == std::vector<fs::path>{files[1]});
  CHECK(fs::is_empty(folder.path()));
}

namespace {

/// Opens files so that they cannot be locked.
int open_unlockable(int folder, const char* name, int flags, mode_t mode) {
  const bool file = (flags & O_DIRECTORY) == 0;
  return storage::posix_file_calls().openat(folder, name, file ? O_PATH | O_CLOEXEC : flags, mode);
}

/// As NFS locks files exclusively: only those that are open for writing.
int open_lockable_if_written(int folder, const char* name, int flags, mode_t mode) {
  const bool reads = (flags & O_ACCMODE) == O_RDONLY;
  return reads ? open_unlockable(folder, name, flags, mode)
               : storage::posix_file_calls().openat(folder, name, flags, mode);
}

}  // namespace

TEST_CASE("KeptChoices: prune leaves what a tuning has left where nobody can say whether it is in use",
          "[unit]") {
  const Kept kept;
  const detail::TrustedFolder folder(kept.path(), "journal/r");
  REQUIRE(folder.write("a.journal", "line").empty());
  fs::last_write_time(folder.path() / "a.journal", fs::file_time_type::clock::now() - std::chrono::hours(30));
  const KeptChoices::Prune old{.older_than = std::chrono::hours(24)};
  storage::FileCalls calls = storage::posix_file_calls();
  {
    calls.openat = open_unlockable;
    const storage::FileCallsReplacement replacement(calls);
    CHECK(kept.choices.prune(old).files.empty());
  }
  calls.openat = open_lockable_if_written;
  const storage::FileCallsReplacement replacement(calls);
  {
    const int held = ::open((folder.path() / "a.journal").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(held, LOCK_EX) == 0);
    CHECK(kept.choices.prune(old).files.empty());
    ::close(held);
  }
  CHECK(kept.choices.prune(old).files == std::vector<fs::path>{folder.path() / "a.journal"});
}

TEST_CASE("KeptChoices: a folder of a region that is refused may pin something, and that is told once",
          "[unit]") {
  const Kept kept;
  kept.plant(entry_of("r", 1, 10));
  REQUIRE(kept.choices.pin({.region = "r", .kernel = "k", .config_id = 1}).problems.empty());
  const ChoiceStore store(kept.path(), "r");
  fs::permissions(store.path(), fs::perms::others_write, fs::perm_options::add);
  const std::vector<std::string> problems = kept.choices.list("r").problems;
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0], ContainsSubstring(store.path().string()) && ContainsSubstring("others can write"));
  CHECK(kept.choices.unpin("r").files.empty());
  CHECK(kept.choices.unpin("r").problems.size() == 1);
  REQUIRE(store.pin_files().size() == 1);
  CHECK_THAT(store.pin_files()[0].refusal, ContainsSubstring("what is pinned in " + store.path().string()));
  fs::permissions(store.path(), fs::perms::others_write, fs::perm_options::remove);
  REQUIRE(kept.choices.unpin("r").files.size() == 1);
  fs::permissions(store.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK(store.pin_files().empty());  // nothing is pinned there, whoever has written it
}

TEST_CASE("KeptChoices: no pin is written whose key also names an alternative", "[unit]") {
  const Kept kept;
  for (const char* key : {"() in fn (7): {TILE: 1}", "{M: 1} in fn (7): {TILE: 1}"}) {
    CHECK_THROWS_AS(kept.choices.pin({.region = "r", .kernel = "k", .key = key, .config_id = 1}),
                    InvalidArgument);
  }
  CHECK(kept.choices.list("r").pins.empty());
  CHECK(kept.choices.pin({.region = "r", .kernel = "k", .key = "((1, 2), [3], a in b)", .config_id = 1})
            .files.size() == 1);
}

TEST_CASE("KeptChoices: prune keeps the newest of each purpose of very many", "[unit]") {
  const Kept kept;
  constexpr int purposes = 5;
  constexpr int files = 500;
  for (int i = 0; i < files; ++i) {
    kept.plant(entry_of("r", i % purposes, static_cast<std::size_t>(i % 100)),
               1h - std::chrono::nanoseconds(i));
  }
  CHECK(kept.choices.prune({}).files.size() == files - purposes);
  CHECK(configs_in(kept.choices.list()) == std::vector<std::size_t>{99, 98, 97, 96, 95});
}

TEST_CASE("KeptChoices: a region with a long name is known by its pins, and pruned where nothing names it",
          "[unit]") {
  const Kept kept;
  const std::string pinned_region(300, 'p');
  REQUIRE(kept.choices.pin({.region = pinned_region, .kernel = "k", .config_id = 1}).problems.empty());
  const std::string long_region(300, 'd');
  const fs::path damaged = kept.plant(entry_of(long_region, 1, 10));
  fs::rename(damaged, damaged.string() + ".damaged");
  const KeptChoices::Contents contents = kept.choices.list();
  CHECK(contents.problems.empty());
  REQUIRE(contents.pins.size() == 1);
  CHECK(contents.pins[0].region == pinned_region);
  const KeptChoices::Changes changes = kept.choices.prune({});
  CHECK(changes.problems.empty());
  CHECK(changes.files == std::vector<fs::path>{damaged.string() + ".damaged"});
  CHECK(kept.choices.list().pins.size() == 1);
  const fs::path foreign = damaged.parent_path() / "foreign.json";  // its reader may name it
  std::ofstream(foreign) << "{}";
  CHECK(kept.choices.list().problems.size() == 1);
  CHECK(kept.choices.prune({}).files.empty());
  CHECK(fs::exists(foreign));
}

TEST_CASE("KeptChoices: forget removes the sets of a region, or those with a kernel", "[unit]") {
  const Kept kept;
  ChoiceEntry both = entry_of("r", 1, 10);
  both.choices.push_back(entry_of("r", 2, 20, "other").choices[0]);
  kept.plant(both);
  kept.plant(entry_of("r", 3, 30));
  kept.plant(entry_of("s", 4, 40, "other"));
  CHECK(kept.choices.forget("r", "other").files.size() == 1);
  CHECK(configs_in(kept.choices.list()) == std::vector<std::size_t>{30, 40});
  CHECK(kept.choices.forget("r").files.size() == 1);
  CHECK(configs_in(kept.choices.list()) == std::vector<std::size_t>{40});
  CHECK(kept.choices.forget("nothing").files.empty());
}

TEST_CASE("KeptChoices: what is exported can be imported elsewhere once, and is as old as it was", "[unit]") {
  const Kept kept;
  const Kept elsewhere;
  kept.plant(entry_of("r", 1, 10), 3h);
  kept.plant(entry_of("r", 1, 11), 2h);
  kept.plant(entry_of("s", 2, 20), 2h);
  elsewhere.plant(entry_of("r", 1, 12));
  const std::string text = kept.choices.export_choices().text;
  CHECK(elsewhere.choices.import_choices(text).files.size() == 2);
  CHECK(configs_in(elsewhere.choices.list()) == std::vector<std::size_t>{12, 11, 20});
  CHECK(elsewhere.choices.list().sets[1].superseded);
  CHECK(elsewhere.choices.import_choices(text).files.empty());
  CHECK(configs_in(kept.choices.list("r")).size() == 2);
  const auto only_s = nlohmann::json::parse(kept.choices.export_choices("s").text);
  CHECK(only_s.at("sets").size() == 1);
}

TEST_CASE("KeptChoices: nothing of a damaged text is imported", "[unit]") {
  const Kept kept;
  const Kept elsewhere;
  kept.plant(entry_of("r", 1, 10));
  kept.plant(entry_of("r", 2, 20));
  const std::string text = kept.choices.export_choices().text;
  std::string changed = text;
  changed.replace(changed.find("it was fast"), 2, "IT");
  std::string escaping = text;
  escaping.replace(escaping.find(R"("file": ")") + 9, 2, "..");
  for (const std::string& bad :
       {std::string(), std::string("{}"), text.substr(0, text.size() / 2), changed, escaping}) {
    CHECK_THROWS_AS(elsewhere.choices.import_choices(bad), InvalidArgument);
    CHECK(elsewhere.choices.list().sets.empty());
  }
}

TEST_CASE("KeptChoices: a machine differs from a set's by line, and only some lines may differ", "[unit]") {
  detail::describe_machine("test part", [] { return std::string("new"); });
  KeptSet set;
  set.machines = {detail::machine_text(), detail::machine_text()};
  CHECK(KeptChoices::differences(set).empty());
  std::string& machine = set.machines[1];
  machine.replace(machine.find("test part: new"), 14, "test part: old");
  machine.replace(machine.find("library: "), 9, "library: 0");
  const std::vector<MachineDifference> differences = KeptChoices::differences(set);
  REQUIRE(differences.size() == 2);
  CHECK(differences[0].part == "library");
  CHECK(differences[0].version);
  CHECK(differences[1].rank == 1);
  CHECK(differences[1].part == "test part");
  CHECK(differences[1].then == "old");
  CHECK(differences[1].now == "new");
  CHECK_FALSE(differences[1].version);
}

TEST_CASE("KeptChoices: a part that is there and empty differs, and one that a side does not know may not",
          "[unit]") {
  const Kept kept;
  detail::describe_machine("test part", [] { return std::string(); });
  const auto standing_with = [&](const std::string& from, const std::string& to) {
    ChoiceEntry entry = entry_of("r", 1, 10);
    std::string& machine = entry.machines[0];
    machine.replace(machine.find(from), from.size(), to);
    kept.plant(entry);
    const KeptStanding standing = kept.choices.list().sets.at(0).standing;
    kept.choices.forget("r");
    return standing;
  };
  CHECK(standing_with("processor: ", "processor: ") == KeptStanding::counts);
  CHECK(standing_with("test part: \n", "test part: set\n") == KeptStanding::another_machine);
  CHECK(standing_with("test part: \n", "") == KeptStanding::counts);
  CHECK(standing_with("processor: ", "other part: of a component\nprocessor: ") ==
        KeptStanding::another_machine);
  CHECK(standing_with("processor: ", "nccl: 2.28.3\nprocessor: ") == KeptStanding::counts);
  CHECK(standing_with("library: ", "library: 0") == KeptStanding::other_versions);
  ::setenv("NCCL_ALGO", "Ring", 1);
  const KeptStanding under_algo = standing_with("NCCL_ALGO=Ring", "NCCL_ALGO=Tree");
  ::unsetenv("NCCL_ALGO");
  CHECK(under_algo == KeptStanding::another_machine);
}

TEST_CASE("KeptChoices: what was chosen beside pins that are gone is not exported", "[unit]") {
  const Kept kept;
  ChoiceEntry entry = entry_of("r", 1, 10);
  entry.beside_pins = "0123456789abcdef";
  kept.plant(entry);
  CHECK(kept.choices.list().sets.at(0).standing == KeptStanding::other_pins);
  const Kept other;
  CHECK(other.choices.import_choices(kept.choices.export_choices().text).files.empty());
}

TEST_CASE("KeptChoices: pins a set, one kernel of it, or what is given, and takes pins back", "[unit]") {
  const Kept kept;
  ChoiceEntry both = entry_of("r", 1, 10);
  both.choices.push_back(entry_of("r", 2, 20, "other").choices[0]);
  kept.plant(both);
  const KeptSet set = kept.choices.list().sets.at(0);
  CHECK(kept.choices.pin(set, "other").files.size() == 1);
  CHECK(kept.choices.pin(set).files.size() == 2);
  CHECK(kept.choices.pin({.region = "r", .kernel = "any", .config = Config{{"B", 1}}}).files.size() == 1);
  CHECK(kept.choices.pin({.region = "r", .kernel = "any", .config = Config{{"B", 2}}}).files.size() == 1);
  KeptChoices::Contents contents = kept.choices.list();
  REQUIRE(contents.pins.size() == 3);
  CHECK(contents.problems.empty());
  CHECK(contents.pins[0].kernel == "any");
  CHECK(contents.pins[0].key.empty());
  CHECK(contents.pins[0].config == Config{{"B", 2}});
  CHECK(contents.pins[1].key == "(1)");
  CHECK(contents.pins[2].kernel == "other");
  CHECK(contents.sets.size() == 1);
  CHECK(kept.choices.unpin("r", "k").files.size() == 1);
  CHECK(kept.choices.list().pins.size() == 2);
  CHECK(kept.choices.unpin("r").files.size() == 2);
  CHECK(kept.choices.list().pins.empty());
  CHECK_THROWS_AS(kept.choices.pin({.region = "r", .kernel = "any"}), InvalidArgument);
  CHECK_THROWS_AS(kept.choices.pin({.kernel = "any", .config_id = 1}), InvalidArgument);
  kept.choices.forget("r");
  CHECK_THROWS_AS(kept.choices.pin(set), InvalidArgument);
}

TEST_CASE("ChoiceStore: a save removes what it supersedes, and nothing else", "[unit]") {
  const Kept kept;
  const ChoiceStore store(kept.path(), "r");
  const fs::path superseded = kept.plant(entry_of("r", 1, 10), 1h);
  const fs::path other = kept.plant(entry_of("r", 2, 20), 1h);
  const fs::path newer = kept.plant(entry_of("r", 1, 12), -1h);  // of a fast clock
  REQUIRE(store.save(entry_of("r", 1, 11)).empty());
  CHECK_FALSE(fs::exists(superseded));
  CHECK(fs::exists(other));
  CHECK_FALSE(fs::exists(newer));
}

TEST_CASE("ChoiceStore: a reader finds a set while others replace it again and again", "[unit]") {
  const Kept kept;
  const ChoiceStore store(kept.path(), "r");
  constexpr int others = 200;  // of a later time, so that they are read first, while the set is replaced
  for (int key = 2; key < 2 + others; ++key) {
    kept.plant(entry_of("r", key, 0), -1h);
  }
  REQUIRE(store.save(entry_of("r", 1, 0)).empty());
  std::jthread writer([&](const std::stop_token& stop) {
    for (std::size_t i = 1; !stop.stop_requested(); ++i) {
      static_cast<void>(store.save(entry_of("r", 1, i % 100)));
    }
  });
  int incomplete = 0;
  for (int look = 0; look < 40; ++look) {
    incomplete += store.load().entries.size() == others + 1 ? 0 : 1;
  }
  CHECK(incomplete == 0);
}

TEST_CASE("KeptChoices: what only some ranks have chosen is not pinned, which would hold on all", "[unit]") {
  const Kept kept;
  ChoiceEntry entry = entry_of("r", 1, 10);
  entry.machines = {"a", "b"};
  entry.choices[0].ranks = {1};
  kept.plant(entry);
  const KeptChoices::Changes changes = kept.choices.pin(kept.choices.list().sets.at(0));
  CHECK(changes.files.empty());
  CHECK(changes.problems.empty());
}

TEST_CASE("KeptChoices: a folder that cannot be believed is a problem of whoever works on it", "[unit]") {
  const Kept kept;
  const fs::path file = kept.plant(entry_of("r", 1, 10));
  fs::permissions(file.parent_path(), fs::perms::all);
  CHECK(kept.choices.export_choices("r").problems.size() == 1);
  CHECK(kept.choices.forget("r").problems.size() == 1);
  CHECK(kept.choices.prune({}).problems.size() == 1);
  CHECK(fs::exists(file));
}

TEST_CASE("KeptChoices: what is no folder in the place of a region's folder is a problem", "[unit]") {
  const Kept kept;
  const fs::path file = kept.plant(entry_of("r", 1, 10));
  kept.plant(entry_of("other", 1, 10));
  const fs::path folder = file.parent_path();
  const fs::path moved = kept.path() / "moved";
  fs::rename(folder, moved);
  SECTION("a link to a folder") {
    fs::create_directory_symlink(moved, folder);
  }
  SECTION("a link to nothing") {
    fs::create_symlink("nothing", folder);
  }
  SECTION("a file") {
    std::ofstream(folder) << "{}";
  }
  const KeptChoices::Contents contents = kept.choices.list();
  CHECK(contents.sets.size() == 1);
  REQUIRE(contents.problems.size() == 1);
  CHECK_THAT(contents.problems[0],
             ContainsSubstring(folder.string() + " is not used: it is a symbolic link"));
  CHECK(kept.choices.export_choices().problems == contents.problems);
  CHECK(kept.choices.prune({}).problems == contents.problems);
  CHECK(fs::exists(fs::symlink_status(folder)));
}

}  // namespace choices_test
