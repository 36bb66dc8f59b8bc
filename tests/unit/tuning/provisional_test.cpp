#include "support/engine.hpp"

namespace contextual::test::provisional_test {

TEST_CASE("holds 17: a choice that was cut short is used in its own region only") {
  OneKernel one("cut_short");
  one.run({.max_iterations = 4});  // three configs take six
  CHECK(one.problem().outcome == ProblemOutcome::provisional);
  CHECK(one.problem().choice == 1);  // the fastest so far
  CHECK(count_with(one.report().warnings, "provisional") > 0);
  CHECK(one.kernel() == 0);  // outside of the region nothing is known of it, so the default
}

TEST_CASE("holds 17: a later run begins the walk of a provisional choice anew") {
  OneKernel one("walks_anew");
  one.run({.max_iterations = 1});
  CHECK(one.problem().outcome == ProblemOutcome::provisional);
  one.run();
  CHECK(one.problem().outcome == ProblemOutcome::locked_in);
  CHECK(one.problem().choice == 2);
  CHECK(one.kernel() == 2);
}

TEST_CASE("holds 17: later calls tune a provisional choice twice, then they keep it") {
  OneKernel one("kept");
  auto step = make_tuned_region(one.tuner, "kept", [&] { one.region(); },
                                {.max_iterations = 2});  // three configs take six
  std::vector<bool> tuned;
  for (int call = 0; call < 6; ++call) {
    one.runs = 0;
    step();
    tuned.push_back(one.runs > 1);
  }
  // The first call tunes; two more tune again after the call itself; then a call is a call.
  CHECK(tuned == std::vector<bool>{true, true, true, false, false, false});
  CHECK(count_with(one.tuner.report().runs.back().warnings, "keep it now") > 0);
}

TEST_CASE("holds 17: keys whose texts are equal are tuned again each by itself") {
  TunableKernel kernel{"alike", blocks(3), [](bool as_text) { return as_text ? make_key("1") : make_key(1); },
                       [](const Block&, bool) {}};
  Options options = quick();
  options.max_iterations = 2;  // three configs take six
  ContextualAutotuner tuner{options};
  int runs = 0;
  auto region = make_tuned_region(tuner, "alike", [&](bool as_text) {
    ++runs;
    kernel(as_text);
  });
  const auto runs_of = [&](bool as_text) {
    runs = 0;
    region(as_text);
    return runs;
  };
  while (runs_of(false) > 1) {
  }
  CHECK(runs_of(true) > 1);  // the key is new
  CHECK(runs_of(true) > 1);  // its first choice is provisional
  CHECK(runs_of(true) > 1);  // and so is its second one
  CHECK(runs_of(true) == 1);
}

}  // namespace contextual::test::provisional_test
