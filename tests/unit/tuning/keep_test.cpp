/// \file
/// `keep` says which configs are candidates of a launch.

#include "support/engine.hpp"
#include "support/ranks.hpp"

namespace contextual::test::keep_test {

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
  PerRank<std::set<int>> used(3);
  const RankRuns outcome = tune_kernels(3, [&](int rank) {
    return rank_kernel(
        kernel, configs,
        {.keep = [rank](const TileConfig& config, const int&) { return config.tile != rank + 1; }},
        [&own = used[rank]](const TileConfig& c, int&) { own.insert(c.tile); });
  });
  CHECK(outcome.well());
  for (const std::set<int>& tiles : used) {  // beside the default, which is launched first
    CHECK(tiles == (configs > 3 ? std::set<int>{1, 4} : std::set<int>{1}));
  }
  return outcome.reports;
}

}  // namespace

TEST_CASE("keep: a default that is no candidate is launched first, and not chosen though it is fastest") {
  OneKernel one("keep_default", 3, {.keep = [](const Block& c) { return c.block > 0; }},
                quick(times([](const LaunchInfo& launch) {
                  return launch.config_id == 0
                             ? std::int64_t{1'000}
                             : 100'000 - 1'000 * static_cast<std::int64_t>(launch.config_id);
                })));
  CHECK(one.run() == 2);
  CHECK(one.used.front() == 0);
  CHECK(left_out_of(one.problem()) == std::vector<bool>{true, false, false});
  CHECK(one.problem().choice == 2);
}

TEST_CASE("keep: a default that is no candidate is still the fallback of a config that fails") {
  OneKernel one("keep_fallback", 3, {.keep = [](const Block& c) { return c.block > 0; }});
  one.in_launch = refuse_block(1, "planted");
  one.run();
  // The first launch and, in place of both uses of config 1, the fallback; config 2; the final run.
  CHECK(one.used == std::vector<int>{0, 0, 0, 2, 2, 2});
  CHECK(one.problem().choice == 2);
}

TEST_CASE("keep: where no config is a candidate the default stays") {
  OneKernel one("keep_none", 3, {.keep = [](const Block&) { return false; }});
  one.run();
  CHECK(std::set<int>(one.used.begin(), one.used.end()) == std::set<int>{0});
  CHECK(one.problem().choice == 0);
  CHECK(one.problem().outcome == ProblemOutcome::locked_in);
  const std::vector<std::string> warnings = one.report().warnings;
  CHECK(std::count_if(warnings.begin(), warnings.end(), [](const std::string& warning) {
          return warning.find("\"keep_none\"") != std::string::npos &&
                 warning.find("`keep` leaves out every config") != std::string::npos;
        }) == 1);
}

TEST_CASE("keep: what one rank leaves out no rank tries, and where nothing is left the default stays") {
  for (const RegionReport& report : each_rank_leaves_one_out("keep_ranks", 4)) {
    CHECK(left_out_of(report.problems.front()) == std::vector<bool>{true, true, true, false});
    CHECK(report.problems.front().choice == 3);
  }
  for (const RegionReport& report : each_rank_leaves_one_out("keep_none_on_ranks", 3)) {
    CHECK(report.problems.front().choice == 0);
  }
}

}  // namespace contextual::test::keep_test
