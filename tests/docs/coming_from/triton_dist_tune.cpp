// section: `triton_dist.tune.autotune`
#include "docs/coming_from/coming_from.hpp"

using namespace coming_from;
using contextual::CallOptions;
using contextual::ContextualAutotuner;
using contextual::Options;

namespace {

/// The block that a region of one launch ends with.
int tuned_block(const std::string& name, const Options& more, const contextual::ConfigSpace<Tile>& space,
                const contextual::KernelOptions<void(const Tile&, int)>& options = {}) {
  int last = 0;
  contextual::TunableKernel<void(const Tile&, int)> kernel{
      name, space, [](int n) { return contextual::make_key(n); },
      [&](const Tile& tile, int) { last = tile.block; }, options};
  ContextualAutotuner tuner(quick());
  tuner.run(
      name, [&] { kernel(4096); }, more);
  return last;
}

int block_of(const Tile& tile, int /*n*/) {
  return tile.block;
}

contextual::Key key_of(int n) {
  return contextual::make_key(n);
}

/// What the call of a tuned function with these options returns: the block that it has used.
int call(const std::string& name, const CallOptions& options) {
  contextual::FunctionOptions<int(const Tile&, int)> of_function;
  of_function.options = quick();
  auto tuned = contextual::autotune(name, blocks(), key_of, block_of, of_function);
  return tuned.with(options, 4096);
}

}  // namespace

// row: `@autotune(config_space, key_fn, prune_fn)`
TEST_CASE("triton_dist.tune: a function has a name, a space, a key and options, and so has a kernel",
          "[unit]") {
  const contextual::ConfigSpace<Tile> space = blocks();
  const auto key = [](int n) { return contextual::make_key(n); };
  {
    const std::string name = "dist_function";
    const auto function = [](const Tile& tile, int n) { return n / tile.block; };
    contextual::FunctionOptions<int(const Tile&, int)> options;
    options.options = quick();
    auto tuned = contextual::autotune(name, space, key, function, options);
    CHECK(tuned(1024) == 4);
  }
  int last = 0;
  const std::string name = "dist_kernel";
  const auto launcher = [&](const Tile& tile, int) { last = tile.block; };
  const contextual::KernelOptions<void(const Tile&, int)> options{.key_names = {"n"}};
  contextual::TunableKernel kernel{name, space, key, launcher, options};
  ContextualAutotuner tuner(quick());
  tuner.run("dist kernel", [&] { kernel(200); });
  CHECK(last == 256);
}

// row: `config_space`: a list of dictionaries
TEST_CASE("triton_dist.tune: a space is combinations with constraints, or a list", "[unit]") {
  struct Config {
    int block = 64;
    int stages = 2;
  };
  using Space = contextual::ConfigSpace<Config>;
  const Space combinations{{"BLOCK", &Config::block, {64, 128}}, {"STAGES", &Config::stages, {2, 3}}};
  const Space list =
      Space::list({{"BLOCK", &Config::block}, {"STAGES", &Config::stages}}, {{64, 2}, {128, 3}});
  CHECK(combinations.size() == 4);
  CHECK(list.size() == 2);
  CHECK(list.describe(1) == "{BLOCK: 128, STAGES: 3}");
}

// row: `prune_fn(config, *args)`: true keeps the config
TEST_CASE("triton_dist.tune: keep gets the config and the arguments", "[unit]") {
  const contextual::KernelOptions<void(const Tile&, int)> options{
      .keep = [](const Tile& tile, int n) { return n / tile.block >= 32; }};
  CHECK(tuned_block("dist_keep", {}, blocks(), options) == 128);
  contextual::FunctionOptions<int(const Tile&, int)> of_function;
  of_function.keep = [](const Tile& tile, int n) { return n / tile.block >= 32; };
  of_function.options = quick();
  auto tuned = contextual::autotune("dist_keep_function", blocks(), key_of, block_of, of_function);
  CHECK(tuned(4096) == 128);
}

// row: `autotune=False` in a call: the first config
TEST_CASE("triton_dist.tune: a call that does not tune, and mode off, launch the default", "[unit]") {
  CHECK(tuned_block("dist_off", Options{.mode = contextual::Mode::off}, blocks()) == 64);
  CHECK(call("dist_call_off", CallOptions{.autotune = false}) == 64);
}

// row: `to_hashable(args)`, the key without a `key_fn`
TEST_CASE("triton_dist.tune: a key is made of what the choice depends on", "[unit]") {
  CHECK(contextual::make_key(4096, "bf16") == contextual::make_key(4096, "bf16"));
  CHECK(contextual::make_key(4096, "bf16") != contextual::make_key(4096, "fp16"));
}

// row: `prune_fn_by_shared_memory`
TEST_CASE("triton_dist.tune: a space has constraints, and configs are filtered by what a device has",
          "[unit]") {
  const auto bytes = [](int block) { return std::int64_t{block} * 512; };
  const contextual::ConfigSpace<Tile> space =
      blocks().constraint("shared memory", [&](const Tile& tile) { return bytes(tile.block) <= 64 * 1024; });
  CHECK(space.size() == 2);
  const auto valid = contextual::filter_valid_configs(
      blocks().view().configs, contextual::ResourceLimits{.shared_bytes = 64 * 1024},
      [&](const contextual::Config& config) {
        return contextual::ResourceNeeds{.shared_bytes = bytes(config.get<int>("BLOCK"))};
      });
  CHECK(valid.size() == 2);
}

// row: `prune_fn_by_group_size_m`
TEST_CASE("triton_dist.tune: a launch's arguments leave configs out", "[unit]") {
  contextual::KernelOptions<void(const Tile&, int)> options;
  options.keep = [](const Tile& tile, int n) { return tile.block < n / 16; };
  CHECK(tuned_block("dist_group_size", Options{}, blocks(), options) == 128);
}

// row: `autotune_pg`, a process group
TEST_CASE("triton_dist.tune: a communicator says which ranks tune together", "[unit]") {
  Options options;
  options.communicator = contextual::one_rank();
  CHECK(tuned_block("dist_group", options, blocks()) == 256);
  CallOptions with_group;
  with_group.communicator = contextual::one_rank();
  CHECK(call("dist_call_group", with_group) == 256);
}

// row: `autotune_allow_arg_overwrite`: an argument replaces a tuned parameter
TEST_CASE("triton_dist.tune: a parameter is fixed for a call", "[unit]") {
  CHECK(call("dist_fixed", CallOptions{.fixed = {{"BLOCK", 128}}}) == 128);
}

// row: `autotune_verbose=True`
TEST_CASE("triton_dist.tune: print says what is tuned, and so does a verbose call", "[unit]") {
  const Options options{.print = contextual::Print::choices};
  CHECK(tuned_block("dist_print", options, blocks()) == 256);
  CHECK(call("dist_call_verbose", CallOptions{.verbose = true}) == 256);
}

// row: for each config, 5 warm-ups and the mean of 10 runs that are timed together
TEST_CASE("triton_dist.tune: warm-ups and repeats are options", "[unit]") {
  CHECK(tuned_block("dist_counts", Options{.n_warmup = 5, .n_repeat = 10}, blocks()) == 256);
}

// row: a config that throws gets an infinite time
TEST_CASE("triton_dist.tune: only a rejection concerns the config, another exception is the region's",
          "[unit]") {
  const auto run = [](const std::string& name, const auto& fail) {
    contextual::TunableKernel kernel{name, blocks(), contextual::single_problem, [&](const Tile& tile) {
                                       if (tile.block == 128) {
                                         fail();
                                       }
                                     }};
    ContextualAutotuner tuner(quick());
    tuner.run(name, [&] { kernel(); });
  };
  CHECK_NOTHROW(run("dist_rejected", [] { throw contextual::ConfigRejected("does not fit"); }));
  CHECK_THROWS_AS(run("dist_thrown", [] { throw std::logic_error("a bug"); }), std::logic_error);
}

// row: JSON files in `~/.triton_dist/autotune/`, with versions of hardware and software
TEST_CASE("triton_dist.tune: choices are kept with the version of the kernel's code", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  Options options = quick();
  options.cache_directory = directory.path();
  const contextual::KernelOptions<void(const Tile&, int)> versioned{.version = "2"};
  CHECK(tuned_block("dist_files", options, blocks(), versioned) == 256);
  const auto kept = contextual::KeptChoices(directory.path()).list();
  REQUIRE(kept.sets.size() == 1);
  CHECK(kept.sets[0].configs.at(0).kernel == "dist_files");
}
