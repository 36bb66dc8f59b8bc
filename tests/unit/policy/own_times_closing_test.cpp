/// \file
/// What own times chose, far shorter than the defaults, beside a search that gives it up: makespans are those
/// of a busy machine.

#include "unit/policy/reason_words.hpp"
#include "unit/policy/scripted_search.hpp"

#include <random>

namespace contextual::policy::test::own_times_closing_test {

namespace {

const std::vector<std::int64_t> own_ns{300'000, 200'000, 100'000};

/// One kernel and a scripted search, whose best is `best`. `rest_ns` is the makespan without its own time.
ScriptedRun run_of(std::size_t best, const std::function<std::int64_t(std::size_t)>& rest_ns) {
  ScriptedRun run({own_ns.size()}, {{{{1}, 3}}}, Assignment{best});
  run.world.time_ns = [](std::size_t, std::size_t config) { return own_ns.at(config); };
  run.world.makespan_ns = [rest_ns](const Assignment& a) { return own_ns.at(a[0]) + rest_ns(a[0]); };
  run.options.closing_rounds = PolicyOptions{}.closing_rounds;
  run.options.n_repeat = PolicyOptions{}.n_repeat;
  return run;
}

/// Every second run or so, another rank waits for a core.
std::function<std::int64_t(std::size_t)> bimodal(unsigned seed) {
  return [random = std::mt19937(seed)](std::size_t) mutable { return random() % 2 == 0 ? 0 : 560'000; };
}

/// The walk's last run, after which the machine is busy with `rest_ns`.
std::function<std::int64_t(std::size_t)> after_walk(std::function<std::int64_t(std::size_t)> rest_ns) {
  return [rest_ns = std::move(rest_ns), run = 0](std::size_t config) mutable {
    return ++run > 20 ? rest_ns(config) : 0;
  };
}

}  // namespace

TEST_CASE("holds 23: what own times chose is compared, too, whatever the search expects") {
  // It expects that a worse set is the shortest, or that nothing is shorter than the defaults.
  for (const std::size_t best : {1U, 0U}) {
    int wrong = 0;
    for (unsigned seed = 1; seed <= 50; ++seed) {
      ScriptedRun run = run_of(best, bimodal(seed));
      wrong += run.finish().choice() == Assignment{2} ? 0 : 1;
      CHECK(run.record().reference == Reference::defaults);
    }
    CAPTURE(best);
    CHECK(wrong <= 2);
  }
}

TEST_CASE("holds 23: in noise, what own times speak for is launched, and not kept") {
  for (const std::size_t best : {0U, 1U, 2U}) {
    CAPTURE(best);
    std::mt19937 random(1);
    ScriptedRun run = run_of(
        best, after_walk([&](std::size_t) { return static_cast<std::int64_t>(random() % 30'000'000); }));
    CHECK(run.finish().choice() == Assignment{2});
    CHECK(run.record().is_unsure());
    CHECK_THAT(text(run.driver->state.problem(0).reason), ContainsSubstring("own times speak for it"));
    CHECK(std::none_of(run.record().lost.begin(), run.record().lost.end(),
                       [](const LostComparison& lost) { return lost.assignment == Assignment{2}; }));
  }
}

TEST_CASE("holds 23: own times are not refuted by a few rounds with far samples") {
  int wrong = 0;
  for (const std::size_t best : {0U, 1U, 2U}) {
    for (const unsigned share : {2U, 3U}) {
      for (unsigned seed = 1; seed <= 120; ++seed) {
        std::mt19937 random(seed);
        ScriptedRun run =
            run_of(best, after_walk([&](std::size_t) -> std::int64_t {
                     return random() % share == 0 ? random() % (seed % 2 == 0 ? 3'000'000 : 10'000'000) : 0;
                   }));
        wrong += run.finish().choice() == Assignment{2} ? 0 : 1;
      }
    }
  }
  CHECK(wrong <= 2);
}

TEST_CASE("holds 23: own times speak for nothing that makespans show to be no gain") {
  for (const std::size_t best : {0U, 1U, 2U}) {
    for (const std::int64_t hidden_ns : {0, 50'000}) {
      CAPTURE(best, hidden_ns);
      // Beside work of 500 us, which the last config holds up.
      ScriptedRun run = run_of(best, [=](std::size_t config) {
        return (config == 1 && best == 1 ? 400'000 : 500'000) + (config == 2 ? hidden_ns : 0) -
               own_ns.at(config);
      });
      CHECK(run.finish().choice() == Assignment{best == 1 ? 1U : 0U});
      CHECK_FALSE(run.record().is_unsure());
    }
  }
}

namespace {

/// Makespans that hide own times: the walk's choice is the longest.
ScriptedRun hidden_run(std::size_t best) {
  return run_of(best, [](std::size_t config) {
    return std::vector<std::int64_t>{600'000, 400'000, 1'200'000}.at(config) - own_ns.at(config);
  });
}

/// How often own times win in runs of which `disturb(run, at)` disturbs one iteration.
int own_times_win(const std::function<void(ScriptedRun&, int)>& disturb) {
  int wins = 0;
  for (int at = 26; at < 120; ++at) {
    ScriptedRun run = hidden_run(1);
    disturb(run, at);
    wins += run.finish().choice() == Assignment{2} ? 1 : 0;
  }
  return wins;
}

}  // namespace

TEST_CASE("closing: own times speak for nothing that only the end of a tuning left open") {
  CHECK(own_times_win([](ScriptedRun& run, int at) { run.options.max_iterations = at; }) == 0);
  CHECK(own_times_win([](ScriptedRun& run, int at) {
          run.world.rejects = [at](std::int64_t iteration, std::size_t, std::size_t config) {
            return iteration >= at && config == 0;
          };
        }) == 0);
}

TEST_CASE("closing: what was rejected in the search is not compared by what the walk saw of it") {
  ScriptedRun run({4}, {{{{1}, 3}}}, Assignment{2});
  run.options.closing_rounds = PolicyOptions{}.closing_rounds;
  run.options.n_repeat = PolicyOptions{}.n_repeat;
  const std::vector<std::int64_t> times{100'000, 60'000, 80'000, 90'000};
  run.world.time_ns = [&](std::size_t, std::size_t config) { return times.at(config); };
  run.world.makespan_ns = [&](const Assignment& a) { return times.at(a[0]); };
  std::vector<std::int64_t> rejections;
  run.world.rejects = [&](std::int64_t iteration, std::size_t, std::size_t config) {
    const bool rejected = iteration > 24 && config == 1;
    if (rejected) {
      rejections.push_back(iteration);
    }
    return rejected;
  };
  CHECK(run.finish().choice() == Assignment{2});
  REQUIRE_FALSE(rejections.empty());
  CHECK(rejections.back() - rejections.front() < run.options.n_repeat);  // those of one batch
}

}  // namespace contextual::policy::test::own_times_closing_test
