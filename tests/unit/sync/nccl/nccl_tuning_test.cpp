/// \file
/// Tuning runs whose ranks talk over NCCL.

#include "support/catch.hpp"
#include "support/ranks.hpp"
#include "unit/sync/nccl/nccl_ranks.hpp"

namespace contextual::test::nccl_test::nccl_tuning_test {

using namespace std::chrono_literals;

TEST_CASE("tuning over NCCL: all ranks lock in the config that is best on the slowest one") {
  const ScriptedNccl scripted;
  const auto ranks = make_ranks(4);
  std::vector<std::string> agreed(4);
  auto kernels = kernel_per_rank(4, [](int) { return rank_kernel("nccl_tuned", 3); });
  const auto thrown = on_threads(4, [&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    Options options = rank_options(rank_thread(ranks[at]));
    // Config 2 is the best one everywhere but on rank 3, where config 1 is.
    options.timer = testing::scripted_timer([rank](const LaunchInfo& launch) {
      const bool slow = rank == 3 && launch.config_id == 2;
      return slow ? 50'000 : later_is_faster(launch);
    });
    ContextualAutotuner tuner(options);
    tuner.run("nccl_region", [&] { (*kernels[at])(7); });
    const Report report = tuner.report();
    agreed[at] = test::agreed_text(*report.find("nccl_region"));
  });
  check_well(thrown);
  CHECK_THAT(agreed[0], ContainsSubstring("TILE: 2"));
  CHECK(agreed == std::vector<std::string>(4, agreed[0]));
  CHECK(scripted.misuse() == std::vector<std::string>{});
}

TEST_CASE("tuning over NCCL: a rank that leaves the program is a CommunicationError on the others") {
  const ScriptedNccl scripted;
  const auto ranks = make_ranks(3, {.grace = 20s});
  auto kernels = kernel_per_rank(3, [](int) { return rank_kernel("nccl_left", 2); });
  const auto begin = std::chrono::steady_clock::now();
  const auto thrown = on_threads(3, [&](int rank) {
    if (rank == 2) {
      return;
    }
    const auto at = static_cast<std::size_t>(rank);
    Options options = rank_options(rank_thread(ranks[at]));
    options.deadline = 100ms;
    ContextualAutotuner tuner(options);
    tuner.run("nccl_left_region", [&] { (*kernels[at])(7); });
  });
  CHECK(std::chrono::steady_clock::now() - begin < 20s);
  for (const int rank : {0, 1}) {
    CHECK(threw<CommunicationError>(thrown[static_cast<std::size_t>(rank)]));
    CHECK_THAT(text_of(thrown[static_cast<std::size_t>(rank)]), ContainsSubstring("nccl_left_region"));
  }
  CHECK(scripted.aborted() == 2);
}

}  // namespace contextual::test::nccl_test::nccl_tuning_test
