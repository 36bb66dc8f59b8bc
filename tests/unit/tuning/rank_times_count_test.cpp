#include "support/catch.hpp"
#include "support/ranks.hpp"

namespace rank_times_count_test {

using namespace contextual;
using namespace contextual::test;

namespace {

/// Rank 0 finds config-0 the fastest, all others the last one.
std::int64_t time_on(int rank, const LaunchInfo& launch) {
  const auto id = static_cast<std::int64_t>(launch.config_id);
  return rank == 0 ? 10'000 + 1'000 * id : 900'000 - 100'000 * id;
}

std::vector<std::size_t> choices(const std::vector<bool>& times_count,
                                 Participation participation = Participation::all,
                                 int first_launching_rank = 0) {
  const int ranks = static_cast<int>(times_count.size());
  const auto kernel = rank_kernel("counted", 4, {.participation = participation});
  const RankRuns outcome = run_on_ranks(
      ranks,
      [&](int rank, int) {
        if (rank >= first_launching_rank) {
          (*kernel)(1);
        }
      },
      [&](int rank, Options& options) {
        options.times_count = times_count[static_cast<std::size_t>(rank)];
        options.timer =
            testing::scripted_timer([rank](const LaunchInfo& launch) { return time_on(rank, launch); });
      });
  CHECK(outcome.well());
  std::vector<std::size_t> chosen;
  for (const RegionReport& report : outcome.reports) {
    chosen.push_back(problem_of(report, "counted")->choice);
  }
  return chosen;
}

}  // namespace

TEST_CASE("times_count: the slowest rank whose times count decides for all", "[unit]") {
  using Choices = std::vector<std::size_t>;
  CHECK(choices({true, true, true}) == Choices{3, 3, 3});
  CHECK(choices({true, false, false}) == Choices{0, 0, 0});
  CHECK(choices({false, true, false}) == Choices{3, 3, 3});
}

TEST_CASE("times_count: where nobody's times count, of a run or of a kernel, everybody's do", "[unit]") {
  CHECK(choices({false, false}) == std::vector<std::size_t>{3, 3});
  // Only ranks launch it whose times do not count.
  CHECK(choices({true, false, false}, Participation::some, 1) == std::vector<std::size_t>{3, 3, 3});
}

}  // namespace rank_times_count_test
