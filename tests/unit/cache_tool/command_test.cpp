#include "cache/command.hpp"

#include "cache/choices_text.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <csignal>
#include <iterator>

namespace contextual::test::command_test {

using namespace cache_tool;

namespace fs = std::filesystem;

namespace {

struct Said {
  int code = 0;
  std::string out;
  std::string err;
};

Said say(const Command& command, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_command(command, in, out, err);
  return {code, out.str(), err.str()};
}

Command command_of(const fs::path& directory, Verb verb) {
  Command command;
  command.directory = directory;
  command.verb = verb;
  return command;
}

/// Keeps a choice of a region, as a program does.
void tune(const fs::path& directory, const std::string& region) {
  const auto kernel = rank_kernel("tool_kernel", 3);
  ContextualAutotuner tuner(rank_options(nullptr));
  const Options options{.always_tune = true, .cache_directory = directory};
  tuner.run(
      region, [&] { (*kernel)(7); }, options);
}

std::string only_set(const fs::path& directory) {
  return KeptChoices(directory).list().sets.at(0).id;
}

/// Runs a program that begins anew. Returns its exit code, or the negative signal that has ended it.
template <typename Program>
int in_another_process(const Program& program) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::_exit(program());
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/// A program whose kernel, which no other test has, has this version.
struct Program {
  fs::path directory{};
  std::string version{};
  int n_repeat = 2;
  bool dies = false;  ///< of the last config
  bool has_another_kernel = false;

  /// Returns the tile that was launched last.
  int run(Mode mode) const {
    return in_another_process([&] {
      int tile = 0;
      const auto another = has_another_kernel ? rank_kernel("tool_not_launched", 2) : nullptr;
      const auto kernel =
          rank_kernel("tool_deadly", 3, {.version = version}, [&](const test::TileConfig& config, int&) {
            tile = config.tile;
            if (dies && tile == 3) {
              ::raise(SIGKILL);
            }
          });
      const Options options{
          .mode = mode, .n_repeat = n_repeat, .always_tune = true, .cache_directory = directory};
      ContextualAutotuner tuner(rank_options(nullptr));
      tuner.run(
          "tool deadly", [&] { (*kernel)(7); }, options);
      return tile;
    });
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string text_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Takes what is written, and says that there is no room when it is flushed, as a full device does.
struct FullDevice : std::stringbuf {
  int sync() override { return -1; }
};

/// While it lives, a file that this process writes ends at so many bytes.
class SmallFiles {
 public:
  explicit SmallFiles(std::size_t most_bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{most_bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("contextual-cache: list has one line a set and one a pin, in columns") {
  const TemporaryDirectory directory;
  CHECK_THAT(say(command_of(directory.path(), Verb::list)).out, ContainsSubstring("Nothing is kept"));
  tune(directory.path(), "tool region");
  tune(directory.path(), "tool/other");
  Command pin = command_of(directory.path(), Verb::pin);
  pin.region = "tool region";
  pin.kernel = "tool_kernel";
  pin.config = R"({"TILE": 2})";
  REQUIRE(say(pin).code == exit_fine);
  const Said said = say(command_of(directory.path(), Verb::list));
  CHECK(said.code == exit_fine);
  CHECK(said.err.empty());
  const std::vector<std::string> lines = lines_of(said.out);
  REQUIRE(lines.size() == 6);
  CHECK_THAT(lines[1], ContainsSubstring("tool region") && ContainsSubstring("fits here") &&
                           ContainsSubstring("tool_kernel"));
  CHECK_THAT(lines[2], ContainsSubstring("tool/other"));
  CHECK(lines[0].find("STANDING") == lines[1].find("fits here"));
  CHECK(lines[0].find("STANDING") == lines[2].find("fits here"));
  CHECK_THAT(lines[5], ContainsSubstring("every key") && ContainsSubstring("{TILE: 2}"));
}

TEST_CASE("contextual-cache: list as JSON has what show shows") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  Command list = command_of(directory.path(), Verb::list);
  list.json = true;
  const auto json = nlohmann::json::parse(say(list).out);
  const auto& set = json.at("sets").at(0);
  CHECK(set.at("region") == "tool region");
  CHECK(set.at("differences").empty());
  CHECK(set.at("configs").at(0).at("config") == nlohmann::json({{"TILE", 3}}));
  Command show = command_of(directory.path(), Verb::show);
  show.set = set.at("id").get<std::string>();
  const Said said = say(show);
  CHECK(said.code == exit_fine);
  CHECK_THAT(said.out, ContainsSubstring("config-2 of 3 {TILE: 3}") && ContainsSubstring("because: ") &&
                           ContainsSubstring("processor: ") && ContainsSubstring("own time 8.000 us +- "));
}

TEST_CASE("contextual-cache: show says line by line what differs here, and why a config was chosen") {
  const TemporaryDirectory directory;
  detail::describe_machine("tool test", [] { return std::string("before"); });
  tune(directory.path(), "tool region");
  Command shown = command_of(directory.path(), Verb::show);
  CHECK_THAT(say(shown).out, ContainsSubstring("would be used on machines like this one"));
  detail::describe_machine("tool test", [] { return std::string("after"); });
  const Said said = say(shown);
  CHECK_THAT(said.out, ContainsSubstring("would not be used here") &&
                           ContainsSubstring("tool test: then \"before\", now \"after\"") &&
                           ContainsSubstring("because: fastest by own time"));
  CHECK_THAT(say(command_of(directory.path(), Verb::list)).out, ContainsSubstring("another machine"));
}

TEST_CASE("contextual-cache: show says a reason once, and all assignments that cannot be run") {
  KeptSet set;
  for (const char* kernel : {"one", "two", "three"}) {
    KeptConfig config{.kernel = kernel, .reason = std::string(kernel) == "two" ? "pinned" : "fastest"};
    set.configs.push_back(config);
  }
  for (int i = 0; i < 12; ++i) {
    set.infeasible.push_back({"assignment-" + std::to_string(i), "stuck"});
  }
  const std::string text = cache_tool::show_text(set);
  CHECK(text.find("because: fastest") == text.rfind("because: fastest"));
  CHECK(text.find("three") < text.find("because: fastest"));
  CHECK(text.find("because: fastest") < text.find("two"));
  CHECK_THAT(text, ContainsSubstring("assignment-11: stuck\n"));
}

TEST_CASE("contextual-cache: show says nothing of what the program of the set did not use") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  detail::describe_machine("accelerators", [] { return std::string("unknown: no driver"); });
  CHECK_THAT(say(command_of(directory.path(), Verb::show)).out, !ContainsSubstring("accelerators"));
}

TEST_CASE(
    "contextual-cache: list names a set of other versions, which show says counts only without a check") {
  const TemporaryDirectory directory;
  const std::string part = GENERATE("driver", "nccl");
  detail::describe_machine(part, [] { return std::string("1.2"); });
  tune(directory.path(), "tool region");
  CHECK_THAT(say(command_of(directory.path(), Verb::list)).out, ContainsSubstring("fits here"));
  detail::describe_machine(part, [] { return std::string("1.3"); });
  const std::string listed = say(command_of(directory.path(), Verb::list)).out;
  CHECK_THAT(listed, ContainsSubstring("other versions"));
  CHECK_THAT(listed, !ContainsSubstring("fits here"));
  CHECK_THAT(say(command_of(directory.path(), Verb::show)).out,
             ContainsSubstring("only with CONTEXTUAL_VERSION_CHECK=0"));
}

TEST_CASE("contextual-cache: a set that a program ignores because it is in quarantine is listed so") {
  const TemporaryDirectory directory;
  Program program{.directory = directory.path()};
  REQUIRE(program.run(Mode::tune) == 3);
  program.dies = true;
  for (int death = 1; death <= 2; ++death) {
    CHECK_THAT(say(command_of(directory.path(), Verb::list)).out, ContainsSubstring("fits here"));
    REQUIRE(program.run(Mode::tune) == -SIGKILL);
  }
  CHECK(program.run(Mode::use) == 1);
  CHECK_THAT(say(command_of(directory.path(), Verb::list)).out, ContainsSubstring("in quarantine"));
  program.has_another_kernel = true;
  CHECK(program.run(Mode::use) == 1);
  CHECK_THAT(say(command_of(directory.path(), Verb::show)).out,
             ContainsSubstring("would not be used: it is in quarantine"));
  const TemporaryDirectory other;
  CHECK_THAT(say(command_of(other.path(), Verb::import_choices),
                 say(command_of(directory.path(), Verb::export_choices)).out)
                 .out,
             ContainsSubstring("0 sets written"));
  const Program mended{.directory = directory.path(), .version = "2", .n_repeat = 3};
  REQUIRE(mended.run(Mode::tune) == 3);
  CHECK(mended.run(Mode::use) == 3);
  CHECK_THAT(say(command_of(directory.path(), Verb::list)).out, ContainsSubstring("fits here"));
}

TEST_CASE("child process: contextual-cache with CONTEXTUAL_VERSION_CHECK", "[.child]") {
  ONLY_IF(is_child());
  const TemporaryDirectory directory;
  if (std::string(std::getenv("CONTEXTUAL_VERSION_CHECK")) != "0") {
    const Said said = say(command_of(directory.path(), Verb::list));
    CHECK(said.code == exit_problems);
    CHECK_THAT(said.err, ContainsSubstring("CONTEXTUAL_VERSION_CHECK=\"maybe\""));
    return;
  }
  detail::describe_machine("driver", [] { return std::string("1.2"); });
  tune(directory.path(), "tool region");
  detail::describe_machine("driver", [] { return std::string("1.3"); });
  CHECK_THAT(say(command_of(directory.path(), Verb::list)).out, ContainsSubstring("fits here"));
  CHECK_THAT(say(command_of(directory.path(), Verb::show)).out,
             ContainsSubstring("would be used on machines like this one") &&
                 ContainsSubstring("driver: then \"1.2\", now \"1.3\""));
}

TEST_CASE("contextual-cache: CONTEXTUAL_VERSION_CHECK counts for it as for a program") {
  for (const char* const check : {"0", "maybe"}) {
    CHECK(run_child("contextual-cache with CONTEXTUAL_VERSION_CHECK",
                    {{"CONTEXTUAL_VERSION_CHECK", check}}) == 0);
  }
}

TEST_CASE("contextual-cache: list and show say that a set was chosen beside pins that are gone") {
  const TemporaryDirectory directory;
  KeptChoices(directory.path()).pin({.region = "tool pins", .kernel = "tool_pinned", .config_id = 1});
  const auto pinned = rank_kernel("tool_pinned", 3);
  const auto tuned = rank_kernel("tool_beside", 3);
  ContextualAutotuner tuner(rank_options(nullptr));
  const Options options{.cache_directory = directory.path()};
  tuner.run(
      "tool pins", [&] { (*pinned)(7), (*tuned)(7); }, options);
  CHECK_THAT(say(command_of(directory.path(), Verb::list)).out, ContainsSubstring("fits here"));
  Command unpin = command_of(directory.path(), Verb::unpin);
  unpin.region = "tool pins";
  REQUIRE(say(unpin).code == 0);
  CHECK_THAT(say(command_of(directory.path(), Verb::list)).out, ContainsSubstring("other pins"));
  CHECK_THAT(say(command_of(directory.path(), Verb::show)).out, ContainsSubstring("chosen beside pins"));
}

TEST_CASE("contextual-cache: a set that is not there, or not the only one, is an error") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  tune(directory.path(), "tool/other");
  Command show = command_of(directory.path(), Verb::show);
  show.set = "nothing";
  CHECK(say(show).code == exit_not_found);
  CHECK_THAT(say(show).err, ContainsSubstring("nothing"));
  show.set = "";
  CHECK(say(show).code == exit_not_found);
  CHECK_THAT(say(show).err, ContainsSubstring("more than one"));
  CHECK(say(command_of("", Verb::list)).code == exit_not_found);
}

TEST_CASE("contextual-cache: export, forget and import bring a set back") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  const Said text = say(command_of(directory.path(), Verb::export_choices));
  Command to_file = command_of(directory.path(), Verb::export_choices);
  to_file.file = directory.path() / "exported";
  CHECK(say(to_file).code == exit_fine);
  Command forget = command_of(directory.path(), Verb::forget);
  forget.region = "tool region";
  CHECK_THAT(say(forget).out, ContainsSubstring("1 item removed"));
  CHECK(KeptChoices(directory.path()).list().sets.empty());
  CHECK_THAT(say(command_of(directory.path(), Verb::import_choices), text.out).out,
             ContainsSubstring("1 set written"));
  Command from_file = command_of(directory.path(), Verb::import_choices);
  from_file.file = to_file.file;
  CHECK_THAT(say(from_file).out, ContainsSubstring("0 sets written"));
  CHECK(KeptChoices(directory.path()).list().sets.size() == 1);
  CHECK(say(command_of(directory.path(), Verb::import_choices), "{}").code == exit_not_found);
  const TemporaryDirectory shipped;
  Command to_directory = command_of(directory.path(), Verb::export_choices);
  to_directory.to = shipped.path();
  CHECK_THAT(say(to_directory).out, ContainsSubstring("1 set written"));
  CHECK(KeptChoices(shipped.path()).list().sets.size() == 1);
}

TEST_CASE("contextual-cache: an output that takes nothing is a problem, whatever is written") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  FullDevice full;
  std::ostream out(&full);
  std::istringstream in;
  std::ostringstream err;
  const Verb verb = GENERATE(Verb::list, Verb::show, Verb::export_choices, Verb::prune);
  CHECK(run_command(command_of(directory.path(), verb), in, out, err) == exit_problems);
  CHECK(err.str() == "contextual-cache: the output cannot be written\n");
}

TEST_CASE("contextual-cache: files that export and import cannot write or read are problems") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  Command write = command_of(directory.path(), Verb::export_choices);
  write.file = directory.path() / "missing" / "exported";
  CHECK(say(write).code == exit_problems);
  CHECK_THAT(say(write).err, ContainsSubstring("contextual-cache: ") && ContainsSubstring("exported"));
  Command read = command_of(directory.path(), Verb::import_choices);
  for (const fs::path& file : {directory.path() / "missing", directory.path()}) {
    read.file = file;
    CHECK(say(read).code == exit_problems);
    CHECK_THAT(say(read).err, ContainsSubstring(file.string() + ": it cannot be read"));
  }
}

TEST_CASE("contextual-cache: an export that fails leaves the file that is there, and nothing beside it") {
  const TemporaryDirectory directory;
  for (const char* const region : {"tool region", "tool/other"}) {
    tune(directory.path(), region);
  }
  const fs::path folder = directory.path() / "backups";
  fs::create_directory(folder);
  Command write = command_of(directory.path(), Verb::export_choices);
  write.file = folder / "backup";
  write.region = "tool region";
  REQUIRE(say(write).code == exit_fine);
  const std::string before = text_in(write.file);
  write.region.reset();
  {
    const SmallFiles limit(before.size());
    const Said said = say(write);
    CHECK(said.code == exit_problems);
    CHECK_THAT(said.err, ContainsSubstring("backup: it cannot be written: File too large"));
  }
  CHECK(text_in(write.file) == before);
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 1);
  REQUIRE(say(write).code == exit_fine);
  CHECK(text_in(write.file) == say(command_of(directory.path(), Verb::export_choices)).out);
  CHECK(std::distance(fs::directory_iterator(folder), {}) == 1);
}

TEST_CASE("contextual-cache: export writes through a link, and to what is no file") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  Command write = command_of(directory.path(), Verb::export_choices);
  write.file = directory.path() / "link";
  fs::create_symlink("target", directory.path() / "second");
  fs::create_symlink("second", write.file);
  REQUIRE(say(write).code == exit_fine);
  CHECK(fs::is_symlink(write.file));
  CHECK(fs::is_regular_file(directory.path() / "target"));
  write.file = "/dev/null";
  CHECK(say(write).code == exit_fine);
  CHECK(fs::is_character_file(write.file));
  write.file = "/dev/full";
  CHECK(say(write).code == exit_problems);
}

TEST_CASE("contextual-cache: what export leaves out is told as every problem is") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool\nregion");
  const fs::path file = KeptChoices(directory.path()).list().sets.at(0).file;
  fs::rename(file, file.parent_path() / "odd\nname.json");
  fs::permissions(file.parent_path() / "odd\nname.json", fs::perms::others_write, fs::perm_options::add);
  const Command write = command_of(directory.path(), Verb::export_choices);
  const Said said = say(write);
  CHECK(said.code == exit_problems);
  REQUIRE(lines_of(said.err).size() == 1);
  CHECK_THAT(said.err, ContainsSubstring("contextual-cache: ") && ContainsSubstring("odd\\nname.json"));
}

TEST_CASE("contextual-cache: forget and unpin of a region without anything may be repeated") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  for (const Verb verb : {Verb::forget, Verb::unpin}) {
    Command command = command_of(directory.path(), verb);
    command.region = "nothing";
    CHECK(say(command).code == exit_fine);
    CHECK_THAT(say(command).out,
               ContainsSubstring(verb == Verb::forget ? "0 items removed" : "0 pins removed"));
  }
  CHECK(KeptChoices(directory.path()).list().sets.size() == 1);
}

TEST_CASE("contextual-cache: pins a set and takes the pins back") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  Command pin = command_of(directory.path(), Verb::pin);
  pin.set = only_set(directory.path());
  CHECK_THAT(say(pin).out, ContainsSubstring("1 pin written"));
  CHECK(KeptChoices(directory.path()).list().pins.at(0).key == "(7)");
  Command unpin = command_of(directory.path(), Verb::unpin);
  unpin.region = "tool region";
  CHECK_THAT(say(unpin).out, ContainsSubstring("1 pin removed"));
  CHECK(KeptChoices(directory.path()).list().pins.empty());
  CHECK(say(command_of(directory.path(), Verb::pin)).code == exit_not_found);
  pin.set.clear();
  pin.region = "tool region";
  pin.kernel = "tool_kernel";
  pin.config = "{";
  CHECK(say(pin).code == exit_not_found);
}

TEST_CASE("contextual-cache: pin of a set needs a kernel that the set has") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  Command pin = command_of(directory.path(), Verb::pin);
  pin.set = only_set(directory.path());
  pin.kernel = "tool_kernel";
  Command of_other = pin;
  of_other.kernel = "nosuch";
  CHECK(say(of_other).code == exit_not_found);
  CHECK_THAT(say(of_other).err, ContainsSubstring("has no kernel or coupling \"nosuch\""));
  CHECK(KeptChoices(directory.path()).list().pins.empty());
  CHECK(say(pin).code == exit_fine);
}

TEST_CASE("contextual-cache: pin refuses an empty key") {
  const TemporaryDirectory directory;
  Command pin = command_of(directory.path(), Verb::pin);
  pin.region = "tool region";
  pin.kernel = "tool_kernel";
  pin.config = R"({"TILE": 2})";
  Command with_empty_key = pin;
  with_empty_key.key = "";
  CHECK(say(with_empty_key).code == exit_not_found);
  CHECK_THAT(say(with_empty_key).err, ContainsSubstring("--key is empty"));
  CHECK(KeptChoices(directory.path()).list().pins.empty());
  CHECK(say(pin).code == exit_fine);
}

TEST_CASE(
    "contextual-cache: notes what it pins and no kept set has, and refuses keys with more behind them") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  Command pin = command_of(directory.path(), Verb::pin);
  pin.region = "tool region";
  pin.kernel = "tool_kernel";
  pin.config = R"({"TILE": 2})";
  CHECK(say(pin).err.empty());
  pin.key = "(7)";
  CHECK(say(pin).err.empty());
  pin.key = "(8)";
  CHECK_THAT(say(pin).err, ContainsSubstring("note: no kept set") && ContainsSubstring("(8)"));
  CHECK(say(pin).code == exit_fine);
  pin.key = {};
  pin.kernel = "toolkernel";
  CHECK_THAT(say(pin).err, ContainsSubstring("note: no kept set") && ContainsSubstring("toolkernel"));
  pin.region = "toolregion";
  pin.kernel = "tool_kernel";
  CHECK_THAT(say(pin).err, ContainsSubstring("note: no kept set") && ContainsSubstring("toolregion"));
  pin.key = "(7) in fn (7): {TILE: 1}";
  CHECK(say(pin).code == exit_not_found);
}

TEST_CASE("contextual-cache: prune says what it removes, and what it cannot believe is a problem") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  const fs::path file = KeptChoices(directory.path()).list().sets.at(0).file;
  const fs::path left = file.parent_path() / ".tool.json.node.1.0.2.part";
  std::ofstream(left) << "half";
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  Command prune = command_of(directory.path(), Verb::prune);
  prune.dry_run = true;
  CHECK_THAT(say(prune).out,
             ContainsSubstring(left.string()) && ContainsSubstring("1 item would be removed"));
  prune.dry_run = false;
  CHECK_THAT(say(prune).out, ContainsSubstring("1 item removed"));
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  const Said said = say(command_of(directory.path(), Verb::list));
  CHECK(said.code == exit_problems);
  CHECK_THAT(said.err, ContainsSubstring("others can write"));
}

TEST_CASE("contextual-cache: list does not say that nothing is kept where something cannot be used") {
  const TemporaryDirectory directory;
  tune(directory.path(), "tool region");
  const fs::path file = KeptChoices(directory.path()).list().sets.at(0).file;
  fs::rename(file, directory.path() / "moved");
  fs::create_symlink(directory.path() / "moved", file);
  const Said said = say(command_of(directory.path(), Verb::list));
  CHECK(said.code == exit_problems);
  CHECK(said.out == "Nothing that can be used is kept there.\n");
  CHECK_THAT(said.err, ContainsSubstring("symbolic link"));
}

}  // namespace contextual::test::command_test
