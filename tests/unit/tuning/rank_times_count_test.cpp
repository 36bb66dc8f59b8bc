#include "support/catch.hpp"
#include "support/ranks.hpp"
#include "support/report_of.hpp"

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
  RankKernel::Options kernel_options;
  kernel_options.participation = participation;
  const auto kernel = rank_kernel("counted", 4, kernel_options);
  std::vector<std::size_t> chosen(times_count.size(), 99);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    const auto r = static_cast<std::size_t>(rank);
    Options options = rank_options(communicator);
    options.times_count = times_count[r];
    options.timer =
        testing::scripted_timer([rank](const LaunchInfo& launch) { return time_on(rank, launch); });
    tuner.run(
        "region",
        [&] {
          if (rank >= first_launching_rank) {
            (*kernel)(1);
          }
        },
        options);
    chosen[r] = problem_of(engine_test::report_of(tuner, "region"), "counted")->choice;
  });
  CHECK(count_failed(thrown) == 0);
  return chosen;
}

}  // namespace

TEST_CASE("times_count: the slowest rank decides where all count", "[unit]") {
  CHECK(choices({true, true, true}) == std::vector<std::size_t>{3, 3, 3});
}

TEST_CASE("times_count: ranks whose times do not count choose as those whose do", "[unit]") {
  CHECK(choices({true, false, false}) == std::vector<std::size_t>{0, 0, 0});
  CHECK(choices({false, true, false}) == std::vector<std::size_t>{3, 3, 3});
}

TEST_CASE("times_count: where nobody's times count, everybody's do", "[unit]") {
  CHECK(choices({false, false}) == std::vector<std::size_t>{3, 3});
}

TEST_CASE("times_count: a kernel that only ranks launch whose times do not count is chosen by them",
          "[unit]") {
  CHECK(choices({true, false, false}, Participation::some, 1) == std::vector<std::size_t>{3, 3, 3});
}

}  // namespace rank_times_count_test
