#include "contextual/agreement/hello.hpp"
#include "contextual/options/environment.hpp"
#include "contextual/options/resolved_options.hpp"
#include "unit/tuning/changed_options.hpp"

namespace contextual::test::rank_hello_test {

namespace {

constexpr int ranks = 3;

}  // namespace

TEST_CASE("hello: what one rank cannot set up is told to the others, whatever its text") {
  const std::string cause = GENERATE("no clock here", "");
  const auto kernel = rank_kernel("not-set-up", 2);
  const RankRuns outcome = run_on_ranks(
      ranks, [&](int, int) { (*kernel)(1); },
      [&](int rank, Options& options) {
        if (rank == 1) {
          options.timer = [&]() -> std::unique_ptr<Timer> { throw std::runtime_error(cause); };
        }
      });
  CHECK(threw<std::runtime_error>(outcome.thrown[1]));
  for (const std::size_t rank : {0, 2}) {
    REQUIRE(threw<RegionFailedError>(outcome.thrown[rank]));
    CHECK_THAT(text_of(outcome.thrown[rank]), ContainsSubstring("failed on rank 1 in its set-up"));
  }
}

TEST_CASE("hello: options that make no sense on one rank are told to the others, a deadline in every mode") {
  const auto kernel = rank_kernel("bad-options", 2);
  const auto deadline_in = [](Mode mode) {
    return [mode](int rank, Options& options) {
      options.mode = mode;
      options.deadline = std::chrono::milliseconds(rank == 1 ? 0 : 30'000);
    };
  };
  const auto n_repeat = [](int rank, Options& options) { options.n_repeat = rank == 1 ? 0 : 2; };
  const std::vector<std::pair<RankChange, std::string>> rows{{deadline_in(Mode::tune), "deadline (ms) = 0"},
                                                             {deadline_in(Mode::use), "deadline (ms) = 0"},
                                                             {deadline_in(Mode::off), "deadline (ms) = 0"},
                                                             {n_repeat, "n_repeat = 0"}};
  for (const auto& [change, told] : rows) {
    const RankRuns outcome = run_on_ranks(
        ranks, [&](int, int) { (*kernel)(1); }, change);
    CHECK(threw<InvalidArgument>(outcome.thrown[1]));
    for (const std::size_t rank : {0, 2}) {
      CHECK(threw<RegionFailedError>(outcome.thrown[rank]));
      CHECK_THAT(text_of(outcome.thrown[rank]), ContainsSubstring(told));
    }
  }
}

TEST_CASE("hello: in modes that tune nothing ranks that differed are asked again") {
  const auto kernel = rank_kernel("asked-again", 2);
  PerRank<int> mismatches(ranks);
  check_well(on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    const Options options = rank_options(communicator, {.mode = rank == 1 ? Mode::off : Mode::use});
    for (int i = 0; i < 3; ++i) {
      try {
        tuner.run(
            "region", [&] { (*kernel)(1); }, options);
      } catch (const RankMismatchError& error) {
        mismatches[rank] += error.differing_ranks() == std::vector<int>{1} ? 1 : 0;
      }
    }
  }));
  CHECK(mismatches == std::vector<int>{3, 3, 3});
}

TEST_CASE("hello: a rank that went on to the next run while the others are in this one is a mismatch") {
  const auto kernel = rank_kernel("went-on", 3);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    if (rank == 0) {
      const auto resolved = options::resolve({}, rank_options(communicator), options::environment());
      const auto timer = resolved.timer();
      agreement::Exchange exchange(*communicator, resolved.deadline);
      agreement::exchange_hello(exchange, "region", resolved, {.timer = timer->name()});
      const auto failure = std::make_exception_ptr(std::runtime_error("no directory can be made here"));
      agreement::exchange_hello(exchange, "region", resolved,
                                {.timer = timer->name(), .setup_failure = failure});
    }
    tuner.run("region", [&] { (*kernel)(1); });
  });
  CHECK(threw<RankMismatchError>(thrown[0]));
  CHECK(threw<RankMismatchError>(thrown[1]));
  CHECK(threw<RankMismatchError>(thrown[2]));
}

TEST_CASE("hello: a rank that loads a region which the others run is told so, and nothing of timers") {
  const auto kernel = rank_kernel("loaded-and-run", 2);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    const Options options = rank_options(communicator);
    if (rank == 1) {
      tuner.load("region", options);
    } else {
      tuner.run(
          "region", [&] { (*kernel)(1); }, options);
    }
  });
  for (const auto& error : thrown) {
    REQUIRE(threw<RankMismatchError>(error));
    CHECK_THAT(text_of(error), ContainsAll("rank 0 tunes it", "rank 1 calls `load`"));
    CHECK_THAT(text_of(error), !ContainsSubstring("timer"));
  }
}

}  // namespace contextual::test::rank_hello_test
