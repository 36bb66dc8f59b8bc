/// \file
/// Coupled kernels: one tuning problem, and no fallback.

#include "support/engine.hpp"

namespace contextual::test::coupling_test {

TEST_CASE("holds 4: a coupled launch that fails ends the run with an error") {
  std::vector<int> consumed;
  TunableKernel producer{"holds_4_producer",
                         blocks(3),
                         single_problem,
                         [](const Block& c) {
                           if (c.block == 1) {
                             throw ConfigRejected("no co-residency");
                           }
                         },
                         {.coupling = "holds_4_pair"}};
  TunableKernel consumer{"holds_4_consumer",
                         blocks(3),
                         single_problem,
                         [&](const Block& c) { consumed.push_back(c.block); },
                         {.coupling = "holds_4_pair"}};
  ContextualAutotuner tuner{quick()};
  const std::string text = error_text<Error>([&] {
    tuner.run("holds_4_coupled", [&] {
      producer();
      consumer();
    });
  });
  CHECK_THAT(text, ContainsSubstring("holds_4_coupled"));
  CHECK_THAT(text, ContainsSubstring("holds_4_producer"));
  CHECK_THAT(text, ContainsSubstring("config-1"));
  CHECK_THAT(text, ContainsSubstring("no co-residency"));
  CHECK_THAT(text, ContainsSubstring("`load`"));  // what to change
  CHECK(std::find(consumed.begin(), consumed.end(), 1) == consumed.end());
}

TEST_CASE("coupled kernels use the same config in every run and are one problem") {
  std::vector<int> left;
  std::vector<int> right;
  TunableKernel a{"coupled_a",
                  blocks(3),
                  single_problem,
                  [&](const Block& c) { left.push_back(c.block); },
                  {.coupling = "coupled_ab"}};
  TunableKernel b{"coupled_b",
                  blocks(3),
                  single_problem,
                  [&](const Block& c) { right.push_back(c.block); },
                  {.coupling = "coupled_ab"}};
  ContextualAutotuner tuner{quick()};
  const auto region = [&] {
    a();
    b();
  };
  tuner.run("coupled", region);
  CHECK(left == right);
  CHECK(left == std::vector<int>{0, 0, 1, 1, 2, 2, 2});
  CHECK(report_of(tuner, "coupled").problems.size() == 1);
  region();
  CHECK(left.back() == 2);
  CHECK(right.back() == 2);
}

TEST_CASE("bad input: coupled kernels with spaces of different sizes are refused, both are named") {
  TunableKernel small{"bad_small", blocks(2), single_problem, [](const Block&) {}, {.coupling = "bad_pair"}};
  TunableKernel large{"bad_large", blocks(3), single_problem, [](const Block&) {}, {.coupling = "bad_pair"}};
  ContextualAutotuner tuner{quick()};
  const std::string text = error_text<InvalidArgument>([&] {
    tuner.run("bad_sizes", [&] {
      small();
      large();
    });
  });
  CHECK_THAT(text, ContainsSubstring("bad_sizes"));
  CHECK_THAT(text, ContainsSubstring("\"bad_large\" has 3"));
  CHECK_THAT(text, ContainsSubstring("\"bad_pair\" has 2"));
  CHECK_THAT(text, ContainsSubstring("equal size"));
}

TEST_CASE("bad input: a coupled kernel that is not launched is named") {
  TunableKernel here{"bad_here", blocks(2), single_problem, [](const Block&) {}, {.coupling = "bad_alone"}};
  TunableKernel absent{
      "bad_absent", blocks(2), single_problem, [](const Block&) {}, {.coupling = "bad_alone"}};
  ContextualAutotuner tuner{quick()};
  const std::string text = error_text<InvalidArgument>([&] { tuner.run("bad_coupling", [&] { here(); }); });
  CHECK_THAT(text, ContainsSubstring("bad_absent"));
  CHECK_THAT(text, ContainsSubstring("bad_alone"));
}

}  // namespace contextual::test::coupling_test
