/// \file
/// Parts of a region that are timed alone, in turn with the whole.

#include "unit/tuning/changed_options.hpp"

namespace contextual::test::parts_test {

namespace {

/// The region takes 310 us, `gather` 120 us and `gemm` 250 us; rank 0 is faster by 20 us. A run without
/// launches of its own is told by what was called.
std::int64_t makespan_ns(const std::string& call, int rank) {
  const std::int64_t slowest = call == "gather" ? 120'000 : call == "gemm" ? 250'000 : 310'000;
  return slowest - (rank == 0 ? 20'000 : 0);
}

using Calls = std::vector<std::string>;

/// By rank; calls are in their order.
struct Ran {
  RankRuns runs;
  PerRank<Calls> calls;
};

/// Ranks tune a region of one kernel; `parts(rank, calls)` makes its parts, which note their calls.
Ran run_with_parts(int ranks, RankKernel& kernel,
                   const std::function<std::vector<RegionPart>(int rank, Calls& calls)>& parts) {
  Ran ran{{}, std::vector<Calls>(static_cast<std::size_t>(ranks))};
  ran.runs = run_on_ranks(
      ranks,
      [&](int rank, int) {
        ran.calls[rank].emplace_back("region");
        kernel(1);
      },
      [&](int rank, Options& options) {
        Calls& calls = ran.calls[rank];
        // Makespans are computed in the settle, after both runs of a turn, which are of the same callable.
        options.timer = testing::scripted_timer_with(
            {.launch_ns = later_is_faster,
             .makespan_ns = [rank, &calls](std::int64_t, const std::vector<testing::ScriptedLaunch>&) {
               return makespan_ns(calls.back(), rank);
             }});
        options.parts = parts(rank, calls);
      });
  return ran;
}

}  // namespace

TEST_CASE("parts: run in turn with the region after the final run; the slowest rank's times give the limit") {
  const auto kernel = rank_kernel("parts_kernel", 3);
  const Ran ran = run_with_parts(2, *kernel, [&](int, Calls& calls) {
    const auto part = [&calls, &kernel](const char* name) {
      return RegionPart{name, [&calls, &kernel, name] {
                          calls.emplace_back(name);
                          (*kernel)(1);
                        }};
    };
    return std::vector<RegionPart>{part("gather"), part("gemm")};
  });
  CHECK(ran.runs.well());
  for (const RegionReport& report : ran.runs.reports) {
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
  }
  // Each turn is a run that prepares and one that counts; the order changes with each round.
  const Calls two_rounds{"gather", "gather", "gemm", "gemm", "region", "region",
                         "region", "region", "gemm", "gemm", "gather", "gather"};
  for (const Calls& calls : ran.calls) {
    const auto first = std::find(calls.begin(), calls.end(), "gather");
    REQUIRE(calls.end() - first == 5 * 6);
    CHECK(std::equal(two_rounds.begin(), two_rounds.end(), first));
    CHECK(std::count(calls.begin(), first, "region") > 0);
  }
}

TEST_CASE("parts: a kernel in them launches what is locked in, a new one its default; nothing is tuned") {
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
  const Ran ran = run_with_parts(1, *kernel, [&](int, Calls& calls) {
    return std::vector<RegionPart>{{"part", [&] {
                                      calls.emplace_back("gemm");
                                      in_part = true;
                                      (*kernel)(1);
                                      (*unknown)(1);
                                      in_part = false;
                                    }}};
  });
  CHECK(tiles_in_part == std::vector<int>(10, 3));
  CHECK(tiles_of_new == std::vector<int>(10, 1));
  const RegionReport& report = ran.runs.reports[0];
  CHECK(report.problems.size() == 1);
  REQUIRE(report.limit.has_value());
  CHECK_FALSE(report.limit->hidden.has_value());  // of one part
}

TEST_CASE(
    "holds 6: a part that throws on one rank ends the run there unchanged, and names that rank elsewhere") {
  const auto kernel = rank_kernel("parts_throwing", 2);
  const Ran ran = run_with_parts(2, *kernel, [&](int rank, Calls& calls) {
    return std::vector<RegionPart>{{"part", [&calls, rank] {
                                      calls.emplace_back("gemm");
                                      throw_if<std::logic_error>(rank == 1, "broken part");
                                    }}};
  });
  CHECK(threw<std::logic_error>(ran.runs.thrown[1]));
  CHECK(text_of(ran.runs.thrown[1]) == "broken part");
  CHECK(threw<RegionFailedError>(ran.runs.thrown[0]));
  CHECK_THAT(text_of(ran.runs.thrown[0]), ContainsAll("rank 1", "broken part"));
  for (const RegionReport& report : ran.runs.reports) {
    CHECK(problem_of(report, "parts_throwing")->outcome == ProblemOutcome::locked_in);
    CHECK_FALSE(report.limit.has_value());
  }
}

TEST_CASE("holds 7: parts of other names on one rank are an error on all ranks") {
  const auto kernel = rank_kernel("parts_mismatch", 2);
  const Ran ran = run_with_parts(2, *kernel, [&](int rank, Calls&) {
    return std::vector<RegionPart>{{rank == 0 ? "gather" : "scatter", [] {}}};
  });
  for (const std::exception_ptr& error : ran.runs.thrown) {
    CHECK(threw<RankMismatchError>(error));
    CHECK_THAT(text_of(error), ContainsAll("parts=\"gather\"", "parts=\"scatter\""));
  }
}

TEST_CASE("parts: a name that is empty, there twice or of two lines, or no callable, is refused") {
  const auto error_of = [](std::vector<RegionPart> parts) {
    const Options options = quick({.parts = std::move(parts)});
    ContextualAutotuner tuner;
    return error_text<InvalidArgument>([&] {
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

}  // namespace contextual::test::parts_test
