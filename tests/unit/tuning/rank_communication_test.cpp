#include "unit/tuning/changed_options.hpp"

namespace contextual::test::rank_communication_test {

using Catch::Matchers::StartsWith;

namespace {

constexpr int ranks = 4;
// Long enough for a loaded machine's threads to arrive; every expiry costs this much.
constexpr auto short_deadline = std::chrono::milliseconds(1500);
// Nothing in a test may wait for this one.
constexpr auto endless = std::chrono::minutes(10);

/// Every rank runs a region of one kernel, which `world` disturbs.
std::vector<std::exception_ptr> run_in(
    testing::ScriptedWorld& world, const std::function<void(int rank)>& in_region = [](int) {}) {
  const auto kernel = rank_kernel("communicates", 3);
  return world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(communicator, {.deadline = short_deadline}));
    tuner.run("region", [&] { (*kernel)(1), in_region(rank); });
  });
}

std::vector<int> missing_in(const std::exception_ptr& thrown) {
  return thrown_as<CommunicationError>(thrown).missing_ranks();
}

}  // namespace

TEST_CASE("holds 8: a rank that never arrives is named by all others at the deadline") {
  const std::int64_t collective = GENERATE(0, 1, 5);  // the first comparison, a header, in the middle
  testing::ScriptedWorld world(ranks);
  world.drop(2, collective);
  const auto thrown = run_in(world);
  for (const auto& error : thrown) {
    REQUIRE(threw<CommunicationError>(error));
    CHECK(missing_in(error) == std::vector<int>{2});
    CHECK_THAT(text_of(error), ContainsSubstring("missing ranks: 2"));
    const std::string where = collective == 0   ? "before its first tuning iteration"
                              : collective == 1 ? "after tuning iteration 0 of the walk"
                                                : "after tuning iterations ";
    CHECK_THAT(text_of(error), StartsWith("region \"region\", in the exchange " + where));
    CHECK_THAT(text_of(error), ContainsSubstring(", deadline 1500 ms: "));
  }
}

TEST_CASE("holds 8: after an expiry a later run fails at once without running the region") {
  const auto kernel = rank_kernel("poisoned", 3);
  testing::ScriptedWorld world(ranks);
  world.drop(0, 3);
  PerRank<int> expired(ranks);
  PerRank<int> later_runs(ranks);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Options options = rank_options(communicator, {.deadline = short_deadline});
    ContextualAutotuner tuner(options);
    try {
      tuner.run("region", [&] { (*kernel)(1); });
    } catch (const CommunicationError&) {
      ++expired[rank];
    }
    options.deadline = endless;
    ContextualAutotuner second(options);
    second.run("region", [&] { ++later_runs[rank], (*kernel)(1); });
  });
  check_all_threw<CommunicationError>(thrown);
  CHECK(expired == std::vector<int>(ranks, 1));
  CHECK(later_runs == std::vector<int>(ranks, 0));
}

TEST_CASE("holds 6: a rank that cannot tell the others rethrows its own exception all the same") {
  testing::ScriptedWorld world(2);
  world.drop(1, 1);
  const auto thrown =
      run_in(world, [](int rank) { throw_if<std::out_of_range>(rank == 0, "of the region"); });
  CHECK(threw<std::out_of_range>(thrown[0]));
  CHECK(threw<CommunicationError>(thrown[1]));
}

TEST_CASE("holds 8: what was locked in before an expiry stays") {
  int tile = 0;
  PerRank<int> tiles_used(2);
  thread_local int* used = nullptr;
  const auto kernel =
      rank_kernel("locked-before", 3, {}, [](const TileConfig& config, int&) { *used = config.tile; });
  testing::ScriptedWorld world(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    used = &tiles_used[rank];
    ContextualAutotuner tuner(rank_options(communicator, {.deadline = short_deadline}));
    tuner.run("region", [&] { (*kernel)(1); });
    if (rank == 0) {  // the other one is gone
      tuner.run("other", [&] { (*kernel)(1); });
    }
  });
  CHECK(threw<CommunicationError>(thrown[0]));
  CHECK_FALSE(thrown[1]);
  CHECK(tiles_used == std::vector<int>{3, 3});
  used = &tile;
  (*kernel)(1);
  CHECK(tile == 3);
}

}  // namespace contextual::test::rank_communication_test
