#include "support/engine.hpp"
#include "support/threads.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace trusted_folder_test {

using contextual::detail::TrustedFolder;
using engine_test::TemporaryDirectory;

namespace fs = std::filesystem;

TEST_CASE("TrustedFolder: a relative root stays where it was when it was first named") {
  const TemporaryDirectory directory;
  const fs::path before = fs::current_path();
  const fs::path gone = directory.path() / "gone";
  const std::string name = directory.path().filename().string() + "_cache";
  fs::create_directory(gone);
  fs::current_path(directory.path());
  CHECK(TrustedFolder(name, "choices").write("file", "text").empty());
  fs::current_path(gone);
  fs::remove(gone);
  CHECK(TrustedFolder(name, "choices").read("file").text == "text");
  CHECK(TrustedFolder(name, "choices").path() == directory.path() / name / "choices");
  fs::current_path(before);
}

namespace {

constexpr uid_t nobody = 65534;

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

void plant(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// Sets CONTEXTUAL_TRUSTED_CACHE_DIR while it lives.
class Trusting {
 public:
  explicit Trusting(const fs::path& root) { ::setenv("CONTEXTUAL_TRUSTED_CACHE_DIR", root.c_str(), 1); }
  Trusting(const Trusting&) = delete;
  Trusting& operator=(const Trusting&) = delete;
  ~Trusting() { ::unsetenv("CONTEXTUAL_TRUSTED_CACHE_DIR"); }
};

/// Nothing is read, and the reason has this text and the path.
void check_refused(const TrustedFolder& folder, const std::string& why, const fs::path& path) {
  const TrustedFolder::Reading reading = folder.read("file");
  CHECK_FALSE(reading.text);
  CHECK_THAT(reading.refusal, ContainsAll(why, path.string()));
}

}  // namespace

TEST_CASE("TrustedFolder: gives back what was written, in directories and files that nobody else can read") {
  const TemporaryDirectory directory;
  const fs::path root = directory.path() / "not" / "there";
  const TrustedFolder folder(root, "things");
  CHECK_FALSE(folder.read("file").text);
  CHECK(folder.read("file").refusal.empty());
  CHECK(folder.files("").empty());
  CHECK(folder.write("file", std::string("a\0b", 3)).empty());
  CHECK(folder.read("file").text == std::string("a\0b", 3));
  CHECK(mode_of(root) == 0700);
  CHECK(mode_of(folder.path()) == 0700);
  CHECK(mode_of(folder.path() / "file") == 0600);
  CHECK(folder.write("file", "newer").empty());
  CHECK(folder.read("file").text == "newer");
  CHECK(folder.write("other.txt", "").empty());
  CHECK(folder.files(".txt") == std::vector<std::string>{"other.txt"});
  CHECK(folder.files("").size() == 2);  // and no temporary one
}

TEST_CASE("TrustedFolder: what others can write is refused by name: file, folder and root") {
  const TemporaryDirectory directory;
  const TrustedFolder folder(directory.path(), "things");
  REQUIRE(folder.write("file", "text").empty());
  for (const fs::path& path : {folder.path() / "file", folder.path(), directory.path()}) {
    for (const fs::perms writable : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(path, writable, fs::perm_options::add);
      check_refused(folder, "others can write it", path);
      fs::permissions(path, writable, fs::perm_options::remove);
      CHECK(folder.read("file").text == "text");
    }
  }
  fs::permissions(folder.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK_THAT(folder.write("file", "newer"), ContainsSubstring("others can write it"));
  CHECK(folder.files("").empty());
}

TEST_CASE("TrustedFolder: what belongs to somebody else is refused by name") {
  if (::geteuid() != 0) {
    SUCCEED("only root can plant a file of another user");
    return;
  }
  const TemporaryDirectory directory;
  const TrustedFolder folder(directory.path(), "things");
  REQUIRE(folder.write("file", "text").empty());
  for (const fs::path& path : {folder.path() / "file", folder.path(), directory.path()}) {
    REQUIRE(::chown(path.c_str(), nobody, nobody) == 0);
    check_refused(folder, "belongs to user 65534", path);
    REQUIRE(::chown(path.c_str(), 0, 0) == 0);
  }
  CHECK(folder.read("file").text == "text");
}

TEST_CASE("TrustedFolder: links are refused, whoever is trusted") {
  const TemporaryDirectory directory;
  const TemporaryDirectory elsewhere;
  plant(elsewhere.path() / "file", "planted");
  for (const bool trusted : {false, true}) {
    const Trusting trusting(trusted ? directory.path() : elsewhere.path());
    const std::string name = trusted ? "trusted" : "own";
    const TrustedFolder linked(directory.path(), name + "-link");
    fs::create_directory_symlink(elsewhere.path(), linked.path());
    check_refused(linked, "symbolic link", linked.path());
    CHECK_THAT(linked.write("file", "text"), ContainsSubstring("symbolic link"));
    const TrustedFolder folder(directory.path(), name);
    REQUIRE(folder.write("other", "text").empty());
    fs::create_symlink(elsewhere.path() / "file", folder.path() / "file");
    check_refused(folder, "symbolic link", folder.path() / "file");
    CHECK(folder.write("file", "own").empty());  // takes the link's place
    CHECK(folder.read("file").text == "own");
  }
  CHECK(engine_test::text_of_file(elsewhere.path() / "file") == "planted");
}

TEST_CASE("TrustedFolder: a pipe is refused at once") {
  const TemporaryDirectory directory;
  const TrustedFolder folder(directory.path(), "things");
  REQUIRE(folder.write("other", "text").empty());
  REQUIRE(::mkfifo((folder.path() / "file").c_str(), 0600) == 0);
  check_refused(folder, "it is no file", folder.path() / "file");
}

TEST_CASE("TrustedFolder: in the root that is named as trusted, files of others are read") {
  const TemporaryDirectory directory;
  const Trusting trusting(directory.path() / ".." / directory.path().filename());
  const TrustedFolder folder(directory.path(), "things");
  REQUIRE(folder.write("file", "text").empty());
  fs::permissions(folder.path() / "file", fs::perms::others_write, fs::perm_options::add);
  fs::permissions(directory.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK(folder.read("file").text == "text");
  const mode_t umask = ::umask(022);
  CHECK(folder.write("new", "text").empty());
  ::umask(umask);
  CHECK(mode_of(folder.path() / "new") == 0644);
  const fs::path later = directory.path() / "later";
  ::setenv("CONTEXTUAL_TRUSTED_CACHE_DIR", (later.string() + "/").c_str(), 1);
  const mode_t none = ::umask(0);
  CHECK(TrustedFolder(later, "things").write("file", "text").empty());
  ::umask(none);
  CHECK(mode_of(later) == 0777);
}

TEST_CASE("TrustedFolder: where nothing can be written it says so, with the path") {
  const TrustedFolder nowhere("/proc/no-directory-can-be-made-here", "things");
  CHECK_THAT(nowhere.write("file", "text"), ContainsSubstring("/proc/no-directory-can-be-made-here"));
  CHECK_FALSE(nowhere.read("file").text);
  const TemporaryDirectory directory;
  const TrustedFolder folder(directory.path(), "things");
  REQUIRE(folder.write("other", "text").empty());
  fs::create_directories(folder.path() / "file" / "full");
  CHECK_THAT(folder.write("file", "text"), ContainsSubstring((folder.path() / "file").string()));
  CHECK(folder.files("").size() == 2);  // no temporary file is left
  plant(directory.path() / "no-folder", "");
  CHECK_FALSE(TrustedFolder(directory.path(), "no-folder").write("file", "text").empty());
}

TEST_CASE("TrustedFolder: says why nothing can be written in it, and makes it where something can") {
  const TemporaryDirectory directory;
  CHECK(TrustedFolder(directory.path() / "new", "").why_unwritable().empty());
  CHECK(fs::is_directory(directory.path() / "new"));
  CHECK(TrustedFolder(directory.path(), "things").why_unwritable().empty());
  CHECK_THAT(TrustedFolder("/proc/no-directory-can-be-made-here", "").why_unwritable(),
             ContainsSubstring("/proc/no-directory-can-be-made-here"));
  fs::permissions(directory.path() / "new", fs::perms::all);
  CHECK_THAT(TrustedFolder(directory.path() / "new", "").why_unwritable(),
             ContainsSubstring("others can write it"));
  if (::geteuid() != 0) {  // whom no mode hinders
    fs::permissions(directory.path() / "new", fs::perms::owner_read | fs::perms::owner_exec);
    CHECK_THAT(TrustedFolder(directory.path() / "new", "").why_unwritable(),
               ContainsSubstring("it cannot be written"));
  }
}

TEST_CASE("TrustedFolder: several threads write and read whole files") {
  const TemporaryDirectory directory;
  const TrustedFolder folder(directory.path(), "things");
  std::atomic<int> torn{0};
  contextual::test::on_threads(4, [&](int thread) {
    const std::string own(20'000, static_cast<char>('a' + thread));
    for (int i = 0; i < 50; ++i) {
      const bool written = folder.write("file", own).empty();
      const auto text = folder.read("file").text;
      const bool whole =
          text && text->size() == own.size() && text->find_first_not_of(text->front()) == std::string::npos;
      torn += written && whole ? 0 : 1;
    }
  });
  CHECK(torn == 0);
  CHECK(folder.files("").size() == 1);
}

TEST_CASE("TrustedFolder: what a process has left that ended while it wrote is removed an hour later") {
  const TemporaryDirectory directory;
  const TrustedFolder folder(directory.path(), "things");
  REQUIRE(folder.write("file", "text").empty());
  const auto now = fs::last_write_time(folder.path() / "file");
  const auto leave = [&](const std::string& name, std::chrono::minutes age) {
    plant(folder.path() / name, "half");
    fs::last_write_time(folder.path() / name, now - age);
  };
  leave(".file.host.1.0.5.part", std::chrono::minutes(70));
  leave(".file.host.2.0.5.part", std::chrono::minutes(50));
  leave(".other", std::chrono::minutes(700));
  leave("some.part", std::chrono::minutes(700));
  CHECK(folder.write("file", "newer").empty());
  CHECK_FALSE(fs::exists(folder.path() / ".file.host.1.0.5.part"));
  CHECK(fs::exists(folder.path() / ".file.host.2.0.5.part"));
  CHECK(fs::exists(folder.path() / ".other"));
  CHECK(fs::exists(folder.path() / "some.part"));
  CHECK(folder.read("file").text == "newer");
}

}  // namespace trusted_folder_test
