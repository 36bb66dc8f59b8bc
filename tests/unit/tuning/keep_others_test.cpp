/// \file
/// `keep` refuses a choice that other ranks or coupled kernels may use, too.

#include "support/stderr_capture.hpp"
#include "unit/tuning/kept_process.hpp"
#include "unit/tuning/sized_kernel.hpp"

#include <contextual/testing/forwarding_timer.hpp>

namespace contextual::test::sized_test::keep_others_test {

namespace {

/// What a rank does, and what it writes down.
struct Rank {
  Launches seen{};
  std::unique_ptr<SizedKernel> kernel{};
  std::unique_ptr<RankKernel> other{};  ///< keyed by its argument
  std::string error{};
  std::vector<int> values{};
};

PerRank<Rank> two_ranks(const std::string& name, const SizedKernel::Options& options = {}) {
  PerRank<Rank> ranks(2);
  for (Rank& rank : ranks) {
    rank.kernel = sized_kernel(name, rank.seen, options);
    rank.other = rank_kernel(name + "_other", 2);
  }
  return ranks;
}

/// Of rank 1 where the size is to differ.
int size_on(int rank) {
  return rank == 1 ? 70 : 128;
}

/// Captures what is launched on it while that is set.
void* captured_stream = nullptr;

class CapturingTimer final : public testing::ForwardingTimer {
 public:
  using ForwardingTimer::ForwardingTimer;
  bool captures(const LaunchInfo& launch) noexcept override { return launch.stream == captured_stream; }
};

}  // namespace

TEST_CASE("holds 24: a coupled function that nothing else shares its choice with tunes again") {
  Launches seen;
  auto function = autotune(
      "keep_coupled_function", tiles_up_to_128(), [](int) { return single_problem(); },
      [&](const Tile& tile, int n) { return seen.note(tile, n); },
      {.keep = tile_fits, .kernel = {.coupling = "keep_coupled_function"}, .options = quick()});
  REQUIRE(function(128) == 128);
  const StderrCapture captured;
  CHECK(function(70) == 64);
  CHECK(function(128) == 64);
  CHECK(count_of(captured.text(), "`keep` does not allow it") == 1);
  CHECK(seen.refused == 0);
}

TEST_CASE("holds 24: what is refused on one rank is out at the next meeting, for the next process, too") {
  detail::describe_machine("test", [] { return std::string("alike"); });
  enum class Meeting { run, something_new };
  for (const Meeting meeting : {Meeting::run, Meeting::something_new}) {
    const std::string name = meeting == Meeting::run ? "keep_meet_run" : "keep_meet_new";
    const TemporaryDirectory directory;
    for (const bool first_process : {true, false}) {
      PerRank<Rank> ranks = two_ranks(name);
      const StderrCapture captured;
      check_well(kept_test::in_process(
          2, directory.path(), [&](int id, ContextualAutotuner& tuner, const Options& options) {
            Rank& rank = ranks[id];
            int key = 1;
            int n = 128;
            const auto region = [&] {
              const int tile = (*rank.kernel)(n);
              (*rank.other)(key);
              return tile;
            };
            auto step = make_tuned_region(tuner, name, region, options);
            rank.values.push_back(step());
            n = size_on(id);
            rank.error = error_text<ConfigRejected>([&] { rank.values.push_back(step()); });
            if (!first_process) {
              return;
            }
            n = 128;
            if (meeting == Meeting::run) {
              rank.values.push_back(tuner.run(name, region, options));
            } else {
              key = 2;
              rank.values.push_back(step());
            }
            n = size_on(id);
            rank.values.push_back(step());
          }));
      CHECK(ranks[0].seen.refused + ranks[1].seen.refused == 0);
      CHECK(ranks[0].error == "[no error]");
      if (first_process) {
        CHECK(ranks[0].values == std::vector<int>{128, 128, 64, 64});
        CHECK(ranks[1].values == std::vector<int>{128, 64, 64});
        CHECK_THAT(ranks[1].error,
                   ContainsAll("`keep` does not allow it", "`run` of region \"" + name + "\""));
      } else {
        CHECK(ranks[1].error == "[no error]");
        CHECK(ranks[0].values == std::vector<int>{64, 64});
        CHECK(ranks[1].values == std::vector<int>{64, 64});
      }
    }
  }
}

TEST_CASE(
    "holds 24: a refused choice is out in a call that tunes anyway, because of what was new before it") {
  PerRank<Rank> ranks = two_ranks("keep_meet_same_call");
  const StderrCapture captured;
  check_well(on_ranks(2, [&](int id, ContextualAutotuner& tuner) {
    Rank& rank = ranks[id];
    auto step = make_tuned_region(tuner, "keep_meet_same_call", [&](int key, int n) {
      (*rank.other)(key);
      return (*rank.kernel)(n);
    });
    rank.values.push_back(step(1, 128));
    rank.values.push_back(step(2, size_on(id)));
    rank.values.push_back(step(2, size_on(id)));
  }));
  for (const Rank& rank : ranks) {
    CHECK(rank.values == std::vector<int>{128, 64, 64});
    CHECK(rank.seen.refused == 0);
  }
}

TEST_CASE(
    "holds 24: a function on several ranks leaves out what one refuses when a new key makes them meet") {
  using Function = TunedFunction<int(const Tile&, int, int)>;
  PerRank<Rank> ranks(2);
  testing::ScriptedWorld world(2);
  const StderrCapture captured;
  check_well(world.run([&](int id, const std::shared_ptr<Communicator>& communicator) {
    Rank& rank = ranks[id];
    Function function(
        "keep_function_ranks", tiles_up_to_128(), [](int key, int) { return make_key(key); },
        [&rank](const Tile& tile, int, int n) { return rank.seen.note(tile, n); },
        {.keep = [](const Tile& tile, int, int n) { return tile_fits(tile, n); },
         .options = rank_options(communicator)});
    rank.values.push_back(function(1, 128));
    rank.error = error_text<ConfigRejected>([&] { rank.values.push_back(function(1, size_on(id))); });
    rank.values.push_back(function(2, 128));
    rank.values.push_back(function(1, size_on(id)));
    rank.values.push_back(function(1, 128));
  }));
  CHECK(ranks[0].values == std::vector<int>{128, 128, 128, 64, 64});
  CHECK(ranks[1].values == std::vector<int>{128, 128, 64, 64});
  CHECK_THAT(ranks[1].error, ContainsSubstring("the next call of \"keep_function_ranks\" that tunes"));
  CHECK(ranks[0].seen.refused + ranks[1].seen.refused == 0);
}

TEST_CASE("holds 24: a refused choice that only this rank uses gives way, and the next run tunes it again") {
  PerRank<Rank> ranks = two_ranks("keep_own_affair", {.participation = Participation::some});
  StderrCapture captured;
  check_well(on_ranks(2, [&](int id, ContextualAutotuner& tuner) {
    Rank& rank = ranks[id];
    int n = 128;
    const auto region = [&] {
      (*rank.other)(1);
      return id == 1 ? (*rank.kernel)(n) : 0;
    };
    auto step = make_tuned_region(tuner, "keep_own_affair", region);
    rank.values.push_back(step());
    n = 70;
    rank.values.push_back(step());
    rank.values.push_back(step());
    rank.values.push_back(tuner.run("keep_own_affair", region));
    rank.values.push_back(step());
  }));
  CHECK(ranks[1].values == std::vector<int>{128, 16, 16, 64, 64});
  CHECK(ranks[1].seen.refused == 0);
  CHECK(count_of(captured.text(), "`keep` does not allow it") == 1);
}

TEST_CASE("holds 24: a captured launch in a tuning run that refuses the choice has the default") {
  int memory = 0;
  auto* const stream = reinterpret_cast<CUstream_st*>(&memory);
  captured_stream = stream;
  std::vector<int> captures;
  TunableKernel<int(const Tile&, CUstream_st*, int)> kernel{
      "keep_captured",
      tiles_up_to_128(),
      [](CUstream_st*, int) { return single_problem(); },
      [&](const Tile& tile, CUstream_st* on, int) {
        if (on == stream) {
          captures.push_back(tile.tile);
        }
        return tile.tile;
      },
      {.keep = [](const Tile& tile, CUstream_st*, int n) { return tile_fits(tile, n); }}};
  const auto other = rank_kernel("keep_captured_other", 2);
  Options options = quick();
  options.timer = [make = options.timer]() -> std::unique_ptr<Timer> {
    return std::make_unique<CapturingTimer>(make());
  };
  ContextualAutotuner tuner{options};
  REQUIRE(tuner.run("keep_captured", [&] { return kernel(nullptr, 128); }) == 128);
  StderrCapture captured;
  const auto capture_in_a_tuning = [&](int key, int n) {
    captures.clear();
    return tuner.run("keep_captured", [&] {
      (*other)(key);
      kernel(stream, n);
      return kernel(nullptr, 128);
    });
  };
  const int first = capture_in_a_tuning(1, 128);
  CHECK(first == 128);
  CHECK(captures == std::vector<int>(captures.size(), 128));
  CHECK(capture_in_a_tuning(2, 70) == 64);  // it counts as new in the pass that found the other key
  CHECK(captures.front() == 16);
  CHECK(std::find(captures.begin(), captures.end(), 128) == captures.end());
  CHECK(count_of(captured.text(), "`keep` does not allow it") == 1);
  captured_stream = nullptr;
}

}  // namespace contextual::test::sized_test::keep_others_test
