#include "support/engine.hpp"

#include <contextual/launch_registry.hpp>
#include <contextual/tuned_region.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace provisional_test {

using namespace contextual;
using namespace engine_test;

namespace {

/// A kernel and how often each of its configs was launched.
struct Counted {
  explicit Counted(std::string name)
      : kernel(
            std::move(name), blocks(3), [](int n) { return make_key(n); },
            [this](const Block& config, int) { last = config.block; }) {}
  int last = -1;
  TunableKernel<void(const Block&, int)> kernel;
};

bool mentions(const std::vector<std::string>& warnings, const std::string& words) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("holds 17: a choice that was cut short is used in its own region only", "[unit]") {
  Counted counted("cut_short");
  Options options = quick();
  options.max_iterations = 4;  // three configs take six
  ContextualAutotuner tuner{options};
  tuner.run("cut_short", [&] { counted.kernel(1); });
  const ProblemReport cut = problem_of(tuner, "cut_short", "cut_short");
  CHECK(cut.outcome == ProblemOutcome::provisional);
  CHECK(cut.choice == 1);  // the fastest so far
  const Report report = tuner.report();
  CHECK(mentions(report.find("cut_short")->warnings, "provisional"));
  counted.kernel(1);  // outside of the region: nothing is known of it, so the default
  CHECK(counted.last == 0);
}

TEST_CASE("holds 17: a later run begins the walk of a provisional choice anew", "[unit]") {
  Counted counted("walks_anew");
  Options options = quick();
  ContextualAutotuner tuner{options};
  Options cut = options;
  cut.max_iterations = 1;
  tuner.run(
      "walks_anew", [&] { counted.kernel(1); }, cut);
  CHECK(problem_of(tuner, "walks_anew", "walks_anew").outcome == ProblemOutcome::provisional);
  tuner.run("walks_anew", [&] { counted.kernel(1); });
  const ProblemReport whole = problem_of(tuner, "walks_anew", "walks_anew");
  CHECK(whole.outcome == ProblemOutcome::locked_in);
  CHECK(whole.choice == 2);
  counted.kernel(1);
  CHECK(counted.last == 2);
}

TEST_CASE("holds 17: later calls tune a provisional choice twice, then they keep it", "[unit]") {
  Counted counted("kept");
  Options options = quick();
  options.max_iterations = 2;  // three configs take six
  ContextualAutotuner tuner{options};
  int runs = 0;
  auto region = make_tuned_region(tuner, "kept", [&] {
    ++runs;
    counted.kernel(1);
  });
  std::vector<int> runs_of_call;
  for (int call = 0; call < 6; ++call) {
    runs = 0;
    region();
    runs_of_call.push_back(runs);
  }
  // The first call tunes; two more tune again after the call itself; then a call is a call.
  CHECK(runs_of_call[0] > 1);
  CHECK(runs_of_call[1] > 1);
  CHECK(runs_of_call[2] > 1);
  CHECK(std::vector<int>(runs_of_call.begin() + 3, runs_of_call.end()) == std::vector<int>{1, 1, 1});
  const Report report = tuner.report();
  CHECK(mentions(report.runs.back().warnings, "keep it now"));
}

TEST_CASE("holds 17: keys whose texts are equal are tuned again each by itself", "[unit]") {
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
  CHECK(runs_of(true) == 1);
}

}  // namespace provisional_test
