#include "unit/tuning/changed_options.hpp"

namespace contextual::test::registered_checks_test {

namespace {

/// Two kernels of an object, which knows that only some of their configs go together.
class Pair {
 public:
  explicit Pair(const std::string& name, int configs = 4)
      : first_(rank_kernel(name + "-first", configs, {},
                           [this](const TileConfig& c, int&) { now_.first = c.tile - 1; })),
        second_(rank_kernel(name + "-second", configs, {},
                            [this](const TileConfig& c, int&) { now_.second = c.tile - 1; })),
        names_{name + "-first", name + "-second"} {}

  void launch() {
    (*first_)(1);
    (*second_)(1);
    ++runs[now_];
  }

  void check(KernelChecks checks) { checks_.emplace(names_, std::move(checks)); }
  void uncheck() { checks_.reset(); }
  std::pair<int, int> now() const { return now_; }

  std::map<std::pair<int, int>, int> runs;  ///< of each two configs

 private:
  std::unique_ptr<RankKernel> first_;
  std::unique_ptr<RankKernel> second_;
  std::vector<std::string> names_;
  std::pair<int, int> now_;
  std::optional<RegisteredChecks> checks_;
};

Options options_of(std::shared_ptr<Communicator> communicator, SearchLevel search = SearchLevel::normal) {
  return rank_options(std::move(communicator), {.search = search, .search_settings = {.runs = 120}});
}

}  // namespace

TEST_CASE("registered checks: `feasible` gets the configs of its kernels only, and rules out assignments") {
  Pair pair("ruled");
  const auto other = rank_kernel("beside", 3);
  int asked = 0;
  pair.check({.feasible = [&](std::span<const AssignedConfig> configs) {
    ++asked;
    CHECK(configs.size() == 2);
    for (const AssignedConfig& config : configs) {
      CHECK((config.kernel == "ruled-first" || config.kernel == "ruled-second"));
      CHECK(config.key == "(1)");
      CHECK(config.config != nullptr);
    }
    return configs[0].config_id + configs[1].config_id < 5;  // the fastest ones do not go together
  }});
  tuned(options_of(one_rank()), "registered feasible", [&] { pair.launch(), (*other)(1); });
  CHECK(asked > 0);
  for (const auto& [configs, count] : pair.runs) {
    CHECK(configs.first + configs.second < 5);
  }
  CHECK(pair.now().first + pair.now().second == 4);
}

TEST_CASE("registered checks: `feasible` of the options and of every object are asked") {
  Pair pair("twice");
  pair.check({.feasible = [](std::span<const AssignedConfig> configs) { return configs[0].config_id != 3; }});
  Options options = options_of(one_rank());
  options.feasible = [](std::span<const AssignedConfig> configs) { return configs[1].config_id != 3; };
  tuned(options, "twice feasible", [&] { pair.launch(); });
  CHECK(pair.now() == std::pair(2, 2));
  for (const auto& [configs, count] : pair.runs) {
    CHECK((configs.first < 3 && configs.second < 3));
  }
}

TEST_CASE("registered checks: what `verify` refuses is not tried again, and a batch has one assignment") {
  Pair pair("wrong");
  std::map<std::pair<int, int>, int> verdicts;
  std::map<std::pair<int, int>, int> since;  // the latest verdict
  pair.check({.verify = [&](const IterationInfo& info) {
    CHECK(info.region == "registered verify");
    CHECK(since.size() <= 1);
    since.clear();
    ++verdicts[pair.now()];
    return pair.now() != std::pair(3, 3);
  }});
  ContextualAutotuner tuner(options_of(one_rank()));
  tuner.run("registered verify", [&] { pair.launch(), ++since[pair.now()]; });
  CHECK(pair.runs[{3, 3}] == 1);
  CHECK(verdicts[{3, 3}] == 1);
  CHECK(pair.now().first + pair.now().second == 5);
  const RegionReport report = tuner.report().runs.back();
  CHECK(report.searches.at(0).failed == 1);
}

TEST_CASE(
    "registered checks: a ConfigRejected of `verify` gives the reason, another exception ends the run") {
  Pair pair("refused", 1);
  pair.check({.verify = [](const IterationInfo&) -> bool { throw ConfigRejected("the sum is off"); }});
  ContextualAutotuner tuner(options_of(one_rank()));
  CHECK_THROWS_WITH(tuner.run("refused", [&] { pair.launch(); }),
                    ContainsSubstring("`verify` of kernel \"refused-first\": the sum is off"));
  pair.check({.verify = [](const IterationInfo&) { return false; }});
  CHECK_THROWS_WITH(tuner.run("refused", [&] { pair.launch(); }),
                    ContainsSubstring("`verify` of kernel \"refused-first\" returned false"));
  pair.check({.verify = [](const IterationInfo&) -> bool { throw std::runtime_error("no memory"); }});
  CHECK_THROWS_WITH(tuner.run("refused", [&] { pair.launch(); }), "no memory");
}

TEST_CASE("registered checks: asked only of regions that launch the kernels, and while they live") {
  Pair pair("idle");
  const auto other = rank_kernel("not-of-the-pair", 3);
  int asked = 0;
  pair.check({.feasible =
                  [&](std::span<const AssignedConfig>) {
                    ++asked;
                    return true;
                  },
              .verify =
                  [&](const IterationInfo&) {
                    ++asked;
                    return true;
                  }});
  ContextualAutotuner tuner(options_of(one_rank()));
  tuner.run("without the pair", [&] { (*other)(1); });
  CHECK(asked == 0);
  pair.uncheck();
  tuner.run("unchecked", [&] { pair.launch(); });
  CHECK(asked == 0);
}

namespace {

thread_local int tile_of_first = 0;
thread_local int tile_of_second = 0;

/// Ranks tune a region of two kernels of three configs, whose tiles each thread knows. `before(rank)` says
/// whether the rank launches the first one, too.
RankRuns tune_pair(
    int ranks, const std::string& name, Participation participation,
    const std::function<bool(int rank)>& before, const std::function<void(int rank)>& after = [](int) {}) {
  const RankKernels first = kernel_per_rank(ranks, [&](int) {
    return rank_kernel(name + "-first", 3, {.participation = participation},
                       [](const TileConfig& c, int&) { tile_of_first = c.tile; });
  });
  const RankKernels second = kernel_per_rank(ranks, [&](int) {
    return rank_kernel(name + "-second", 3, {}, [](const TileConfig& c, int&) { tile_of_second = c.tile; });
  });
  const RankRuns outcome = run_on_ranks(
      ranks,
      [&](int rank, int) {
        if (before(rank)) {
          first(rank, 1);
        }
        second(rank, 1);
        after(rank);
      },
      [](int, Options& options) {
        options.search = SearchLevel::normal;
        options.search_settings.runs = 120;
      });
  REQUIRE(outcome.well());
  return outcome;
}

}  // namespace

TEST_CASE("registered checks: a verdict of some ranks is that of all, whose choices are equal") {
  std::atomic<int> wrong{0};
  const RegisteredChecks checks({"some-first"}, {.verify = [&](const IterationInfo&) {
                                  const bool fine = tile_of_first + tile_of_second < 6;
                                  wrong += fine ? 0 : 1;
                                  return fine;
                                }});
  const RankRuns outcome = tune_pair(4, "some", Participation::some, [](int rank) { return rank != 2; });
  CHECK(wrong == 3);  // once, on the ranks that launch the kernel
  for (const RegionReport& report : outcome.reports) {
    CHECK(problem_of(report, "some-first")->choice + problem_of(report, "some-second")->choice == 3);
    CHECK(problem_of(report, "some-first")->choice == problem_of(outcome.reports[0], "some-first")->choice);
  }
}

TEST_CASE(
    "registered checks: a failure on one rank is told to the objects of all ranks, before the next batch") {
  thread_local int untold = 0;  // failures of which the object does not know yet
  thread_local int rank_here = -1;
  PerRank<int> told(3);
  const auto fails = [] { return tile_of_first + tile_of_second == 6; };
  const RegisteredChecks checks({"told-first", "told-second"},
                                {.verify = [&](const IterationInfo&) { return rank_here != 1 || !fails(); },
                                 .after_failure =
                                     [&] {
                                       ++told[rank_here];
                                       untold = 0;
                                     }});
  const RegisteredChecks others({"of-no-region"},
                                {.after_failure = [] { FAIL_CHECK("it was not launched"); }});
  PerRank<int> launched_untold(3);
  tune_pair(
      3, "told", Participation::all,
      [&](int rank) {
        rank_here = rank;
        launched_untold[rank] += untold;
        return true;
      },
      [&](int) { untold += fails() ? 1 : 0; });
  CHECK(told == std::vector<int>{1, 1, 1});
  CHECK(launched_untold == std::vector<int>{0, 0, 0});
}

TEST_CASE("registered checks: a rejected config is told to the objects that launch it") {
  int told = 0;
  const auto kernel = rank_kernel("rejects", 3, {}, [](const TileConfig& c, int&) {
    throw_if<ConfigRejected>(c.tile == 2, "not this one");
  });
  const auto other = rank_kernel("rejects-nothing", 3);
  const RegisteredChecks checks({"rejects"}, {.after_failure = [&] { ++told; }});
  const RegisteredChecks others({"rejects-nothing"},
                                {.after_failure = [] { FAIL_CHECK("it has not failed"); }});
  tuned(options_of(one_rank()), "rejecting", [&] { (*kernel)(1), (*other)(1); });
  CHECK(told == 1);
}

TEST_CASE("registered checks: an exception of `after_failure` ends the run, and the next one works") {
  Pair pair("not-ready");
  bool throws = true;
  pair.check({.verify = [&](const IterationInfo&) { return pair.now() != std::pair(3, 3); },
              .after_failure = [&] { throw_if<std::runtime_error>(throws, "a peer is gone"); }});
  ContextualAutotuner tuner(options_of(one_rank()));
  CHECK_THROWS_WITH(tuner.run("not ready", [&] { pair.launch(); }), "a peer is gone");
  throws = false;
  tuner.run("not ready", [&] { pair.launch(); });
  CHECK(pair.now().first + pair.now().second == 5);
}

TEST_CASE("registered checks: name the kernels that they concern") {
  CHECK_THROWS_AS(RegisteredChecks({}, {}), InvalidArgument);
}

}  // namespace contextual::test::registered_checks_test
