// section: `torch.compile` with `mode="max-autotune"`
#include "docs/coming_from/coming_from.hpp"

using namespace coming_from;
using contextual::Options;

// row: a graph is captured from Python, and each matrix product picks among cuBLAS, templates and CUTLASS
TEST_CASE("torch.compile: what may take an operation's place is written down", "[unit]") {
  int launched = 0;
  contextual::TunableKernel slow{"torch_slow", blocks(), contextual::single_problem, [](const Tile&) {}};
  contextual::TunableKernel fast{"torch_fast", blocks(), contextual::single_problem,
                                 [&](const Tile&) { ++launched; }};
  contextual::Alternatives<void()> product{
      "torch_product", contextual::single_problem, {{"slow", [&] { slow(); }}, {"fast", [&] { fast(); }}}};
  contextual::ContextualAutotuner tuner(quick());
  tuner.run("torch product", [&] { product(); });
  CHECK(launched > 0);
}

// row: a cache in `TORCHINDUCTOR_CACHE_DIR`
TEST_CASE("torch.compile: choices are kept in a directory", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  Options options = quick();
  options.cache_directory = directory.path();
  contextual::TunableKernel kernel{"torch_kept", blocks(), contextual::single_problem, [](const Tile&) {}};
  contextual::ContextualAutotuner tuner(options);
  tuner.run("torch kept", [&] { kernel(); });
  CHECK(contextual::KeptChoices(directory.path()).list("torch kept").sets.size() == 1);
}
