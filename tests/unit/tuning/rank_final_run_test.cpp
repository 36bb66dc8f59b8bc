#include "support/ranks.hpp"

namespace contextual::test::rank_final_run_test {

namespace {

constexpr int ranks = 3;

/// Runs `region(rank, in_final_run)` in a tuner a rank, twice; returns the error texts of the first run.
std::vector<std::string> run_twice(const std::function<void(int rank, bool final_run, bool first)>& region) {
  PerRank<std::string> errors(ranks);
  check_well(on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    bool final_run = false;
    Options options = rank_options(communicator);
    options.before_iteration = [&](const IterationInfo& info) { final_run = info.phase == Phase::final_run; };
    try {
      tuner.run(
          "region", [&] { region(rank, final_run, true); }, options);
    } catch (const RegionFailedError& error) {
      errors[rank] = "rank " + std::to_string(error.failed_rank()) + ": " + error.cause();
    } catch (const std::exception& error) {
      errors[rank] = error.what();
    }
    tuner.run(
        "region", [&] { region(rank, final_run, false); }, options);
  }));
  return errors;
}

}  // namespace

TEST_CASE("holds 6: a throw in the final run on one rank fails the run on all, and the next run works") {
  const auto kernel = rank_kernel("final-throw", 2);
  CHECK(run_twice([&](int rank, bool final_run, bool first) {
          (*kernel)(1);
          throw_if<std::logic_error>(rank == 1 && final_run && first, "broke in the end");
        }) ==
        std::vector<std::string>{"rank 1: broke in the end", "broke in the end", "rank 1: broke in the end"});
}

TEST_CASE("holds 7: another launch in the final run on one rank is an error on all that names it") {
  const auto kernel = rank_kernel("final-extra", 2);
  const auto errors = run_twice([&](int rank, bool final_run, bool first) {
    (*kernel)(1);
    if (rank == 2 && final_run && first) {
      (*kernel)(1);
    }
  });
  for (const std::string& error : errors) {
    CHECK_THAT(error, ContainsAll("rank 2 launched kernel \"final-extra\"", "rank 0 did not"));
  }
}

}  // namespace contextual::test::rank_final_run_test
