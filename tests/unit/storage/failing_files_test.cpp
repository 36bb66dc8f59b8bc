/// \file
/// Disks that are full, and network file systems that answer late or wrongly.

#include "contextual/storage/choice_store.hpp"
#include "support/engine.hpp"
#include "support/scripted_files.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <cerrno>

namespace failing_files_test {

using namespace contextual::storage;
using contextual::make_key;
using contextual::detail::TrustedFolder;
using namespace contextual::test;
using engine_test::TemporaryDirectory;

namespace fs = std::filesystem;

namespace {

/// Also hidden ones.
std::size_t count_files(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// A folder with one file.
struct Written {
  TemporaryDirectory directory;
  TrustedFolder folder{directory.path(), "things"};

  Written() { REQUIRE(folder.write("file", "text").empty()); }
};

ChoiceSet entry_of(std::size_t config_id) {
  ChoiceSet entry;
  entry.region = "region";
  entry.choices.push_back({"k", "", make_key(1), "", 0, {{"k", 1}}, 100, config_id, "{}", "", {}});
  return entry;
}

std::string save(const ChoiceStore& store, std::size_t config_id) {
  return store.save(entry_of(config_id), {});
}

fs::path file_of(const ChoiceStore& store) {
  return store.path(store.name_of_sets({}));
}

/// Pins something in a region.
fs::path write_pins(const fs::path& directory, const std::string& region) {
  const TrustedFolder folder(directory, choices_folder);
  const std::string name = ChoiceStore(directory, region).name_of_pins();
  REQUIRE(folder
              .write(name, R"({"format": 6, "region": ")" + region +
                               R"(", "pins": [{"kernel": "k", "config_id": 1}]})")
              .empty());
  return folder.path() / name;
}

}  // namespace

TEST_CASE("TrustedFolder: what is stale once is looked at again, from the root on") {
  for (const FileFault& fault : std::vector<FileFault>{{FileCall::openat, "things", ESTALE},
                                                       {FileCall::openat, "things/file", ESTALE},
                                                       {FileCall::fstat, "things", ESTALE},
                                                       {FileCall::fstat, "things/file", ESTALE},
                                                       {FileCall::read, "things/file", ESTALE}}) {
    const Written written;
    const ScriptedFiles files({fault});
    const TrustedFolder::Reading reading = written.folder.read("file");
    CHECK(reading.text == "text");
    CHECK(reading.refusal.empty());
    CHECK(files.failed() == 1);
  }
  const Written written;
  const ScriptedFiles files({{FileCall::readdir, "things", ESTALE, 1, 1}});
  std::string refusal;
  CHECK(written.folder.files("", &refusal) == std::vector<std::string>{"file"});
  CHECK(refusal.empty());
  CHECK(files.failed() == 1);
}

TEST_CASE("TrustedFolder: what stays stale or cannot be read is refused by name") {
  for (const int code : {ESTALE, EIO, EACCES}) {
    for (const FileCall call : {FileCall::openat, FileCall::fstat, FileCall::read}) {
      const Written written;
      const ScriptedFiles files({{call, "things/file", code, 100}});
      const TrustedFolder::Reading reading = written.folder.read("file");
      CHECK_FALSE(reading.text);
      CHECK_THAT(reading.refusal, ContainsSubstring((written.folder.path() / "file").string()));
      CHECK(files.failed() == (code == ESTALE ? 2 : 1));
    }
  }
  const Written written;
  const ScriptedFiles files({{FileCall::readdir, "things", EIO, 1, 1}});
  std::string refusal;
  CHECK(written.folder.files("", &refusal).empty());  // half a listing may lack what is newest
  CHECK_THAT(refusal, ContainsSubstring(written.folder.path().string() + ": it cannot be listed"));
}

TEST_CASE("TrustedFolder: a read that was interrupted goes on") {
  const Written written;
  const ScriptedFiles files({{FileCall::read, "things/file", EINTR, 3}, {FileCall::write, "", EINTR, 3}});
  CHECK(written.folder.read("file").text == "text");
  CHECK(written.folder.write("file", "newer").empty());
  CHECK(written.folder.read("file").text == "newer");
  CHECK(files.failed() == 6);
}

TEST_CASE("TrustedFolder: a file that cannot be written whole is none, and nothing is left of it") {
  for (const FileFault& fault : std::vector<FileFault>{{FileCall::openat, ".file", EIO, 1, 0, true},
                                                       {FileCall::write, ".file", ENOSPC},
                                                       {FileCall::fsync, ".file", EIO},
                                                       {FileCall::close, ".file", ENOSPC},
                                                       {FileCall::renameat, ".file", EIO}}) {
    const Written written;
    const ScriptedFiles files({fault});
    const std::string problem = written.folder.write("file", "newer");
    CHECK_THAT(problem, ContainsSubstring((written.folder.path() / "file").string()));
    CHECK(files.failed() == 1);
    CHECK(count_files(written.folder.path()) == 1);
    CHECK(written.folder.read("file").text == "text");
  }
}

TEST_CASE("TrustedFolder: a temporary file that cannot be removed is named") {
  const Written written;
  const ScriptedFiles files({{FileCall::write, ".file", ENOSPC}, {FileCall::unlinkat, ".file", EIO}});
  CHECK_THAT(written.folder.write("file", "newer"),
             ContainsAll("No space left", (written.folder.path() / ".file").string(), "left over"));
}

TEST_CASE("TrustedFolder: a rename that was done but is reported failed counts as done") {
  const Written written;
  const ScriptedFiles files({{FileCall::renameat, ".file", ENOENT, 1, 0, true}});
  CHECK(written.folder.write("file", "newer").empty());
  CHECK(written.folder.read("file").text == "newer");
  CHECK(files.failed() == 1);
  CHECK(count_files(written.folder.path()) == 1);
}

TEST_CASE("TrustedFolder: a rename that failed is not believed because somebody else's file is there") {
  const Written written;
  const ScriptedFiles files({{FileCall::renameat, "", ENOENT}});
  CHECK_THAT(written.folder.write("file", "newer"), ContainsSubstring("it cannot be named"));
  CHECK(written.folder.read("file").text == "text");
  CHECK(count_files(written.folder.path()) == 1);
}

TEST_CASE(
    "TrustedFolder: file and folder are on the disk, in this order, and no answer of a folder is none") {
  const Written written;
  const std::string folder = fs::canonical(written.folder.path());
  for (const int code : {EINVAL, EIO}) {
    const ScriptedFiles files({{FileCall::fsync, folder, code, 1, 1}});
    const std::string problem = written.folder.write("file", "newer " + std::to_string(code));
    const std::vector<std::string> synced = files.synced();
    REQUIRE(synced.size() == 2);
    CHECK(synced[0].starts_with(folder + "/.file"));
    CHECK(synced[1] == folder);
    CHECK(files.failed() == 1);
    CHECK(problem.empty() == (code == EINVAL));
    CHECK(written.folder.read("file").text == "newer " + std::to_string(code));
  }
}

TEST_CASE(
    "ChoiceStore: what cannot be read is named and stays, nothing is written over it, and it counts later") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, 1).empty());
  const fs::path pins = write_pins(directory.path(), "region");
  for (const FileFault& fault : std::vector<FileFault>{{FileCall::read, ".json", EIO, 1000},
                                                       {FileCall::read, ".json", ESTALE, 1000},
                                                       {FileCall::openat, ".json", ESTALE, 1000}}) {
    const ScriptedFiles files({fault});
    const ChoiceStore::Kept kept = store.read_all();
    REQUIRE(kept.problems.size() == 2);
    CHECK_THAT(kept.problems[0], ContainsSubstring(pins.string()));
    CHECK_THAT(kept.problems[1], ContainsSubstring(file_of(store).string()));
    CHECK(kept.file.sets.empty());
    CHECK_THAT(kept.pins_unknown, ContainsSubstring("what is pinned in " + pins.string()));
    CHECK_THAT(save(store, 2), ContainsSubstring(file_of(store).string()));
  }
  CHECK(store.read_all().file.sets == std::vector{entry_of(1)});
}

TEST_CASE("ChoiceStore: what is pinned is not known while the folder cannot be opened, whatever the reason") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  const fs::path pins = write_pins(directory.path(), "region");
  for (const int code : {EIO, ESTALE, ETIMEDOUT, EACCES}) {
    const ScriptedFiles files({{FileCall::openat, "", code, 1000}});
    CHECK_THAT(store.read_all().pins_unknown,
               ContainsSubstring("what is pinned in " + pins.string() + " is not known"));
  }
  const ScriptedFiles files({{FileCall::openat, "", EACCES, 1000}});
  CHECK(ChoiceStore(directory.path(), "other region").read_all().pins_unknown.empty());  // there is none
}

TEST_CASE("ChoiceStore: without a file descriptor or memory nobody is kept from serving, whatever is there") {
  const TemporaryDirectory directory;
  const ChoiceStore none(directory.path() / "none", "region");
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, 1).empty());
  for (const int code : {EMFILE, ENFILE, ENOMEM}) {
    for (int after = 0; after < 8; ++after) {  // the shortage may begin with any call
      const ScriptedFiles files({{FileCall::openat, "", code, 1000, after}});
      for (const ChoiceStore* asked : {&none, &store}) {
        const ChoiceStore::Kept kept = asked->read_all();
        CHECK(kept.pins_unknown.empty());
        CHECK(kept.problems.empty() == (files.failed() == 0));
      }
    }
  }
  CHECK(store.read_all().file.sets == std::vector{entry_of(1)});
}

TEST_CASE("KeptChoices: a folder that cannot be listed is named, and left alone") {
  const TemporaryDirectory directory;
  const contextual::KeptChoices kept(directory.path());
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, 1).empty());
  const ScriptedFiles files({{FileCall::readdir, "/choices", EIO, 1}});
  const contextual::KeptChoices::Changes changes = kept.prune({});
  CHECK(files.failed() == 1);
  CHECK(changes.items.empty());
  CHECK_THAT(only(changes.problems),
             ContainsSubstring(file_of(store).parent_path().string() + ": it cannot be listed"));
}

}  // namespace failing_files_test
