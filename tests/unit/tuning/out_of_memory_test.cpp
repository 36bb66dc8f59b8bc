/// \file
/// Candidates for which memory runs out, in a launcher and in the region.

#include "unit/tuning/changed_options.hpp"

#include <new>

namespace contextual::test::out_of_memory_test {

namespace {

/// As a framework's allocator throws it.
struct AllocatorError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_allocator_error(const std::exception_ptr& thrown) {
  return threw<AllocatorError>(thrown);
}

/// The configs of two kernels that this rank's region has launched last.
thread_local std::array<int, 2> tiles_now{};

}  // namespace

TEST_CASE("out of memory: a launcher's rejects the config, and the same call launches the fallback") {
  OneKernel one("no_memory", 4, {}, quick({.is_out_of_memory = is_allocator_error}));
  one.in_launch = [](const Block& c) {
    throw_if<std::bad_alloc>(c.block == 2);
    throw_if<AllocatorError>(c.block == 3, "tried to allocate 20 GiB");
  };
  CHECK(one.run() == 1);
  CHECK(std::ssize(one.used) == one.runs);
  const ProblemReport problem = one.problem();
  CHECK(problem.configs[2].rejection == std::string("out of memory: ") + std::bad_alloc().what());
  CHECK(problem.configs[3].rejection == "out of memory: tried to allocate 20 GiB");
}

TEST_CASE("out of memory: the default's comes through unchanged, and what the option does not name") {
  OneKernel one("no_memory_for_default");
  one.in_launch = [](const Block& c) { throw_if<std::bad_alloc>(c.block == 0); };
  CHECK_THROWS_AS(one.run(), std::bad_alloc);
  one.in_launch = [](const Block& c) { throw_if<AllocatorError>(c.block == 1, "not said to be one"); };
  CHECK_THROWS_AS(one.run(), AllocatorError);
}

TEST_CASE(
    "out of memory: the region's rejects the assignment on all ranks, and its configs stay candidates") {
  constexpr int ranks = 2;
  const auto make = [](std::size_t at) {
    return rank_kernel("too-large-" + std::to_string(at), 4, {},
                       [at](const TileConfig& c, int&) { tiles_now.at(at) = c.tile; });
  };
  const auto first = make(0);
  const auto second = make(1);
  int thrown = 0;
  PerRank<int> hooks(ranks);
  PerRank<std::array<int, 2>> last(ranks);
  const RankRuns outcome = run_on_ranks(
      ranks,
      [&](int rank, int) {
        (*first)(1);
        if (rank == 1 && tiles_now[0] == 4) {  // rank 0 launches the second kernel in this iteration
          ++thrown;
          throw std::bad_alloc();
        }
        (*second)(1);
        last[rank] = tiles_now;
      },
      [&](int rank, Options& options) {
        options.search = SearchLevel::normal;
        options.search_settings.runs = 120;
        options.after_iteration = [&hooks, rank](const IterationInfo&) { ++hooks[rank]; };
      });
  INFO(text_of(outcome.thrown[0]) << "; " << text_of(outcome.thrown[1]));
  REQUIRE(outcome.well());
  CHECK(last == std::vector(ranks, std::array{3, 4}));
  CHECK(thrown >= 1);
  CHECK(thrown <= 4);  // once for each config of the second kernel
  CHECK(hooks[0] == outcome.runs[0]);
  CHECK(hooks[1] == outcome.runs[1] - thrown);  // not after a run that threw
  CHECK(outcome.reports[0].choices_text() == outcome.reports[1].choices_text());
}

TEST_CASE("out of memory: the region's with the defaults comes through unchanged") {
  OneKernel one("no_memory_in_region");
  CHECK_THROWS_AS(one.tuner.run("no_memory_in_region",
                                [&] {
                                  one.region();
                                  throw_if<std::bad_alloc>(one.used.back() == 0);
                                }),
                  std::bad_alloc);
  CHECK(one.runs == 1);
}

TEST_CASE("out of memory: a choice of an earlier run is the default of a later one") {
  OneKernel chosen("memory_for_chosen");
  chosen.run();
  REQUIRE(chosen.problem().choice == 2);
  int runs = 0;
  TunableKernel later{"memory_for_later", blocks(2), single_problem, [&](const Block& c) {
                        throw_if<std::runtime_error>(c.block == 0 && ++runs > 1, "default");
                      }};
  const Options options{
      .is_out_of_memory = [](const std::exception_ptr& thrown) { return threw<std::runtime_error>(thrown); }};
  CHECK_THROWS_AS(chosen.tuner.run(
                      chosen.name, [&] { chosen.region(), later(); }, options),
                  std::runtime_error);
}

TEST_CASE("out of memory: the region's comes through where the others wait for this rank in it") {
  const auto kernel =
      rank_kernel("waits-in-region", 3, {}, [](const TileConfig& c, int&) { tiles_now[0] = c.tile; });
  const RankRuns outcome = run_on_ranks(
      2,
      [&](int rank, int) {
        (*kernel)(1);
        throw_if<std::bad_alloc>(tiles_now[0] == 2 && rank == 1);
        if (tiles_now[0] == 2) {
          std::this_thread::sleep_for(std::chrono::milliseconds(600));  // as if it waited
        }
      },
      [](int, Options& options) { options.deadline = std::chrono::milliseconds(100); });
  CHECK(threw<std::bad_alloc>(outcome.thrown[1]));
  CHECK(threw<CommunicationError>(outcome.thrown[0]));
}

TEST_CASE("out of memory: a coupled launcher's is the region's, whose assignment is rejected") {
  const RankKernel::Options coupled{.coupling = "coupled-in-memory"};
  const auto left = rank_kernel("coupled-left", 3, coupled);
  const auto right = rank_kernel("coupled-right", 3, coupled,
                                 [](const TileConfig& c, int&) { throw_if<std::bad_alloc>(c.tile == 3); });
  const RankRuns outcome = run_on_ranks(
      2, [&](int, int) { (*left)(1), (*right)(1); },
      [](int, Options& options) { options.search = SearchLevel::normal; });
  INFO(text_of(outcome.thrown[0]));
  REQUIRE(outcome.well());
  CHECK(outcome.reports[0].problems.front().choice == 1);
  CHECK_THAT(outcome.reports[0].problems.front().configs[2].rejection.value_or(""),
             ContainsSubstring("the region ran out of memory"));
}

}  // namespace contextual::test::out_of_memory_test
