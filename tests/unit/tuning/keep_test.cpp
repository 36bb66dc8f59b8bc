/// \file
/// `keep` says which configs are candidates of a launch.

#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace keep_test {

using namespace contextual;
using namespace contextual::test;
using namespace engine_test;

namespace {

std::vector<bool> left_out_of(const ProblemReport& problem) {
  std::vector<bool> left_out;
  for (const ConfigReport& config : problem.configs) {
    left_out.push_back(config.left_out);
  }
  return left_out;
}

/// Three ranks tune a kernel of which each leaves out the config of its own rank; no rank launches those.
std::vector<RegionReport> each_rank_leaves_one_out(const std::string& kernel, int configs) {
  std::vector<std::set<int>> used(3);
  const RankRuns outcome = tune_kernels(3, [&](int rank) {
    return rank_kernel(
        kernel, configs,
        {.keep = [rank](const TileConfig& config, const int&) { return config.tile != rank + 1; }},
        [&own = used[static_cast<std::size_t>(rank)]](const TileConfig& c, int&) { own.insert(c.tile); });
  });
  CHECK(outcome.well());
  for (const std::set<int>& tiles : used) {  // beside the default, which is launched first
    CHECK(tiles == (configs > 3 ? std::set<int>{1, 4} : std::set<int>{1}));
  }
  return outcome.reports;
}

}  // namespace

TEST_CASE("keep: a default that is no candidate is launched first, and not chosen though it is fastest",
          "[unit]") {
  std::vector<int> used;
  TunableKernel kernel{"keep_default",
                       blocks(3),
                       single_problem,
                       [&](const Block& c) { used.push_back(c.block); },
                       {.keep = [](const Block& c) { return c.block > 0; }}};
  ContextualAutotuner tuner{quick(times([](const LaunchInfo& launch) {
    return launch.config_id == 0 ? std::int64_t{1'000}
                                 : 100'000 - 1'000 * static_cast<std::int64_t>(launch.config_id);
  }))};
  tuner.run("keep_default", [&] { kernel(); });
  CHECK(used.front() == 0);
  CHECK(used.back() == 2);
  const ProblemReport problem = problem_of(tuner, "keep_default", "keep_default");
  CHECK(left_out_of(problem) == std::vector<bool>{true, false, false});
  CHECK(problem.choice == 2);
}

TEST_CASE("keep: a default that is no candidate is still the fallback of a config that fails", "[unit]") {
  std::vector<int> used;
  TunableKernel kernel{"keep_fallback",
                       blocks(3),
                       single_problem,
                       [&](const Block& c) {
                         if (c.block == 1) {
                           throw ConfigRejected("planted");
                         }
                         used.push_back(c.block);
                       },
                       {.keep = [](const Block& c) { return c.block > 0; }}};
  ContextualAutotuner tuner{quick()};
  tuner.run("keep_fallback", [&] { kernel(); });
  // The first launch and, in place of both uses of config 1, the fallback; config 2; the final run.
  CHECK(used == std::vector<int>{0, 0, 0, 2, 2, 2});
  CHECK(problem_of(tuner, "keep_fallback", "keep_fallback").choice == 2);
}

TEST_CASE("keep: where no config is a candidate the default stays", "[unit]") {
  std::set<int> used;
  TunableKernel kernel{"keep_none",
                       blocks(3),
                       single_problem,
                       [&](const Block& c) { used.insert(c.block); },
                       {.keep = [](const Block&) { return false; }}};
  ContextualAutotuner tuner{quick()};
  tuner.run("keep_none", [&] { kernel(); });
  CHECK(used == std::set<int>{0});
  const ProblemReport problem = problem_of(tuner, "keep_none", "keep_none");
  CHECK(problem.choice == 0);
  CHECK(problem.outcome == ProblemOutcome::locked_in);
  const std::vector<std::string> warnings = tuner.report().runs.front().warnings;
  CHECK(std::count_if(warnings.begin(), warnings.end(), [](const std::string& warning) {
          return warning.find("\"keep_none\"") != std::string::npos &&
                 warning.find("`keep` leaves out every config") != std::string::npos;
        }) == 1);
}

TEST_CASE("keep: what one rank leaves out no rank tries, and where nothing is left the default stays",
          "[unit]") {
  for (const RegionReport& report : each_rank_leaves_one_out("keep_ranks", 4)) {
    CHECK(left_out_of(report.problems.front()) == std::vector<bool>{true, true, true, false});
    CHECK(report.problems.front().choice == 3);
  }
  for (const RegionReport& report : each_rank_leaves_one_out("keep_none_on_ranks", 3)) {
    CHECK(report.problems.front().choice == 0);
  }
}

}  // namespace keep_test
