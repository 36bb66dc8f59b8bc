// section: Kernel Launcher
#include "docs/coming_from/coming_from.hpp"

using namespace coming_from;
using contextual::ContextualAutotuner;
using contextual::Options;

// row: `ConfigSpace::tune("block_size", {32, 64})`
TEST_CASE("Kernel Launcher: a space of a struct, or of names and values", "[unit]") {
  struct C {
    int block_size = 32;
  };
  const contextual::ConfigSpace<C> space{{"BLOCK_SIZE", &C::block_size, {32, 64}}};
  CHECK(space[1].block_size == 64);
  const contextual::ConfigSpace<contextual::Config> names{{"BLOCK_SIZE", {32, 64}}};
  CHECK(names.describe(1) == "{BLOCK_SIZE: 64}");
}

// row: `restriction(expression)`
TEST_CASE("Kernel Launcher: a constraint is a name and a callable", "[unit]") {
  contextual::ConfigSpace<Tile> space = blocks();
  const std::string name = "no more than a warp group";
  const auto callable = [](const Tile& tile) { return tile.block <= 128; };
  space.constraint(name, callable);
  CHECK(space.size() == 2);
}

// row: the first value is the default, unless one is given
TEST_CASE("Kernel Launcher: the default is that of the struct, unless another one is set", "[unit]") {
  CHECK(blocks()[0].block == 64);
  CHECK(blocks().default_config({256})[0].block == 256);
}

// row: `KERNEL_LAUNCHER_CAPTURE`, `tune.py`
TEST_CASE("Kernel Launcher: tuning happens in the program, and run returns its value", "[unit]") {
  int last = 0;
  contextual::TunableKernel kernel{"launcher_inside", blocks(), contextual::single_problem,
                                   [&](const Tile& tile) {
                                     last = tile.block;
                                     return tile.block;
                                   }};
  ContextualAutotuner tuner(quick());
  CHECK(tuner.run("launcher inside", [&] { return kernel(); }) == 256);
  CHECK(last == 256);
}

// row: wisdom files, `KERNEL_LAUNCHER_WISDOM`
TEST_CASE("Kernel Launcher: choices are files that people can read", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  Options options = quick();
  options.cache_directory = directory.path();
  contextual::TunableKernel kernel{"launcher_wisdom", blocks(), contextual::single_problem,
                                   [](const Tile&) {}};
  ContextualAutotuner tuner(options);
  tuner.run("launcher wisdom", [&] { kernel(); });
  const contextual::KeptChoices choices(directory.path());
  REQUIRE(choices.list().sets.size() == 1);
  CHECK_THAT(choices.export_choices().text, ContainsSubstring("launcher_wisdom"));
}
