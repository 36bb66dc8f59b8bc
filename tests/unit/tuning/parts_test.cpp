/// \file
/// Parts of a region that are timed alone, in turn with the whole.

#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <stdexcept>

namespace parts_test {

using namespace contextual;
using namespace contextual::test;

namespace {

constexpr int ranks = 2;

/// What ran last on a rank, which the scripted makespan goes by.
struct RankState {
  std::vector<std::string> calls;  ///< in their order
};

/// The region takes 310 us, `gather` 120 us and `gemm` 250 us; rank 0 is faster by 20 us. A run without
/// launches of its own is told by what was called.
std::int64_t makespan_ns(const std::string& call, int rank) {
  const std::int64_t slowest = call == "gather" ? 120'000 : call == "gemm" ? 250'000 : 310'000;
  return slowest - (rank == 0 ? 20'000 : 0);
}

/// Makespans are computed in the settle, after both runs of a turn, which are of the same callable.
Options with_parts(const std::shared_ptr<Communicator>& communicator, int rank, RankState& state,
                   std::vector<RegionPart> parts) {
  Options options = rank_options(communicator);
  options.timer = testing::scripted_timer_with(
      {.launch_ns = later_is_faster,
       .makespan_ns = [rank, &state](std::int64_t, const std::vector<testing::ScriptedLaunch>&) {
         return makespan_ns(state.calls.back(), rank);
       }});
  options.parts = std::move(parts);
  return options;
}

}  // namespace

TEST_CASE("parts: run in turn with the region after the final run; the slowest rank's times give the limit",
          "[unit]") {
  const auto kernel = rank_kernel("parts_kernel", 3, {}, [](const TileConfig&, int&) {});
  std::vector<RankState> states(ranks);
  std::vector<RegionReport> reports(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    RankState& state = states[static_cast<std::size_t>(rank)];
    const auto part = [&state, &kernel](const char* name) {
      return RegionPart{name, [&state, &kernel, name] {
                          state.calls.emplace_back(name);
                          (*kernel)(1);
                        }};
    };
    tuner.run(
        "parts",
        [&] {
          state.calls.emplace_back("region");
          (*kernel)(1);
        },
        with_parts(communicator, rank, state, {part("gather"), part("gemm")}));
    reports[static_cast<std::size_t>(rank)] = engine_test::report_of(tuner, "parts");
  });
  CHECK(count_failed(thrown) == 0);
  for (int rank = 0; rank < ranks; ++rank) {
    const RegionReport& report = reports[static_cast<std::size_t>(rank)];
    REQUIRE(report.limit.has_value());
    CHECK(report.limit->result.centre_ns == 310'000);
    CHECK(report.limit->result.count == 5);
    REQUIRE(report.limit->parts.size() == 2);
    CHECK(report.limit->parts[0].name == "gather");
    CHECK(report.limit->parts[0].makespan.centre_ns == 120'000);
    CHECK(report.limit->parts[1].makespan.centre_ns == 250'000);
    CHECK(report.limit->limit_ns == 250'000.0);
    CHECK(report.limit->hidden == 0.5);
    CHECK(problem_of(report, "parts_kernel")->choice == 2);  // the parts have changed nothing
    // Each turn is a run that prepares and one that counts; the order changes with each round.
    const std::vector<std::string>& calls = states[static_cast<std::size_t>(rank)].calls;
    const std::vector<std::string> two_rounds{"gather", "gather", "gemm", "gemm", "region", "region",
                                              "region", "region", "gemm", "gemm", "gather", "gather"};
    const auto first = std::find(calls.begin(), calls.end(), "gather");
    REQUIRE(calls.end() - first == 5 * 6);
    CHECK(std::equal(two_rounds.begin(), two_rounds.end(), first));
    CHECK(std::count(calls.begin(), first, "region") > 0);
  }
}

TEST_CASE("parts: a kernel in them launches what is locked in, a new one its default; nothing is tuned",
          "[unit]") {
  std::vector<int> tiles_in_part;
  std::vector<int> tiles_of_new;
  bool in_part = false;
  const auto kernel = rank_kernel("parts_known", 3, {}, [&](const TileConfig& config, int&) {
    if (in_part) {
      tiles_in_part.push_back(config.tile);
    }
  });
  const auto unknown = rank_kernel(
      "parts_unknown", 3, {}, [&](const TileConfig& config, int&) { tiles_of_new.push_back(config.tile); });
  RegionReport report;
  RankState state;
  on_ranks(1, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    const RegionPart part{"part", [&] {
                            state.calls.emplace_back("gemm");
                            in_part = true;
                            (*kernel)(1);
                            (*unknown)(1);
                            in_part = false;
                          }};
    tuner.run(
        "parts-use",
        [&] {
          state.calls.emplace_back("region");
          (*kernel)(1);
        },
        with_parts(communicator, rank, state, {part}));
    report = engine_test::report_of(tuner, "parts-use");
  });
  CHECK(tiles_in_part == std::vector<int>(10, 3));
  CHECK(tiles_of_new == std::vector<int>(10, 1));
  CHECK(report.problems.size() == 1);
  REQUIRE(report.limit.has_value());
  CHECK_FALSE(report.limit->hidden.has_value());  // of one part
}

TEST_CASE(
    "holds 6: a part that throws on one rank ends the run there unchanged, and names that rank elsewhere",
    "[unit]") {
  const auto kernel = rank_kernel("parts_throwing", 2);
  std::vector<RankState> states(ranks);
  std::vector<int> locked_in(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    RankState& state = states[static_cast<std::size_t>(rank)];
    const RegionPart part{"part", [&state, rank] {
                            state.calls.emplace_back("gemm");
                            if (rank == 1) {
                              throw std::logic_error("broken part");
                            }
                          }};
    const auto region = [&] {
      state.calls.emplace_back("region");
      (*kernel)(1);
    };
    try {
      tuner.run("parts-throw", region, with_parts(communicator, rank, state, {part}));
    } catch (...) {
      const RegionReport report = engine_test::report_of(tuner, "parts-throw");
      locked_in[static_cast<std::size_t>(rank)] =
          problem_of(report, "parts_throwing")->outcome == ProblemOutcome::locked_in && !report.limit ? 1 : 0;
      throw;
    }
  });
  CHECK(threw<std::logic_error>(thrown[1]));
  CHECK(text_of(thrown[1]) == "broken part");
  CHECK(threw<RegionFailedError>(thrown[0]));
  CHECK_THAT(text_of(thrown[0]), ContainsSubstring("rank 1") && ContainsSubstring("broken part"));
  CHECK(locked_in == std::vector<int>{1, 1});
}

TEST_CASE("holds 7: parts of other names on one rank are an error on all ranks", "[unit]") {
  const auto kernel = rank_kernel("parts_mismatch", 2);
  std::vector<RankState> states(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    RankState& state = states[static_cast<std::size_t>(rank)];
    tuner.run(
        "parts-mismatch", [&] { (*kernel)(1); },
        with_parts(communicator, rank, state, {{rank == 0 ? "gather" : "scatter", [] {}}}));
  });
  for (const std::exception_ptr& error : thrown) {
    CHECK(threw<RankMismatchError>(error));
    CHECK_THAT(text_of(error),
               ContainsSubstring("parts=\"gather\"") && ContainsSubstring("parts=\"scatter\""));
  }
}

TEST_CASE("parts: a name that is empty, there twice or of two lines, or no callable, is refused", "[unit]") {
  const auto error_of = [](std::vector<RegionPart> parts) {
    Options options = engine_test::quick();
    options.parts = std::move(parts);
    ContextualAutotuner tuner;
    return engine_test::error_text<InvalidArgument>([&] {
      tuner.run(
          "parts-refused", [] {}, options);
    });
  };
  const auto nothing = [] {};
  CHECK_THAT(error_of({{"", nothing}}), ContainsSubstring("name of its own"));
  CHECK_THAT(error_of({{"a", nothing}, {"a", nothing}}), ContainsSubstring("\"a\" cannot be"));
  CHECK_THAT(error_of({{"a\nb", nothing}}), ContainsSubstring("on one line"));
  CHECK_THAT(error_of({{"a", {}}}), ContainsSubstring("no callable"));
}

}  // namespace parts_test
