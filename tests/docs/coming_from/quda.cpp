// section: QUDA
#include "docs/coming_from/coming_from.hpp"

using namespace coming_from;
using contextual::ContextualAutotuner;
using contextual::Options;

// row: a class derived from `Tunable`, with `apply`
TEST_CASE("QUDA: a kernel is an object with a launcher", "[unit]") {
  int applied = 0;
  contextual::TunableKernel dslash{"quda_dslash", blocks(), contextual::single_problem,
                                   [&](const Tile&) { ++applied; }};
  dslash();
  CHECK(applied == 1);
}

// row: `initTuneParam`, `advanceTuneParam`, `advanceAux`
TEST_CASE("QUDA: the space generates what is advanced there", "[unit]") {
  struct TuneParam {
    int block = 32;
    int aux = 1;
  };
  const contextual::ConfigSpace<TuneParam> space{{"BLOCK", &TuneParam::block, {32, 64, 96}},
                                                 {"AUX", &TuneParam::aux, {1, 2}}};
  CHECK(space.size() == 6);
}

// row: `preTune`, `postTune`: back up and restore data
TEST_CASE("QUDA: data is restored between configs, or before each run of the region", "[unit]") {
  int resets = 0;
  int restored = 0;
  const contextual::KernelOptions<void(const Tile&, int)> kernel_options{.reset = [&](int) { ++resets; }};
  contextual::TunableKernel kernel{"quda_restored", blocks(), [](int n) { return contextual::make_key(n); },
                                   [](const Tile&, int) {}, kernel_options};
  Options options = quick();
  int field = 1;
  options.restore = std::vector{contextual::restored("field", &field, 1)};
  options.before_iteration = [&](const contextual::IterationInfo&) { ++restored; };
  ContextualAutotuner tuner(options);
  tuner.run("quda restored", [&] {
    kernel(16);
    ++field;
  });
  CHECK(field == 2);
  CHECK(resets >= 2);
  CHECK(restored > 0);
}

// row: `tuneLaunch`, which tunes at the first launch of a key
TEST_CASE("QUDA: a launch outside of run never tunes, but a call of a tuned function does", "[unit]") {
  int launches = 0;
  contextual::TunableKernel kernel{"quda_launch", blocks(), contextual::single_problem,
                                   [&](const Tile&) { ++launches; }};
  kernel();
  CHECK(launches == 1);
  ContextualAutotuner tuner(quick());
  tuner.run("quda launch", [&] { kernel(); });
  CHECK(launches > 2);
  contextual::FunctionOptions<int(const Tile&, int)> of_function;
  of_function.options = quick();
  auto dslash = contextual::autotune(
      "quda_function", blocks(), [](int volume) { return contextual::make_key(volume); },
      [](const Tile& tile, int) { return tile.block; }, of_function);
  CHECK(dslash(4096) == 256);  // the first call of a key
}

// row: policy tuning: whole communication paths, on all ranks, after the kernels below them
TEST_CASE("QUDA: policies are alternatives, each tuned with its kernels", "[unit]") {
  contextual::TunableKernel packed{"quda_packed", blocks(), contextual::single_problem, [](const Tile&) {}};
  contextual::TunableKernel direct{"quda_direct", blocks(), contextual::single_problem, [](const Tile&) {}};
  contextual::Alternatives<void()> policies("quda policies", contextual::single_problem,
                                            {{"packed", [&] { packed(); }}, {"direct", [&] { direct(); }}});
  ContextualAutotuner tuner(quick());
  tuner.run("quda policy", [&] { policies(); });
  CHECK(tuner.report().runs.back().problems.size() == 3);
}

// row: 2 runs of each candidate, then the best 10 again, at least 3 runs and 1 ms each
TEST_CASE("QUDA: each config is repeated as often as an option says", "[unit]") {
  int launches = 0;
  contextual::TunableKernel kernel{"quda_repeats", blocks(), contextual::single_problem,
                                   [&](const Tile&) { ++launches; }};
  Options options = quick();
  options.n_repeat = 2;
  ContextualAutotuner tuner(options);
  tuner.run("quda repeats", [&] { kernel(); });
  CHECK(launches >= 3 * 2);
}

// row: `tunecache.tsv` in `QUDA_RESOURCE_PATH`
TEST_CASE("QUDA: choices outlive the process in a directory", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  Options options = quick();
  options.cache_directory = directory.path();
  contextual::TunableKernel kernel{"quda_kept", blocks(), contextual::single_problem, [](const Tile&) {}};
  ContextualAutotuner tuner(options);
  tuner.run("quda kept", [&] { kernel(); });
  CHECK(contextual::KeptChoices(directory.path()).list("quda kept").sets.size() == 1);
}

// row: `flops`, `bytes`, and the rates that they give
TEST_CASE("QUDA: counted work gives rates", "[unit]") {
  const contextual::KernelOptions<void(const Tile&, int)> options{
      .work = [](int n) { return contextual::KernelWork{.flops = 1e3 * n, .bytes = 1e6}; }};
  contextual::TunableKernel kernel{"quda_rates", blocks(), [](int n) { return contextual::make_key(n); },
                                   [](const Tile&, int) {}, options};
  ContextualAutotuner tuner(quick());
  tuner.run("quda rates", [&] { kernel(8'000); });
  const contextual::ConfigReport best = tuner.report().runs.back().problems.at(0).configs.at(2);
  CHECK(best.metrics.teraflops_per_second == 1.0);  // 8e6 in 8 us
  CHECK(best.metrics.gigabytes_per_second == 125.0);
}
