#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/storage/file_calls.hpp"
#include "support/engine.hpp"

#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/storage/trusted_folder.hpp>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>

namespace contextual::storage::choices_test {

using test::TemporaryDirectory;

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

ChoiceSet entry_of(const std::string& region, int key, std::size_t config_id,
                   const std::string& kernel = "k") {
  ChoiceSet entry{.region = region,
                  .written = "2026-01-02T03:04:05Z",
                  .machines = {detail::this_machine()},
                  .makespan_ns = 5'000};
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

/// A cache directory, and what is kept in it.
struct Kept {
  TemporaryDirectory directory;
  KeptChoices choices{directory.path()};

  const fs::path& path() const { return directory.path(); }

  ChoiceStore store(const std::string& region) const { return ChoiceStore(path(), region); }
  /// The file of the region's sets.
  fs::path file(const std::string& region) const {
    return store(region).path(store(region).name_of_sets({detail::this_machine()}));
  }

  /// As a writer would have kept it so long ago. Returns its name.
  std::string plant(ChoiceSet entry, std::chrono::hours ago = 0h) const {
    entry.written = record::utc_text(std::chrono::system_clock::now() - ago);
    REQUIRE(store(entry.region)
                .change(store(entry.region).name_of_sets(entry.machines),
                        [&](storage::RegionFile& file) {
                          return file.sets.insert(file.sets.begin(), entry), true;
                        })
                .empty());
    return "set " + id_of(entry) + " of region \"" + entry.region + "\"";
  }
};

std::vector<std::size_t> configs_in(const KeptChoices::Contents& contents) {
  std::vector<std::size_t> configs;
  for (const KeptSet& set : contents.sets) {
    configs.push_back(set.configs.at(0).config_id);
  }
  return configs;
}

std::vector<std::string> sorted(std::vector<std::string> items) {
  std::sort(items.begin(), items.end());
  return items;
}

}  // namespace

TEST_CASE("KeptChoices: lists the sets of all regions or of one, the newest first") {
  const Kept kept;
  CHECK(kept.choices.list().sets.empty());
  const std::string long_name(300, 'x');
  kept.plant(entry_of("a/b", 1, 11), 1h);
  const std::string newest = kept.plant(entry_of("a/b", 2, 20));
  kept.plant(entry_of(long_name, 3, 30));
  const KeptChoices::Contents all = kept.choices.list();
  CHECK(all.problems.empty());
  CHECK(configs_in(all) == std::vector<std::size_t>{20, 11, 30});
  CHECK(all.sets[2].region == long_name);
  CHECK(configs_in(kept.choices.list("a/b")) == std::vector<std::size_t>{20, 11});
  CHECK(kept.choices.list("a").sets.empty());
  const KeptSet& set = all.sets[0];
  CHECK(set.file == kept.file("a/b"));
  CHECK("set " + set.id + " of region \"a/b\"" == newest);
  CHECK_THAT(set.written, ContainsSubstring("T"));
  CHECK(set.makespan_ns == 5'000);
  const KeptConfig& config = set.configs.at(0);
  CHECK(config.kernel == "k");
  CHECK(config.key == "(2)");
  CHECK(config.config == Config{{"B", 20}});
  CHECK(config.config_count == 100);
  CHECK(config.reason == "it was fast");
  CHECK(config.time_ns == 70);
  CHECK(config.time_spread_ns == 2);
  CHECK(set.makespan_spread_ns == 40);
  CHECK(only(set.infeasible).what == "k config-1");
  CHECK(set.infeasible[0].reason == "it hung");
}

TEST_CASE("KeptChoices: names what is damaged, and what others can write, and leaves it") {
  const Kept kept;
  kept.plant(entry_of("r", 1, 10));
  kept.plant(entry_of("s", 2, 20));
  const fs::path damaged = kept.file("s");
  std::ofstream(damaged, std::ios::app) << "x";
  kept.plant(entry_of("t", 3, 30));
  const fs::path open = kept.file("t");
  fs::permissions(open, fs::perms::others_write, fs::perm_options::add);
  const KeptChoices::Contents contents = kept.choices.list();
  CHECK(configs_in(contents) == std::vector<std::size_t>{10});
  REQUIRE(contents.problems.size() == 2);
  CHECK_THAT(contents.problems[0], ContainsSubstring(damaged.string()));
  CHECK_THAT(contents.problems[1], ContainsAll(open.string(), "others can write"));
  CHECK(fs::exists(damaged));
  fs::permissions(kept.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK(kept.choices.list().sets.empty());
  CHECK_THAT(kept.choices.list().problems.at(0), ContainsSubstring("others can write"));
}

TEST_CASE("KeptChoices: prune removes what is damaged or left over, and by age what counts") {
  const Kept kept;
  kept.plant(entry_of("s", 1, 10));
  const fs::path of_s = kept.file("s");
  std::string text = test::text_of_file(of_s);
  text.replace(text.find("it was fast"), 2, "IT");
  std::ofstream(of_s) << text;
  const std::string old = kept.plant(entry_of("r", 2, 20), 40h);
  kept.plant(entry_of("r", 1, 11), 2h);
  const auto temporary = [&](std::uint64_t age_ns) {
    const fs::path path = of_s.parent_path() / (".r.json.node.1.0." + std::to_string(age_ns) + ".part");
    std::ofstream(path) << "half";
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::nanoseconds(age_ns));
    return path;
  };
  const fs::path left = temporary(2 * hour_ns);
  const fs::path being_written = temporary(0);
  const std::vector<std::string> goes = sorted({"a damaged set of region \"s\"", left.string()});
  CHECK(sorted(kept.choices.prune({.dry_run = true}).items) == goes);
  CHECK(fs::exists(left));
  CHECK(fs::exists(of_s));
  CHECK(sorted(kept.choices.prune({}).items) == goes);
  CHECK_FALSE(fs::exists(left));
  CHECK_FALSE(fs::exists(of_s));
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
  CHECK(kept.choices.prune({}).items.empty());
  CHECK(sorted(kept.choices.prune({.older_than = std::chrono::hours(24)}).items) ==
        sorted({old, cut_off.string()}));
  CHECK(fs::exists(going_on));
  CHECK(configs_in(kept.choices.list()) == std::vector<std::size_t>{11});
}

TEST_CASE("KeptChoices: prune leaves what a tuning has left alone while a process uses it") {
  const Kept kept;
  const detail::TrustedFolder folder(kept.path(), "journal/r");
  const auto old = [&](const std::string& name) {
    REQUIRE(folder.write(name, "line").empty());
    fs::last_write_time(folder.path() / name, fs::file_time_type::clock::now() - std::chrono::hours(30));
    return (folder.path() / name).string();
  };
  // Also what an older format has left.
  const std::vector<std::string> files =
      sorted({old("a.journal"), old("b.journal"), old("c.0.flight"), old("c.strikes")});
  for (const std::string& used : files) {
    const int held = ::open(used.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(held, LOCK_SH) == 0);
    std::vector<std::string> others = files;
    std::erase(others, used);
    CHECK(sorted(kept.choices.prune({.older_than = std::chrono::seconds(0), .dry_run = true}).items) ==
          others);
    ::close(held);
  }
  fs::last_write_time(files[1], fs::file_time_type::clock::now());
  CHECK(sorted(kept.choices.prune({.older_than = std::chrono::hours(24)}).items) ==
        std::vector<std::string>{files[0], files[2], files[3]});
  CHECK(kept.choices.prune({.older_than = std::chrono::hours(24)}).items.empty());
  CHECK(kept.choices.prune({.older_than = std::chrono::seconds(0)}).items ==
        std::vector<std::string>{files[1]});
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

TEST_CASE("KeptChoices: prune leaves what a tuning has left where nobody can say whether it is in use") {
  const Kept kept;
  const detail::TrustedFolder folder(kept.path(), "journal/r");
  REQUIRE(folder.write("a.journal", "line").empty());
  fs::last_write_time(folder.path() / "a.journal", fs::file_time_type::clock::now() - std::chrono::hours(30));
  const KeptChoices::Prune old{.older_than = std::chrono::hours(24)};
  storage::FileCalls calls = storage::posix_file_calls();
  {
    calls.openat = open_unlockable;
    const storage::FileCallsReplacement replacement(calls);
    CHECK(kept.choices.prune(old).items.empty());
  }
  calls.openat = open_lockable_if_written;
  const storage::FileCallsReplacement replacement(calls);
  {
    const int held = ::open((folder.path() / "a.journal").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(::flock(held, LOCK_EX) == 0);
    CHECK(kept.choices.prune(old).items.empty());
    ::close(held);
  }
  CHECK(kept.choices.prune(old).items == std::vector{(folder.path() / "a.journal").string()});
}

TEST_CASE("KeptChoices: a file of a region that is refused is a problem of whoever works on it") {
  const Kept kept;
  kept.plant(entry_of("r", 1, 10));
  const PinnedConfig pin{.region = "r", .kernel = "k", .config_id = 1};
  REQUIRE(kept.choices.pin(pin).problems.empty());
  const fs::path of_pins = kept.store("r").path(kept.store("r").name_of_pins());
  for (const fs::path& file : {of_pins, kept.file("r")}) {
    fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
    const std::vector<std::string> problems = kept.choices.list("r").problems;
    CHECK_THAT(only(problems), ContainsAll(file.string(), "others can write"));
    CHECK(kept.choices.list().problems == problems);
    CHECK(kept.choices.export_choices("r").problems == problems);
    CHECK(kept.choices.prune({}).problems == problems);
    if (file == of_pins) {
      CHECK(kept.choices.unpin("r").items.empty());
      CHECK(kept.choices.unpin("r").problems == problems);
      CHECK(kept.choices.pin(pin).problems == problems);
    } else {
      CHECK(kept.choices.forget("r").problems == problems);
    }
    fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);
  }
  CHECK(kept.choices.unpin("r").items.size() == 1);
  CHECK(configs_in(kept.choices.list()) == std::vector<std::size_t>{10});
}

TEST_CASE("KeptChoices: no pin is written whose key also names an alternative") {
  const Kept kept;
  for (const char* key : {"() in fn (7): {TILE: 1}", "{M: 1} in fn (7): {TILE: 1}"}) {
    CHECK_THROWS_AS(kept.choices.pin({.region = "r", .kernel = "k", .key = key, .config_id = 1}),
                    InvalidArgument);
  }
  CHECK(kept.choices.list("r").pins.empty());
  CHECK(kept.choices.pin({.region = "r", .kernel = "k", .key = "((1, 2), [3], a in b)", .config_id = 1})
            .items.size() == 1);
}

TEST_CASE("KeptChoices: a region with a long name is known") {
  const Kept kept;
  const std::string pinned_region(300, 'p');
  REQUIRE(kept.choices.pin({.region = pinned_region, .kernel = "k", .config_id = 1}).problems.empty());
  const KeptChoices::Contents contents = kept.choices.list();
  CHECK(contents.problems.empty());
  CHECK(only(contents.pins).region == pinned_region);
  CHECK(kept.choices.prune({}).items.empty());
}

TEST_CASE("KeptChoices: forget removes the sets of a region, or those with a kernel") {
  const Kept kept;
  ChoiceSet both = entry_of("r", 1, 10);
  both.choices.push_back(entry_of("r", 2, 20, "other").choices[0]);
  kept.plant(both);
  kept.plant(entry_of("r", 3, 30));
  kept.plant(entry_of("s", 4, 40, "other"));
  CHECK(kept.choices.forget("r", "other").items.size() == 1);
  CHECK(configs_in(kept.choices.list()) == std::vector<std::size_t>{30, 40});
  CHECK(kept.choices.forget("r").items.size() == 1);
  CHECK(configs_in(kept.choices.list()) == std::vector<std::size_t>{40});
  CHECK(kept.choices.forget("nothing").items.empty());
}

TEST_CASE("KeptChoices: forget of a region, not of a kernel, removes what its tunings have left") {
  const Kept kept;
  const auto journal_of = [&](const std::string& region) {
    const detail::TrustedFolder folder(kept.path(), fs::path("journal") / region);
    REQUIRE(folder.write("a.journal", "line").empty());
    return (folder.path() / "a.journal").string();
  };
  const std::string journal = journal_of("r");
  const std::string of_another = journal_of("s");
  CHECK(kept.choices.forget("r", "kernel").items.empty());
  const int held = ::open(journal.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(::flock(held, LOCK_SH) == 0);
  CHECK(kept.choices.forget("r").items.empty());  // a process uses it
  ::close(held);
  CHECK(kept.choices.forget("r").items == std::vector{journal});
  CHECK_FALSE(fs::exists(journal));
  CHECK(fs::exists(of_another));
}

TEST_CASE("KeptChoices: what is exported can be imported elsewhere once, and is as old as it was") {
  const Kept kept;
  const Kept elsewhere;
  kept.plant(entry_of("r", 1, 11), 2h);
  kept.plant(entry_of("s", 2, 20), 2h);
  elsewhere.plant(entry_of("r", 1, 12));
  const std::string text = kept.choices.export_choices().text;
  elsewhere.plant(entry_of("s", 3, 30), 3h);
  CHECK(elsewhere.choices.import_choices(text).items.size() == 1);  // there is a newer one for the other
  const KeptChoices::Contents contents = elsewhere.choices.list();
  CHECK(configs_in(contents) == std::vector<std::size_t>{12, 20});
  CHECK(contents.sets[1].configs.size() == 2);  // with what was there
  CHECK(elsewhere.choices.import_choices(text).items.empty());
  const auto only_s = nlohmann::json::parse(kept.choices.export_choices("s").text);
  CHECK(only(only_s).at("content").at("region") == "s");
}

TEST_CASE("KeptChoices: nothing of a damaged text is imported") {
  const Kept kept;
  const Kept elsewhere;
  kept.plant(entry_of("r", 1, 10));
  kept.plant(entry_of("r", 2, 20));
  const std::string text = kept.choices.export_choices().text;
  std::string changed = text;
  changed.replace(changed.find("it was fast"), 2, "IT");
  for (const std::string& bad :
       {std::string(), std::string("{}"), text.substr(0, text.size() / 2), changed}) {
    CHECK_THROWS_AS(elsewhere.choices.import_choices(bad), InvalidArgument);
    CHECK(elsewhere.choices.list().sets.empty());
  }
}

TEST_CASE("KeptChoices: a machine differs from a set's by part, and only some parts may differ") {
  detail::describe_machine("test part", [] { return std::string("new"); });
  KeptSet set{.machines = {detail::this_machine(), detail::this_machine()}};
  CHECK(KeptChoices::differences(set).empty());
  set.machines[1]["test part"] = "old";
  set.machines[1]["library"] = "0";
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

TEST_CASE("KeptChoices: a part that is there and empty differs, and one that a side does not know may not") {
  const Kept kept;
  detail::describe_machine("test part", [] { return std::string(); });
  const auto standing_with = [&](const std::function<void(detail::Machine&)>& change) {
    ChoiceSet entry = entry_of("r", 1, 10);
    change(entry.machines[0]);
    kept.plant(entry);
    const KeptStanding standing = kept.choices.list().sets.at(0).standing;
    kept.choices.forget("r");
    return standing;
  };
  const auto standing_of = [&](const std::string& part, const std::string& value) {
    return standing_with([&](detail::Machine& machine) { machine[part] = value; });
  };
  CHECK(standing_with([](detail::Machine&) {}) == KeptStanding::counts);
  CHECK(standing_of("test part", "set") == KeptStanding::another_machine);
  CHECK(standing_with([](detail::Machine& machine) { machine.erase("test part"); }) == KeptStanding::counts);
  CHECK(standing_of("other part", "of a component") == KeptStanding::another_machine);
  CHECK(standing_of("nccl", "2.28.3") == KeptStanding::counts);
  CHECK(standing_of("library", "0") == KeptStanding::other_versions);
  CHECK(standing_of("nccl variables", "NCCL_ALGO=Tree") == KeptStanding::another_machine);
}

TEST_CASE("KeptChoices: what was chosen beside pins that are gone is not exported") {
  const Kept kept;
  ChoiceSet entry = entry_of("r", 1, 10);
  entry.beside_pins = "0123456789abcdef";
  kept.plant(entry);
  CHECK(kept.choices.list().sets.at(0).standing == KeptStanding::other_pins);
  const Kept other;
  CHECK(other.choices.import_choices(kept.choices.export_choices().text).items.empty());
}

TEST_CASE("KeptChoices: pins a set, one kernel of it, or what is given, and takes pins back") {
  const Kept kept;
  ChoiceSet both = entry_of("r", 1, 10);
  both.choices.push_back(entry_of("r", 2, 20, "other").choices[0]);
  kept.plant(both);
  const KeptSet set = kept.choices.list().sets.at(0);
  CHECK(kept.choices.pin(set, "other").items.size() == 1);
  CHECK(kept.choices.pin(set).items.size() == 2);
  CHECK(kept.choices.pin({.region = "r", .kernel = "any", .config = Config{{"B", 1}}}).items.size() == 1);
  CHECK(kept.choices.pin({.region = "r", .kernel = "any", .config = Config{{"B", 2}}}).items.size() == 1);
  KeptChoices::Contents contents = kept.choices.list();
  REQUIRE(contents.pins.size() == 3);
  CHECK(contents.problems.empty());
  CHECK(contents.pins[0].key == "(1)");
  CHECK(contents.pins[1].kernel == "other");
  CHECK(contents.pins[2].kernel == "any");
  CHECK(contents.pins[2].key.empty());
  CHECK(contents.pins[2].config == Config{{"B", 2}});
  CHECK(contents.sets.size() == 1);
  CHECK(kept.choices.unpin("r", "k").items.size() == 1);
  CHECK(kept.choices.list().pins.size() == 2);
  CHECK(kept.choices.unpin("r").items.size() == 2);
  CHECK(kept.choices.list().pins.empty());
  CHECK_THROWS_AS(kept.choices.pin({.region = "r", .kernel = "any"}), InvalidArgument);
  CHECK_THROWS_AS(kept.choices.pin({.kernel = "any", .config_id = 1}), InvalidArgument);
  kept.choices.forget("r");
  CHECK_THROWS_AS(kept.choices.pin(set), InvalidArgument);
}

TEST_CASE("KeptChoices: what only some ranks have chosen is not pinned, which would hold on all") {
  const Kept kept;
  ChoiceSet entry = entry_of("r", 1, 10);
  entry.machines = {{{"a", "b"}}, {{"a", "c"}}};
  entry.choices[0].ranks = {1};
  kept.plant(entry);
  const KeptChoices::Changes changes = kept.choices.pin(kept.choices.list().sets.at(0));
  CHECK(changes.items.empty());
  CHECK(changes.problems.empty());
}

TEST_CASE("KeptChoices: what is no file in the place of a region's file is a problem") {
  const Kept kept;
  kept.plant(entry_of("r", 1, 10));
  kept.plant(entry_of("other", 1, 10));
  const fs::path file = kept.file("r");
  const fs::path moved = kept.path() / "moved";
  fs::rename(file, moved);
  SECTION("a link to a file") {
    fs::create_symlink(moved, file);
  }
  SECTION("a link to nothing") {
    fs::create_symlink("nothing", file);
  }
  SECTION("a folder") {
    fs::create_directory(file);
  }
  const KeptChoices::Contents contents = kept.choices.list();
  CHECK(contents.sets.size() == 1);
  CHECK_THAT(only(contents.problems), ContainsSubstring(file.string() + " is not used: it is "));
  CHECK(kept.choices.export_choices().problems == contents.problems);
  CHECK(kept.choices.prune({}).problems == contents.problems);
  CHECK(fs::exists(fs::symlink_status(file)));
}

}  // namespace contextual::storage::choices_test
