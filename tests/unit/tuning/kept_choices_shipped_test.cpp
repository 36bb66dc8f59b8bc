/// \file
/// Choices that ship with a program: directories that are read beneath the own one.

#include "support/stderr_capture.hpp"
#include "unit/tuning/kept_process.hpp"

#include <iterator>

struct CUstream_st;

namespace contextual::test::kept_test::kept_choices_shipped_test {

namespace {

/// Of the ranks, rank 0 has an own directory, if that is not empty, and the others have none.
Process with(const fs::path& own, std::vector<fs::path> path, int ranks = 2) {
  return {.ranks = ranks, .directory = own, .only_on_rank_0 = true, .change = [path](Options& options) {
            options.choices_path = path;
          }};
}

/// Tunes such that this config is the fastest.
void ship(const fs::path& directory, std::size_t config, int ranks = 2) {
  Process process = with(directory, {}, ranks);
  process.fastest = config;
  REQUIRE(run(process).tuned(config));
}

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("shipped choices: used with and without an own directory, the own choices first") {
  const TemporaryDirectory first;
  const TemporaryDirectory second;
  const TemporaryDirectory own;
  ship(first.path(), 1);
  ship(second.path(), 0);
  const std::string before = content(only_file(first.path()));
  CHECK(run(with({}, {first.path(), second.path()})).used(1));
  CHECK(run(with({}, {second.path(), first.path()})).used(0));
  CHECK(run(with({}, {own.path() / "nothing", first.path()})).used(1));
  CHECK(run(with(own.path(), {first.path()})).used(1));
  CHECK_FALSE(fs::exists(own.path() / "choices"));
  ship(own.path(), 2);
  CHECK(run(with(own.path(), {first.path()})).used(2));
  CHECK(content(only_file(first.path())) == before);
}

TEST_CASE("shipped choices: used in mode use, which tunes nothing") {
  const TemporaryDirectory shipped;
  ship(shipped.path(), 1, 1);
  Process serving = with({}, {shipped.path()}, 1);
  serving.mode = Mode::use;
  CHECK(run(serving).used(1));
}

TEST_CASE("shipped choices: what does not fit is tuned, and kept in the own directory") {
  const TemporaryDirectory shipped;
  const TemporaryDirectory own;
  ship(shipped.path(), 1);
  const auto elsewhere = [](Process process) {
    process.machine = [](int) { return "another machine"; };
    return process;
  };
  const StderrCapture said;
  CHECK(run(elsewhere(with({}, {shipped.path()}))).tuned(2));
  CHECK_THAT(said.text(), ContainsSubstring("are not used: they were made on another machine"));
  CHECK(run(elsewhere(with(own.path(), {shipped.path()}))).tuned(2));
  CHECK(run(elsewhere(with(own.path(), {}))).used(2));
}

TEST_CASE("shipped choices: tuned again by always_tune, and not used where others could have written them") {
  const TemporaryDirectory shipped;
  ship(shipped.path(), 1);
  Process always = with({}, {shipped.path()});
  always.change = [path = shipped.path()](Options& options) {
    options.choices_path = {path};
    options.always_tune = true;
  };
  CHECK(run(always).tuned(2));
  fs::permissions(shipped.path(), fs::perms::others_write, fs::perm_options::add);
  const StderrCapture said;
  CHECK(run(with({}, {shipped.path()})).tuned(2));
  CHECK_THAT(said.text(), ContainsSubstring(shipped.path().string()));
}

TEST_CASE("shipped choices: a directory without any is named") {
  const TemporaryDirectory empty;
  const StderrCapture said;
  CHECK(run(with({}, {empty.path()})).tuned(2));
  CHECK_THAT(said.text(), ContainsSubstring(empty.path().string() + ", where choices are to be read"));
}

TEST_CASE("shipped choices: what is tuned beside them is kept with them, and with their times") {
  const TemporaryDirectory shipped;
  const TemporaryDirectory own;
  TunableKernel first{"shipped_first", tiles(2), single_problem, [](const TileConfig&) {}};
  TunableKernel second{"shipped_second", tiles(2), single_problem, [](const TileConfig&) {}};
  const auto timed = [](Options& options) {
    options.timer = testing::scripted_timer([](const LaunchInfo&) { return std::int64_t{1000}; });
  };
  REQUIRE(run_alone(
              shipped.path(), "pair", [&] { first(); }, timed)
              .error.empty());
  const Alone both = run_alone(
      own.path(), "pair", [&] { first(), second(); },
      [&](Options& options) {
        timed(options);
        options.choices_path = {shipped.path()};
      });
  CHECK(both.error.empty());
  const std::string kept = content(only_file(own.path()));
  CHECK_THAT(kept, ContainsSubstring("shipped_first") && ContainsSubstring("shipped_second") &&
                       !ContainsSubstring("\"time_ns\":null"));
}

TEST_CASE("shipped choices: a damaged file is named, and keeps its name") {
  const TemporaryDirectory shipped;
  ship(shipped.path(), 1);
  const fs::path file = only_file(shipped.path());
  std::ofstream(file, std::ios::app) << "more";
  const StderrCapture said;
  CHECK(run(with({}, {shipped.path()})).tuned(2));
  CHECK_THAT(said.text(), ContainsSubstring(file.string() + " is not used"));
  CHECK(only_file(shipped.path()) == file);
}

TEST_CASE("kept choices: they are for one kind of processor if something runs on the host") {
  using OnStream = TunableKernel<void(const TileConfig&, CUstream_st*)>;
  OnStream device{"shipped_device", tiles(2), [](CUstream_st* const&) { return Key{}; },
                  [](const TileConfig&, CUstream_st*) {}};
  TunableKernel host{"shipped_host", tiles(2), single_problem, [](const TileConfig&) {}};
  const auto kept = [&](bool with_host) {
    const TemporaryDirectory directory;
    const Alone alone = run_alone(
        directory.path(), "shipped",
        [&] {
          device(nullptr);
          if (with_host) {
            host();
          }
        },
        [](Options& options) {
          options.timer = testing::scripted_timer([](const LaunchInfo&) { return std::int64_t{1000}; });
        });
    CHECK(alone.error.empty());
    return content(only_file(directory.path()));
  };
  CHECK_THAT(kept(true), ContainsSubstring("\"processor\","));
  CHECK_THAT(kept(false), !ContainsSubstring("\"processor\","));
}

}  // namespace contextual::test::kept_test::kept_choices_shipped_test
