/// \file
/// What was chosen fails to launch later, outside of tuning.

#include "support/stderr_capture.hpp"
#include "unit/tuning/breakable_ranks.hpp"
#include "unit/tuning/changed_options.hpp"
#include "unit/tuning/kept_process.hpp"

#include <system_error>

namespace contextual::test::failed_choice_test {

namespace {

/// A kernel that returns its config. The last of three is fastest, and refuses to launch when `broken`.
struct Breakable {
  bool broken = false;
  std::vector<int> tried{};
  TunableKernel<int(const Block&)> kernel;

  explicit Breakable(const std::string& name, std::string coupling = "")
      : kernel(name, blocks(3), single_problem,
               [this](const Block& c) {
                 tried.push_back(c.block);
                 throw_if<ConfigRejected>(broken && c.block == 2, "no memory left for it");
                 return c.block;
               },
               {.coupling = std::move(coupling)}) {}
};

Options in_mode(Mode mode, Options options = quick()) {
  options.mode = mode;
  return options;
}

/// Calls twice after the choice has broken: the first call tries it, the second one does not, and one line
/// says so.
void check_falls_back_once(Breakable& breakable, const std::function<int()>& call) {
  REQUIRE(call() == 2);
  breakable.broken = true;
  breakable.tried.clear();
  const StderrCapture captured;
  CHECK(call() == 0);
  CHECK(call() == 0);
  CHECK(breakable.tried == std::vector<int>{2, 0, 0});
  const std::string text = captured.text();
  CHECK(count_of(text, "\n") == 1);
  CHECK_THAT(text, ContainsAll("kernel \"" + breakable.kernel.name() + "\"", "config-2 {BLOCK: 2}",
                               "no memory left for it"));
}

}  // namespace

TEST_CASE("holds 21: a choice that fails to launch falls back to the default, once") {
  SECTION("in mode use") {
    Breakable breakable("failed_use");
    const auto region = [&] { return breakable.kernel(); };
    ContextualAutotuner{quick()}.run("failed_use", region);
    ContextualAutotuner serving{in_mode(Mode::use)};
    check_falls_back_once(breakable, [&] { return serving.run("failed_use", region); });
    ContextualAutotuner another{in_mode(Mode::use)};
    CHECK(another.run("failed_use", region) == 0);
    CHECK(breakable.tried.back() == 0);
  }
  SECTION("in a later call") {
    Breakable breakable("failed_later");
    ContextualAutotuner tuner{quick()};
    auto step = make_tuned_region(tuner, "failed_later", [&] { return breakable.kernel(); });
    check_falls_back_once(breakable, [&] { return step(); });
  }
  SECTION("outside of regions") {
    Breakable breakable("failed_outside");
    ContextualAutotuner{quick()}.run("failed_outside", [&] { return breakable.kernel(); });
    check_falls_back_once(breakable, [&] { return breakable.kernel(); });
  }
}

TEST_CASE("holds 21: a status that says so is a failed launch, and that of the default reaches the caller") {
  std::vector<int> failing;
  TunableKernel kernel{
      "failed_status", blocks(3), single_problem, [&](const Block& c) {
        const bool fails = std::find(failing.begin(), failing.end(), c.block) != failing.end();
        return fails ? std::make_error_code(std::errc::not_enough_memory) : std::error_code();
      }};
  ContextualAutotuner{quick()}.run("failed_status", [&] { static_cast<void>(kernel()); });
  failing = {2};
  const StderrCapture captured;
  CHECK_FALSE(kernel());
  failing = {0, 2};
  CHECK(kernel() == std::errc::not_enough_memory);
  CHECK(count_of(captured.text(), "\n") == 1);
}

TEST_CASE("holds 21: a tuned function's choice that fails falls back to the default, once") {
  for (const bool with_options : {false, true}) {
    bool broken = false;
    std::vector<int> tried;
    auto function = autotune(
        with_options ? "failed_function_with" : "failed_function", blocks(3),
        [](int n) { return make_key(n); },
        [&](const Block& c, int) {
          tried.push_back(c.block);
          throw_if<ConfigRejected>(broken && c.block == 2, "too large");
          return c.block;
        },
        {.options = quick()});
    const auto call = [&] { return with_options ? function.with({.autotune = true}, 1) : function(1); };
    REQUIRE(call() == 2);
    broken = true;
    tried.clear();
    const StderrCapture captured;
    CHECK(call() == 0);
    CHECK(call() == 0);
    CHECK(tried == std::vector<int>{2, 0, 0});
    CHECK(count_of(captured.text(), "\n") == 1);
  }
}

TEST_CASE("holds 4: a tuned function's choice that fails on one rank is out on all after the next meeting") {
  struct Breaks {
    bool now = false;
    std::vector<int> tried{};
  };
  test::PerRank<Breaks> broken(2);
  test::PerRank<std::string> texts(2);
  testing::ScriptedWorld world(2);
  const StderrCapture captured;
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Breaks& here = broken[rank];
    auto function = autotune(
        "failed_function_ranks", blocks(3), [](int n) { return make_key(n); },
        [&here](const Block& c, int) {
          here.tried.push_back(c.block);
          throw_if<ConfigRejected>(here.now && c.block == 2, "too large");
          return c.block;
        },
        {.options = rank_options(communicator)});
    function(1);
    here.now = rank == 1;
    here.tried.clear();
    std::string& text = texts[rank];
    text = error_text<ConfigRejected>([&] { function(1); });
    text += "; " + error_text<ConfigRejected>([&] { function(1); });
    CHECK(here.tried == std::vector<int>{2, 2});
    function(2);  // the ranks meet
    here.tried.clear();
    text += "; " + error_text<ConfigRejected>([&] { function(1); });
    text += "; " + error_text<ConfigRejected>([&] { function(1); });
  }));
  CHECK(texts[0] == "[no error]; [no error]; [no error]; [no error]");
  CHECK(texts[1] == "too large; too large; [no error]; [no error]");
  for (const Breaks& here : broken) {
    CHECK(here.tried.back() == 1);
    CHECK(here.tried == broken.front().tried);
  }
}

TEST_CASE("holds 21: a coupled function's choice that fails on a rank alone is out at the next call") {
  bool broken = false;
  auto function = autotune(
      "failed_function_coupled", blocks(3), [](int n) { return make_key(n); },
      [&](const Block& c, int) {
        throw_if<ConfigRejected>(broken && c.block == 2, "too large");
        return c.block;
      },
      {.kernel = {.coupling = "failed_function_coupled"}, .options = quick()});
  REQUIRE(function(1) == 2);
  broken = true;
  const StderrCapture captured;
  CHECK(error_text<ConfigRejected>([&] { function(1); }) == "too large");
  CHECK(function(1) == 1);
  CHECK(function(1) == 1);
}

TEST_CASE("holds 21: a KernelTuner in mode use returns the default that it has fallen back to") {
  Breakable breakable("failed_tuner");
  ContextualAutotuner{quick()}.run("failed_tuner", [&] { return breakable.kernel(); });
  breakable.broken = true;
  const KernelTunerOptions options{.tuning = in_mode(Mode::use)};
  KernelTuner tuner{breakable.kernel, options};
  const StderrCapture captured;
  const TuningResult result = tuner.tune({.problem_size = {1}});
  CHECK(result.best_config_id == 0);
  CHECK(count_of(captured.text(), "\n") == 1);
}

TEST_CASE("holds 21: an alternative that fails to launch falls back to the first one, once") {
  bool broken = false;
  int last = 0;
  const auto clever = [&](int&) {
    throw_if<ConfigRejected>(broken, "too clever");
    return 2;
  };
  Alternatives<int(int)> either{"failed_alternative",
                                [](const int&) { return single_problem(); },
                                {{"plain", [](int&) { return 1; }}, {"clever", clever}}};
  const Options options = quick(testing::scripted_timer(
      [](const LaunchInfo&) { return std::int64_t{100}; },
      [&last](std::int64_t, const auto&) { return last == 2 ? std::int64_t{500} : std::int64_t{1000}; }));
  ContextualAutotuner{options}.run("failed_alternative", [&] { return last = either(1); });
  REQUIRE(either(1) == 2);
  broken = true;
  const StderrCapture captured;
  CHECK(either(1) == 1);
  CHECK(either(1) == 1);
  CHECK(count_of(captured.text(), "\n") == 1);
}

TEST_CASE("holds 21: a set of an earlier process that has failed here is not used again by this one") {
  const TemporaryDirectory directory;
  detail::describe_machine("test", [] { return std::string("alike"); });
  bool broken = false;
  int last = 0;
  const auto kernel = rank_kernel("failed_kept", 3, {}, [&](const test::TileConfig& c, int&) {
    throw_if<ConfigRejected>(broken && c.tile == 3, "no memory left for it");
    last = c.tile;
  });
  /// Finds nothing locked in. Returns what was said.
  const auto run_anew = [&](Mode mode) {
    const StderrCapture captured;
    const kept_test::Alone alone = kept_test::run_alone(
        directory.path(), "failed_kept", [&] { (*kernel)(1); },
        [mode](Options& options) { options.mode = mode; });
    CHECK(alone.error.empty());
    return captured.text();
  };
  run_anew(Mode::tune);
  run_anew(Mode::use);
  REQUIRE(last == 3);
  broken = true;
  CHECK(count_of(run_anew(Mode::use), "\n") == 1);
  CHECK(last == 1);
  broken = false;
  CHECK_THAT(run_anew(Mode::use), ContainsAll("are not used", "failed to launch"));
  CHECK(last == 1);
}

TEST_CASE("holds 4: a coupled choice of one rank that fails ends the call, and the next one leaves it out") {
  for (const Mode mode : {Mode::use, Mode::tune}) {
    const std::string name = mode == Mode::use ? "failed_coupled_use" : "failed_coupled_tune";
    Breakable producer(name + "_a", name);
    Breakable consumer(name + "_b", name);
    const auto region = [&] { return 10 * producer.kernel() + consumer.kernel(); };
    ContextualAutotuner tuner{quick()};
    auto step = make_tuned_region(tuner, name, region);
    REQUIRE(step() == 22);
    producer.broken = true;
    const StderrCapture captured;
    if (mode == Mode::use) {
      ContextualAutotuner serving{in_mode(mode)};
      CHECK_THAT(error_text<ConfigRejected>([&] { serving.run(name, region); }),
                 ContainsSubstring("no memory left for it"));
      CHECK(serving.run(name, region) == 0);
    } else {
      CHECK_THAT(error_text<ConfigRejected>([&] { step(); }), ContainsSubstring("no memory left for it"));
      CHECK(step() == 11);  // tuned again, without it
      CHECK(step() == 11);
    }
    CHECK(count_of(captured.text(), "\n") == 1);
  }
}

TEST_CASE("holds 4: a coupled choice that fails in a run with nothing to tune is left out by that run") {
  Breakable producer("failed_settled_a", "failed_settled");
  Breakable consumer("failed_settled_b", "failed_settled");
  const auto region = [&] { return 10 * producer.kernel() + consumer.kernel(); };
  ContextualAutotuner tuner{quick()};
  REQUIRE(tuner.run("failed_settled", region) == 22);
  producer.broken = true;
  const StderrCapture captured;
  CHECK(tuner.run("failed_settled", region) == 11);
}

TEST_CASE("holds 4: a choice of several ranks that fails on one ends its call, and all leave it out next") {
  test::BreakableRanks breakable(3, "failed_ranks");
  test::PerRank<std::string> texts(3);
  test::PerRank<std::size_t> chosen(3);
  const StderrCapture captured;
  check_well(on_ranks(3, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    const auto region = [&] { breakable.kernels(rank, 1); };
    auto step = make_tuned_region(tuner, "failed_ranks", region);
    step();
    breakable.set_broken(*communicator, true);
    texts[rank] = error_text<ConfigRejected>(step);
    breakable.set_broken(*communicator, false);  // it is out all the same
    tuner.run("failed_ranks", region);
    chosen[rank] = report_of(tuner, "failed_ranks").problems.front().choice;
  }));
  CHECK(texts == std::vector<std::string>{"[no error]", "no memory left for it", "[no error]"});
  CHECK(chosen == std::vector<std::size_t>{1, 1, 1});
}

TEST_CASE("holds 21: a choice under this rank's own key that fails falls back to the default, once") {
  for (const bool kept : {false, true}) {
    INFO((kept ? "kept by an earlier process" : "of this process"));
    const TemporaryDirectory directory;
    const std::string name = kept ? "failed_key_kept" : "failed_key";
    test::BreakableRanks breakable(3, name, {.participation = Participation::some});
    const auto in_new_process = [&](bool breaks) {
      testing::ScriptedWorld world(3);
      return world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
        ContextualAutotuner tuner(
            rank_options(communicator, {.cache_directory = rank == 0 && kept ? directory.path() : ""}));
        auto step = make_tuned_region(tuner, name, [&] { breakable.kernels(rank, rank); });
        bool launches = false;
        auto other = make_tuned_region(tuner, name + " other", [&] {
          if (launches) {
            breakable.kernels(rank, rank);
          }
        });
        step();
        other();
        breakable.set_broken(*communicator, breaks);
        breakable.tried[rank].clear();
        step();
        step();
        launches = true;
        other();  // which has not tuned it
      });
    };
    if (kept) {
      REQUIRE(test::count_failed(in_new_process(false)) == 0);
    }
    const StderrCapture captured;
    check_well(in_new_process(true));
    CHECK(breakable.tried == std::vector<std::vector<int>>{{3, 3, 3}, {3, 1, 1, 1}, {3, 3, 3}});
    CHECK(count_of(captured.text(), "no memory left for it") == 1);
  }
}

TEST_CASE("holds 21: a choice under this rank's own key falls back in a region that has not tuned it, too") {
  test::BreakableRanks breakable(2, "failed_key_elsewhere", {.participation = Participation::some});
  const StderrCapture captured;
  check_well(on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    tuner.run("failed_key_elsewhere", [&] { breakable.kernels(rank, rank); });
    bool launches = false;
    auto other = make_tuned_region(tuner, "failed_key_elsewhere other", [&] {
      if (launches) {
        breakable.kernels(rank, rank);
      }
    });
    other();
    launches = true;
    breakable.set_broken(*communicator, true);
    breakable.tried[rank].clear();
    other();
    other();
  }));
  CHECK(breakable.tried == std::vector<std::vector<int>>{{3, 3}, {3, 1, 1}});
}

TEST_CASE("holds 4: a choice that fails on one of two ranks that use its key ends its call") {
  test::BreakableRanks breakable(3, "failed_key_of_two", {.participation = Participation::some});
  test::PerRank<std::string> texts(3);
  const StderrCapture captured;
  check_well(on_ranks(3, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    auto step =
        make_tuned_region(tuner, "failed_key_of_two", [&] { breakable.kernels(rank, std::min(rank, 1)); });
    step();
    breakable.set_broken(*communicator, true);
    texts[rank] = error_text<ConfigRejected>(step);
  }));
  CHECK(texts == std::vector<std::string>{"[no error]", "no memory left for it", "[no error]"});
}

}  // namespace contextual::test::failed_choice_test
