/// \file
/// Options of one call of a tuned function or of a wrapped region.

#include "support/stderr_capture.hpp"
#include "unit/tuning/changed_options.hpp"

namespace contextual::test::function_calls_test {

namespace {

struct Tile {
  int block = 64;
  int warps = 4;
  double share = 0.5;
};

/// A function of six configs that notes which ones it has used. The last one is fastest.
struct Noted {
  std::vector<Tile> used;
  TunedFunction<void(const Tile&, int)> function;

  explicit Noted(const std::string& name)
      : function(
            name, {{"BLOCK", &Tile::block, {64, 128, 256}}, {"WARPS", &Tile::warps, {4, 8}}},
            [](int n) { return make_key(n); }, [this](const Tile& tile, int) { used.push_back(tile); },
            {.options = quick()}) {}

  std::set<int> blocks_used() const {
    std::set<int> blocks;
    for (const Tile& tile : used) {
      blocks.insert(tile.block);
    }
    return blocks;
  }
};

}  // namespace

TEST_CASE("call options: without autotune a call runs the default once, and tunes nothing") {
  Noted noted("fn_call_off");
  noted.function.with({.autotune = false}, 1);
  CHECK(only(noted.used).block == 64);
  CHECK(noted.function.report().runs.empty());
  noted.function(1);
  CHECK(noted.used.back().block == 256);
  noted.function.with({.autotune = false}, 1);
  CHECK(noted.used.back().block == 64);  // the default, though another one is chosen
  noted.used.clear();
  noted.function(1);
  REQUIRE(noted.used.size() == 1);
  CHECK(noted.used.back().block == 256);
}

TEST_CASE("call options: fixed parameters keep their values, and their choice is one of its own") {
  Noted noted("fn_call_fixed");
  const CallOptions fixed{.fixed = {{"BLOCK", 128}}};
  noted.function.with(fixed, 1);
  CHECK(noted.used.size() == 2 * 2 + 1);
  CHECK(noted.blocks_used() == std::set<int>{128});
  CHECK(noted.used.back().warps == 8);
  CHECK_FALSE(LaunchRegistry::instance().locked_in("fn_call_fixed", "fn_call_fixed", make_key(1)));
  const Report report = noted.function.report();
  REQUIRE(report.find("fn_call_fixed {BLOCK: 128}") != nullptr);
  CHECK(report.find("fn_call_fixed {BLOCK: 128}")->problems.front().configs.size() == 2);
  noted.function(1);
  CHECK(noted.used.back().block == 256);
  noted.used.clear();
  noted.function.with(fixed, 1);  // neither overwrites the other
  noted.function(1);
  REQUIRE(noted.used.size() == 2);
  CHECK(noted.used[0].block == 128);
  CHECK(noted.used[1].block == 256);
}

TEST_CASE("call options: the default with fixed parameters is the first config that has them, in any order") {
  Noted noted("fn_call_fixed_off");
  noted.function.with({.autotune = false, .fixed = {{"WARPS", 8}}}, 1);
  CHECK(only(noted.used).block == 64);
  CHECK(noted.used[0].warps == 8);
  noted.function.with({.fixed = {{"BLOCK", 128}, {"WARPS", 4}}}, 1);
  noted.used.clear();
  noted.function.with({.fixed = {{"WARPS", 4}, {"BLOCK", 128}}}, 1);
  CHECK(noted.used.size() == 1);
}

TEST_CASE("call options: a fixed parameter that the space does not have or allow is an error") {
  Noted noted("fn_call_unknown");
  CHECK_THAT(error_text<InvalidArgument>([&] {
               noted.function.with({.fixed = {{"BLOCKS", 128}}}, 1);
             }),
             ContainsAll("\"BLOCKS\"", "BLOCK, WARPS"));
  CHECK_THAT(error_text<InvalidArgument>([&] {
               noted.function.with({.fixed = {{"BLOCK", 100}}}, 1);
             }),
             ContainsSubstring("no config has {BLOCK: 100}"));
  CHECK_THROWS_AS(noted.function.with({.fixed = {{"BLOCK", "128"}}}, 1), InvalidArgument);
  CHECK(noted.used.empty());
}

TEST_CASE("call options: an integer fixes a floating-point parameter") {
  double used = 0;
  auto function = autotune("fn_call_floating", {{"SHARE", &Tile::share, {0.5, 1.0, 2.0}}}, single_problem,
                           [&](const Tile& tile) { used = tile.share; }, {.options = quick()});
  function.with({.fixed = {{"SHARE", 1}}});
  CHECK(used == 1.0);
}

TEST_CASE("call options: a verbose call prints what it chooses, and later what it uses") {
  Noted noted("fn_call_verbose");
  const auto printed_by = [&](CallOptions call) {
    call.verbose = true;
    const StderrCapture capture;
    noted.function.with(call, 1);
    return capture.text();
  };
  CHECK_THAT(printed_by({}), ContainsAll("fn_call_verbose", "config-5"));
  CHECK_THAT(printed_by({}), ContainsSubstring("(1): config-5 {BLOCK: 256, WARPS: 8}: used by this call"));
  CHECK_THAT(printed_by({.autotune = false}),
             ContainsSubstring("config-0 {BLOCK: 64, WARPS: 4}: used by this call"));
}

TEST_CASE("call options: a verbose call inside of a region that is tuned prints nothing") {
  auto inner =
      autotune("fn_call_inner", blocks(2), single_problem, [](const Block&) {}, {.options = quick()});
  TunableKernel kernel{"fn_call_beside", blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  const StderrCapture capture;
  tuner.run("fn_call_in_region", [&] {
    kernel();
    inner.with({.autotune = false, .verbose = true});
    inner.with({.verbose = true});
  });
  CHECK(capture.text().empty());
}

TEST_CASE("call options: a verbose call prints no less than the function's options ask for") {
  const Options options = quick({.print = Print::configs});
  auto function =
      autotune("fn_call_print", blocks(2), single_problem, [](const Block&) {}, {.options = options});
  const StderrCapture capture;
  function.with({.verbose = true});
  CHECK_THAT(capture.text(), ContainsSubstring("Why:\n"));
}

TEST_CASE("call options: the communicator of the default options is the function's own") {
  const std::shared_ptr<Communicator> communicator = testing::ScriptedWorld(1).communicator(0);
  Noted noted("fn_call_default_group");
  set_default_options({.cache_directory = "", .communicator = communicator});
  noted.function(1);
  noted.used.clear();
  noted.function.with({.communicator = communicator}, 1);
  set_default_options({.cache_directory = ""});
  CHECK(noted.used.size() == 1);
}

TEST_CASE("call options: inside a region, a call without autotune launches the default") {
  Noted noted("fn_call_in_region");
  tuned("fn_call_region", [&] { noted.function.with({.autotune = false}, 1); });
  CHECK(noted.used.size() == 1);
  CHECK(noted.used.back().block == 64);
}

TEST_CASE("wrapped region: a call in mode off runs it once with the defaults") {
  OneKernel one("wrapped_with_off");
  auto step = make_tuned_region(one.tuner, "wrapped with off", [&](int n) { return 10 * n + one.region(); });
  CHECK(step.with(Options{.mode = Mode::off}, 7) == 70);
  CHECK(one.runs == 1);
  CHECK(step(7) == 72);
  CHECK(step.with(Options{.mode = Mode::off}, 7) == 70);
  CHECK(step(7) == 72);
}

TEST_CASE("wrapped region: options of one call hold for that call alone") {
  int runs = 0;
  TunableKernel kernel{"wrapped_with_options", blocks(2), [](int n) { return make_key(n); },
                       [&](const Block&, int) { ++runs; }};
  ContextualAutotuner tuner{quick()};
  auto step = make_tuned_region(tuner, "wrapped with options", [&](int n) { kernel(n); });
  step.with(Options{.n_repeat = 4}, 1);
  CHECK(runs == 2 * (1 + 4) + 1);
  runs = 0;
  step(2);  // a new key: one run finds it, then it is tuned
  CHECK(runs == 1 + 2 * (1 + 1) + 1);
  runs = 0;
  step.with(Options{.n_repeat = 4}, 2);
  CHECK(runs == 1);
  step.with(Options{.n_repeat = 4, .always_tune = true}, 2);
  CHECK(runs == 1 + 2 * (1 + 4) + 1);
}

TEST_CASE("wrapped region: a call with a communicator is tuned by its ranks") {
  test::PerRank<int> tiles(2);
  const test::RankKernels kernels = kernel_per_rank(2, [&](int rank) {
    return rank_kernel("wrapped_with_group", 3, {},
                       [&own = tiles[rank]](const test::TileConfig& config, int&) { own = config.tile; });
  });
  testing::ScriptedWorld world(2);
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(nullptr));
    auto step = make_tuned_region(tuner, "wrapped with group", [&] { kernels(rank, 1); });
    step.with(Options{.communicator = communicator});
  }));
  CHECK(tiles == std::vector<int>{3, 3});
}

}  // namespace contextual::test::function_calls_test
