/// \file
/// Many tunings with planted differences on a simulated busy host. Noise there is one-sided: an interruption
/// makes a run longer, never shorter, and a slow config is interrupted more often than a fast one.

#include "support/catch.hpp"
#include "unit/policy/model_region.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <vector>

using namespace contextual::policy;
using namespace contextual::policy::test;

namespace {

constexpr int tunings = 60;
constexpr std::int64_t fast_ns = 200'000;
constexpr std::int64_t slow_ns = 1'000'000;

/// The same on every platform, which the distributions of the standard library are not.
class Noise {
 public:
  explicit Noise(unsigned seed) : random_(seed) {}

  /// At least 0 and below 1.
  double uniform() { return static_cast<double>(random_()) / (static_cast<double>(std::mt19937::max()) + 1); }

  /// Exponential: how long an interruption takes.
  std::int64_t interruption(double mean_ns) {
    return static_cast<std::int64_t>(-mean_ns * std::log1p(-uniform()));
  }

 private:
  std::mt19937 random_;
};

/// Config 0 is slow and erratic, config 1 is five times as fast and steady.
ModelRegion busy_host(unsigned seed) {
  const auto noise = std::make_shared<Noise>(seed);
  const auto time_ns = [noise](std::size_t config) {
    return config == 0 ? slow_ns + noise->interruption(8e6)
                       : fast_ns + static_cast<std::int64_t>(80 * noise->uniform());
  };
  return {[=](std::size_t, const Assignment& a) { return time_ns(a[0]); },
          [=](const Assignment& a) { return 50'000 + time_ns(a[0]); }};
}

/// In how many of the tunings the slow config was chosen.
int slow_choices(const PolicyOptions& options) {
  int slow = 0;
  for (unsigned seed = 1; seed <= tunings; ++seed) {
    TuningState state{options};
    tune(state, {2}, busy_host(seed));
    slow += state.problem(0).choice == 0 ? 1 : 0;
  }
  return slow;
}

PolicyOptions options_of(int n_warmup, int n_repeat, bool finals) {
  PolicyOptions options;
  options.n_warmup = n_warmup;
  options.n_repeat = n_repeat;
  options.finals = finals;
  return options;
}

}  // namespace

TEST_CASE("one-sided noise: a slow, erratic config never ties with a fast, steady one", "[unit]") {
  for (const bool finals : {false, true}) {
    INFO((finals ? "with finals" : "without finals"));
    CHECK(slow_choices(options_of(1, 2, finals)) == 0);
    CHECK(slow_choices(options_of(1, 3, finals)) == 0);
    CHECK(slow_choices(options_of(3, 5, finals)) == 0);
  }
}

TEST_CASE("one-sided noise: finals alone tell a slow, erratic config from a fast, steady one", "[unit]") {
  // In the walk both take the same time, so the finals decide, by the makespan or by own times.
  for (const bool by_makespan : {false, true}) {
    INFO((by_makespan ? "by makespan" : "by own time"));
    int slow = 0;
    for (unsigned seed = 1; seed <= tunings; ++seed) {
      TuningState state{options_of(1, 2, true)};
      const ModelRegion busy = busy_host(seed);
      const auto walking = [&] { return state.search_iterations() == 0 && !state.done(); };
      bool walked = false;
      const ModelRegion region{
          [&](std::size_t p, const Assignment& a) { return walked ? busy.time_ns(p, a) : slow_ns; },
          [&](const Assignment& a) {
            return walked && by_makespan ? busy.makespan_ns(a) : std::int64_t{20'000'000};
          }};
      state.add_problem({2, {}, std::nullopt});
      while (walking()) {
        walked = state.plan(1)[0].phase == contextual::Phase::search;
        const auto plans = state.plan(state.suggested_length());
        BatchOutcome outcome;
        for (const IterationPlan& plan : plans) {
          outcome.iterations.push_back(run_region(region, assignment_of(plan)));
        }
        state.observe(plans, outcome);
      }
      tune(state, {}, region);
      slow += state.problem(0).choice == 0 ? 1 : 0;
    }
    CHECK(slow == 0);
  }
}
