/// \file
/// Choices that outlive the process, on file systems that fail: every run returns its value, and the region
/// is tuned or what is kept is used.

#include "support/scripted_files.hpp"
#include "support/stderr_capture.hpp"
#include "unit/tuning/kept_process.hpp"

namespace contextual::test::kept_test::kept_choices_files_test {

namespace {

constexpr int always = 1000;

}  // namespace

TEST_CASE("kept choices: what cannot be read is tuned again, and used when it can be read") {
  for (const FileFault& fault :
       std::vector<FileFault>{{FileCall::read, ".json", EIO}, {FileCall::fstat, "/choices", EIO, always}}) {
    const TemporaryDirectory directory;
    const Process process{.ranks = 2, .directory = directory.path(), .journal = Journal::off};
    REQUIRE(run(process).tuned(2));
    {
      const ScriptedFiles files({fault});
      const StderrCapture said;
      CHECK(run(process).tuned(2));
      CHECK(files.failed() >= 1);
      CHECK_THAT(said.text(), ContainsSubstring("warning: " + directory.path().string()));
    }
    CHECK(run(process).used(2));
  }
}

TEST_CASE("kept choices: those that somebody else may have put there are named, not used, and left") {
  const TemporaryDirectory directory;
  const Process process{.ranks = 2, .directory = directory.path() / "cache", .journal = Journal::off};
  REQUIRE(run(process).tuned(2));
  const fs::path entry = only_file(process.directory);
  const std::string text = text_of_file(entry);
  fs::path refused = entry;
  std::string reason = "others can write it";
  SECTION("an entry") {
    fs::permissions(entry, fs::perms::others_write, fs::perm_options::add);
  }
  SECTION("the directory") {
    refused = process.directory;
    fs::permissions(refused, fs::perms::others_write, fs::perm_options::add);
  }
  SECTION("a link in the place of the folder of all regions") {
    refused = process.directory / "choices";
    reason = "symbolic link";
    fs::rename(refused, directory.path() / "outside");
    fs::create_symlink(directory.path() / "outside", refused);
  }
  const StderrCapture said;
  CHECK(run(process).tuned(2));
  CHECK_THAT(said.text(), ContainsAll(refused.string(), reason));
  CHECK(text_of_file(entry) == text);
}

TEST_CASE("kept choices: a file that cannot be opened or read may pin something: an error on all ranks") {
  for (const Mode mode : {Mode::tune, Mode::use, Mode::off}) {
    for (const FileFault& fault : std::vector<FileFault>{
             {FileCall::openat, "/choices/kept%20region.json", EACCES, always},
             {FileCall::openat, "/choices", EACCES, always},  // the file is seen all the same
             {FileCall::openat, "/choices/kept%20region.json", EIO, always},
             {FileCall::read, "/choices/kept%20region.json", EIO, always},
             {FileCall::read, "/choices/kept%20region.json", ESTALE, always}}) {
      const TemporaryDirectory directory;
      const Process process{.ranks = 2, .directory = directory.path(), .journal = Journal::off};
      REQUIRE(run(process).tuned(2));
      REQUIRE(KeptChoices(directory.path())
                  .pin({.region = process.region, .kernel = process.kernel, .config_id = 1})
                  .problems.empty());
      {
        const ScriptedFiles files({fault});
        Process failing = process;
        failing.mode = mode;
        check_refused(run(failing),
                      {(directory.path() / "choices" / "kept%20region.json").string(), "what is pinned"});
      }
      CHECK(run(process).used(1));
    }
  }
}

TEST_CASE(
    "kept choices: what cannot be written is a warning that names the file, and nothing is left of it") {
  for (const FileFault& fault :
       std::vector<FileFault>{{FileCall::write, "/.", ENOSPC}, {FileCall::renameat, "/.", EIO}}) {
    const TemporaryDirectory directory;
    const Process process{.ranks = 2, .directory = directory.path(), .journal = Journal::off};
    {
      const ScriptedFiles files({fault});
      const Seen seen = run(process);
      CHECK(seen.tuned(2));
      CHECK(files.failed() == 1);
      CHECK_THAT(only(seen.reports[0].warnings),
                 ContainsAll("the choices are not kept: " + directory.path().string(), ".json"));
      CHECK(seen.reports[1].warnings.empty());
    }
    for (const auto& left : fs::recursive_directory_iterator(directory.path())) {
      CHECK(left.is_directory());
    }
    CHECK(run(process).tuned(2));
    CHECK(run(process).used(2));
  }
}

TEST_CASE("kept choices: where the journal cannot be written the report says so, and choices are kept") {
  for (const FileCall call : {FileCall::openat, FileCall::fstat}) {
    const TemporaryDirectory directory;
    const Process process{.ranks = 2, .directory = directory.path()};
    {
      const ScriptedFiles files({{call, "/journal", EIO, always}});
      const Seen seen = run(process);
      CHECK(seen.tuned(2));
      CHECK(files.failed() >= 1);
      CHECK_THAT(only(seen.reports[0].warnings),
                 ContainsSubstring("this run cannot be resumed: " + directory.path().string()));
    }
    CHECK(run(process).used(2));
  }
}

TEST_CASE("kept choices: a path that is too long for the system keeps nothing, and says so") {
  const TemporaryDirectory directory;
  fs::path deep = directory.path();
  for (int i = 0; i < 50; ++i) {
    deep /= std::string(100, 'x');
  }
  for (const fs::path& path : {directory.path() / std::string(300, 'x'), deep}) {
    const StderrCapture said;
    const Seen seen = run({.ranks = 2, .directory = path});
    CHECK(seen.tuned(2));
    CHECK_THAT(said.text(), ContainsSubstring("File name too long"));
    const std::vector<std::string>& warnings = seen.reports[0].warnings;
    CHECK(count_with(warnings, "no choices are kept") == 1);
  }
}

}  // namespace contextual::test::kept_test::kept_choices_files_test
