/// \file
/// The table "What takes precedence" of docs/cache.md, row by row. In each test everything that the rows
/// below ask for holds as well.

#include "unit/tuning/kept_process.hpp"

namespace contextual::test::kept_test::precedence_test {

namespace {

constexpr std::size_t pinned = 1;
constexpr std::size_t kept = 2;

/// A directory with a kept choice, and times that have changed since: the default is the fastest now.
struct Precedence {
  TemporaryDirectory directory;
  Process process;

  explicit Precedence(const std::string& kernel) {
    process.directory = directory.path();
    process.kernel = kernel;
    REQUIRE(kept_test::run(process).tuned(kept));
    process.fastest = 0;
  }
  Seen run(const std::function<void(Options&)>& change) {
    process.change = change;
    return kept_test::run(process);
  }
  void pin() {
    const KeptChoices choices(directory.path());
    PinnedConfig config{.region = process.region,
                        .kernel = process.kernel,
                        .config = Config{{"TILE", static_cast<int>(pinned) + 1}}};
    REQUIRE(choices.pin(config).problems.empty());
  }
};

void everything(Options& options, Mode mode) {
  options.mode = mode;
  options.always_tune = true;
  options.revalidate = Revalidate::tune_if_worse;
}

}  // namespace

TEST_CASE("precedence: a pin, over every mode and option") {
  Precedence row("precedence_pin");
  row.pin();
  for (const Mode mode : {Mode::off, Mode::use, Mode::tune}) {
    for (const bool always : {true, false}) {
      const Seen seen = row.run([&](Options& options) {
        everything(options, mode);
        options.always_tune = always;
      });
      INFO("mode " << static_cast<int>(mode) << ", always " << always << ": " << text_of(seen.thrown[0]));
      CHECK(seen.only_launched(pinned));
      CHECK(seen.runs[0] <= 2);
    }
  }
}

TEST_CASE("precedence: off, over choices and tuning") {
  Precedence row("precedence_off");
  row.process.fastest = kept;
  CHECK(row.run([](Options& options) { everything(options, Mode::off); }).used(0));
}

TEST_CASE("precedence: use, over always_tune and revalidate") {
  Precedence row("precedence_use");
  CHECK(row.run([](Options& options) { everything(options, Mode::use); }).used(kept));
}

TEST_CASE("precedence: always_tune, over revalidate and what is kept") {
  Precedence row("precedence_always");
  const Seen seen = row.run([](Options& options) { everything(options, Mode::tune); });
  CHECK(seen.tuned(0));
  CHECK_FALSE(seen.reports[0].revalidation.has_value());
}

TEST_CASE("precedence: revalidate, over what is kept") {
  Precedence row("precedence_revalidate");
  const Seen seen = row.run([](Options& options) { options.revalidate = Revalidate::defaults_if_worse; });
  CHECK(seen.well());
  REQUIRE(seen.reports[0].revalidation.has_value());
  CHECK(seen.reports[0].revalidation->defaults_won);
}

TEST_CASE("precedence: what is kept, over tuning") {
  Precedence row("precedence_kept");
  CHECK(row.run([](Options&) {}).used(kept));
}

TEST_CASE("precedence: where nothing else applies the region is tuned, and kept") {
  Precedence row("precedence_tune");
  row.process.region = "another region";
  CHECK(row.run([](Options&) {}).tuned(0));
  CHECK(row.run([](Options&) {}).used(0));
}

}  // namespace contextual::test::kept_test::precedence_test
