/// \file
/// What a kept choice belongs to: the module that defines the kernel, or its version.

#include "support/modules/loaded.hpp"
#include "support/stderr_capture.hpp"
#include "unit/tuning/kept_process.hpp"

#include <contextual/detail/storage/code_module.hpp>

namespace contextual::test::kept_test::kept_choices_modules_test {

namespace {

using Launcher = void(const TileConfig&, int&);

/// A start of a program: equal names and values for all of them.
struct Program {
  RankKernel::Launcher launcher;
  std::size_t fastest = 0;
  std::string version{};
};

Program one() {
  return {launcher_of<Launcher>(CONTEXTUAL_TEST_MODULE_1), 1};
}
Program two() {
  return {launcher_of<Launcher>(CONTEXTUAL_TEST_MODULE_2), 2};
}

RegionReport start(const fs::path& directory, Program program) {
  RankKernel::Options options;
  options.version = program.version;
  const auto kernel = rank_kernel("gemm", 3, options, program.launcher);
  const Alone alone = run_alone(
      directory, "step", [&] { (*kernel)(7); },
      [&](Options& changed) {
        changed.timer = testing::scripted_timer([fastest = program.fastest](const LaunchInfo& launch) {
          return launch.config_id == fastest ? 1000 : 3000;
        });
      });
  CHECK(alone.error.empty());
  REQUIRE(alone.report.problems.size() == 1);
  return alone.report;
}

bool tuned(const RegionReport& report, std::size_t config) {
  return !report.problems[0].reused && report.problems[0].choice == config;
}
bool used(const RegionReport& report, std::size_t config) {
  return report.problems[0].reused && report.problems[0].choice == config;
}

}  // namespace

TEST_CASE("kept choices: two programs with equal names find their own, also in turn") {
  const TemporaryDirectory directory;
  CHECK(tuned(start(directory.path(), one()), 1));
  const StderrCapture said;
  CHECK(tuned(start(directory.path(), two()), 2));
  CHECK_THAT(said.text(), ContainsAll("is of another program, build or version than then",
                                      fs::path(CONTEXTUAL_TEST_MODULE_1).filename().string()));
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(used(start(directory.path(), one()), 1));
    CHECK(used(start(directory.path(), two()), 2));
  }
}

TEST_CASE("kept choices: a std::function and a lambda belong to the module that defines them") {
  const TemporaryDirectory directory;
  Program wrapped = one();
  wrapped.launcher = std::function<Launcher>(launcher_of<Launcher>(CONTEXTUAL_TEST_MODULE_1));
  CHECK(tuned(start(directory.path(), one()), 1));
  CHECK(used(start(directory.path(), wrapped), 1));
  const auto lambda = [](const TileConfig&, int&) {};
  const Program here{lambda, 2};
  CHECK(tuned(start(directory.path(), here), 2));
  CHECK(used(start(directory.path(), {std::function<Launcher>(lambda), 0}), 2));
}

TEST_CASE("kept choices: a version counts in place of the module") {
  const TemporaryDirectory directory;
  const auto versioned = [](Program program, std::string version) {
    program.version = std::move(version);
    return program;
  };
  CHECK(tuned(start(directory.path(), versioned(one(), "1")), 1));
  CHECK(used(start(directory.path(), versioned(two(), "1")), 1));
  CHECK(tuned(start(directory.path(), versioned(two(), "2")), 2));
  CHECK(tuned(start(directory.path(), two()), 2));
}

TEST_CASE("kept choices: a list says which module or version a choice belongs to") {
  const TemporaryDirectory directory;
  start(directory.path(), one());
  Program versioned = two();
  versioned.version = "7";
  start(directory.path(), versioned);
  const KeptChoices::Contents contents = KeptChoices(directory.path()).list();
  REQUIRE(contents.sets.size() == 2);
  CHECK(contents.sets[0].configs.at(0).belongs_to == "version 7");
  const std::string id = detail::build_id_of(CONTEXTUAL_TEST_MODULE_1);
  CHECK(contents.sets[1].configs.at(0).belongs_to ==
        fs::path(CONTEXTUAL_TEST_MODULE_1).filename().string() + " " + id.substr(0, 8));
}

TEST_CASE("kept choices: an export goes where the kernel's module or version is the same") {
  const TemporaryDirectory directory;
  const TemporaryDirectory elsewhere;
  start(directory.path(), one());
  start(directory.path(), two());
  KeptChoices(elsewhere.path()).import_choices(KeptChoices(directory.path()).export_choices().text);
  CHECK(used(start(elsewhere.path(), one()), 1));
  CHECK(used(start(elsewhere.path(), two()), 2));
  const TemporaryDirectory empty;
  CHECK(tuned(start(empty.path(), two()), 2));
}

}  // namespace contextual::test::kept_test::kept_choices_modules_test
