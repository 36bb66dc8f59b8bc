#include "support/log_events.hpp"
#include "support/ranks.hpp"

namespace failing_rank_log_test {

using namespace contextual;

TEST_CASE("a rank on which all configs fail logs why, and its end, before the exchange", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  const auto kernels = test::kernel_per_rank(2, [](int rank) {
    return test::rank_kernel("all_fail", 2, {}, [rank](const test::TileConfig&, int&) {
      if (rank == 1) {
        throw ConfigRejected("planted");
      }
    });
  });
  testing::ScriptedWorld world(2);
  world.drop(1,
             1);  // the exchange after the first batch: the other rank is lost in its region's communication
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Options options = test::rank_options(communicator);
    options.log_directory = directory.path();
    options.deadline = std::chrono::milliseconds(200);
    ContextualAutotuner tuner(options);
    tuner.run("all_fail", [&] { (*kernels[static_cast<std::size_t>(rank)])(1); });
  });
  CHECK(test::threw<TuningFailedError>(thrown[1]));
  int rejected = 0;
  bool ended = false;
  for (const nlohmann::json& event : engine_test::events_in(directory.path(), 1)) {
    rejected += event.at("event") == "rejected" ? 1 : 0;
    if (event.at("event") == "run_end") {
      ended = true;
      CHECK(event.at("error_type") == "TuningFailedError");
      CHECK(event.at("blamed_ranks") == nlohmann::json::array({1}));
      CHECK(rejected == 2);
    }
  }
  CHECK(ended);
}

TEST_CASE("where all ranks throw because all configs fail on one, the others' logs blame it", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  const auto outcome = test::tune_kernels(
      3,
      [](int rank) {
        return test::rank_kernel("all_fail_told", 1, {}, test::refuse_tile(rank == 2, 1, "planted"));
      },
      [&](int, Options& options) { options.log_directory = directory.path(); });
  for (int rank = 0; rank < 3; ++rank) {
    CHECK(test::threw<TuningFailedError>(outcome.thrown[static_cast<std::size_t>(rank)]));
    const nlohmann::json end = engine_test::events_in(directory.path(), rank).back();
    CHECK(end.at("event") == "run_end");
    CHECK(end.at("blamed_ranks") == nlohmann::json::array({2}));
  }
}

}  // namespace failing_rank_log_test
