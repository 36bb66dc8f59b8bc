/// \file
/// Choices that somebody else has put into the directory: they are refused, named, and the region is tuned.

#include "support/engine.hpp"
#include "support/stderr_capture.hpp"
#include "unit/tuning/kept_process.hpp"

#include <unistd.h>

#include <filesystem>
#include <string>

namespace planted_files_test {

using namespace kept_test;
using engine_test::TemporaryDirectory;

namespace {

constexpr uid_t somebody_else = 12345;

/// A directory with choices that would be used if nothing were wrong with them.
struct Planted {
  TemporaryDirectory directory;
  Process process{.ranks = 2, .directory = directory.path() / "cache", .journal = Journal::off};
  fs::path entry;
  fs::path folder;

  Planted() {
    REQUIRE(run(process).tuned(2));
    REQUIRE(run(process).used(2));
    entry = only_file(process.directory);
    folder = entry.parent_path();
  }

  /// The entry, or so many folders above it: at last the cache directory.
  fs::path above_entry(int depth) const {
    fs::path path = entry;
    for (int i = 0; i < depth; ++i) {
      path = path.parent_path();
    }
    return path;
  }

  /// Tunes although there is a file, names `what` on stderr, and leaves the file as it is.
  void check_refused(const fs::path& what, const std::string& reason) const {
    const std::string text = engine_test::text_of_file(entry);
    const engine_test::StderrCapture said;
    CHECK(run(process).tuned(2));
    CHECK_THAT(said.text(), ContainsSubstring(what.string()) && ContainsSubstring(reason));
    CHECK(engine_test::text_of_file(entry) == text);
  }
};

/// Moves the path out of the directory, and leaves a link there.
void replace_by_link(const Planted& planted, const fs::path& path) {
  const fs::path outside = planted.directory.path() / "outside";
  fs::rename(path, outside);
  fs::create_symlink(outside, path);
}

}  // namespace

TEST_CASE("planted choices: an entry, a folder or a directory of another owner is refused", "[unit]") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can give a file to another user");
    return;
  }
  for (const int depth : {0, 1, 2, 3}) {
    const Planted planted;
    const fs::path path = planted.above_entry(depth);
    REQUIRE(::chown(path.c_str(), somebody_else, static_cast<gid_t>(-1)) == 0);
    planted.check_refused(path, "it belongs to user 12345");
  }
}

TEST_CASE("planted choices: a link out of the directory is refused, of a file and of a folder", "[unit]") {
  SECTION("entry") {
    const Planted planted;
    replace_by_link(planted, planted.entry);
    planted.check_refused(planted.entry, "symbolic link");
  }
  SECTION("folder of the region") {
    const Planted planted;
    replace_by_link(planted, planted.folder);
    planted.check_refused(planted.folder, "symbolic link");
  }
  SECTION("folder of all regions") {
    const Planted planted;
    replace_by_link(planted, planted.folder.parent_path());
    planted.check_refused(planted.folder.parent_path(), "symbolic link");
  }
}

TEST_CASE("planted choices: what others can write is refused, be it the directory, a folder or an entry",
          "[unit]") {
  for (const int depth : {0, 1, 2, 3}) {
    const Planted planted;
    const fs::path path = planted.above_entry(depth);
    fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
    planted.check_refused(path, "others can write it");
  }
}

}  // namespace planted_files_test
