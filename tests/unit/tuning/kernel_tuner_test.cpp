#include "support/child_process.hpp"
#include "support/threads.hpp"

namespace contextual::test::kernel_tuner_test {

namespace {

/// The seed's dummy kernel: two blocks, two numbers of warps.
ConfigSpace<Config> dummy_space() {
  return {{"BLOCK", {64, 128}}, {"WARPS", {4, 8}}};
}

KernelTunerOptions quick(TimerFactory timer = last_is_fastest()) {
  KernelTunerOptions options{.warmup_runs = 2, .benchmark_runs = 5};
  options.tuning.log_directory = "";
  options.tuning.timer = std::move(timer);
  return options;
}

/// A tuner of the dummy kernel that counts its launches; one at a time lives.
struct Counted {
  explicit Counted(KernelTunerOptions options, const std::string& version = {},
                   const std::string& kernel = "kernel_tuner counted")
      : tuner{kernel,
              dummy_space(),
              [this](const Config& /*config*/, int) { ++launches; },
              std::move(options),
              {.version = version}} {}

  int launches = 0;
  KernelTuner<void(const Config&, int)> tuner;
};

KernelTunerOptions kept_in(const std::filesystem::path& directory) {
  KernelTunerOptions options = quick();
  options.cache_directory = directory;
  return options;
}

/// The fastest config of a request is the one with the id of its problem size.
KernelTunerOptions by_size(const std::filesystem::path& directory) {
  KernelTunerOptions options = quick(times(
      [](const LaunchInfo& launch) { return launch.config_id == launch.key->word(0) ? 1'000 : 5'000; }));
  options.cache_directory = directory;
  return options;
}

/// Tunes the sizes 1 and 2.
void tune_kept_sizes(const std::filesystem::path& directory) {
  KernelTuner tuner{"kernel_tuner kept sizes", blocks(4), [](const Block&, int) {}, by_size(directory)};
  for (const std::int64_t size : {1, 2}) {
    CHECK(tuner.tune({.problem_size = {size}}, 1).best_config_id == static_cast<std::size_t>(size));
  }
}

constexpr int all_launches = 4 * 7 + 1;  // of the dummy kernel, the final one included

}  // namespace

TEST_CASE("KernelTuner: a dummy kernel, each config is launched 2 and 5 times and the fastest is returned") {
  std::vector<int> launches(4, 0);
  KernelTuner tuner{"kernel_tuner dummy", dummy_space(),
                    [&](const Config& config, int) {
                      const bool large = config.get<int>("BLOCK") == 128;
                      const bool many = config.get<int>("WARPS") == 8;
                      ++launches[(large ? 2U : 0U) + (many ? 1U : 0U)];
                    },
                    quick()};
  const TuningResult result = tuner.tune({.problem_size = {1024}}, 1);
  CHECK(result.best_config == Config{{"BLOCK", 128}, {"WARPS", 8}});
  CHECK(result.best_config_id == 3);
  CHECK(tuner.best(result) == result.best_config);
  CHECK(launches == std::vector<int>{7, 7, 7, 8});  // and once more with the best one
  REQUIRE(result.all_results.size() == 4);
  for (std::size_t id = 0; id < 4; ++id) {
    CHECK(result.all_results[id].config == tuner.space()[id]);
    CHECK(result.all_results[id].time.count == 5);
    CHECK(result.all_results[id].time.centre_ns == 100'000 - 1'000 * static_cast<double>(id));
  }
  CHECK(result.metrics.latency.count() == 97'000);
  CHECK(result.problem_size == std::vector<std::int64_t>{1024});
  CHECK(result.device == "host");
  CHECK(result.kernel_type == "kernel_tuner dummy");
  CHECK_FALSE(result.from_cache);
  CHECK(result.warnings.empty());
  const TuningResult second = tuner.tune({.problem_size = {1024}}, 1);
  CHECK(second.from_cache);
  CHECK(second.best_config_id == 3);
  CHECK(second.all_results.empty());
  CHECK(second.metrics.latency == result.metrics.latency);
  CHECK(second.reason == "cached for kernel_tuner dummy (1024) on host");
  CHECK(launches == std::vector<int>{7, 7, 7, 8});
  CHECK_FALSE(tuner.tune({.problem_size = {512}}, 1).from_cache);
  CHECK_FALSE(tuner.tune({.problem_size = {1024}, .kernel_type = "another"}, 1).from_cache);
  CHECK_FALSE(tuner.tune({.problem_size = {1024}, .device = "B200"}, 1).from_cache);
}

TEST_CASE("KernelTuner: a work and a peak that are no numbers are refused before anything is launched") {
  int launches = 0;
  const auto error_of = [&](const KernelTunerOptions& options) {
    KernelTuner tuner{"kernel_tuner rates", std::vector<Config>{{{"BLOCK", 1}}, {{"BLOCK", 2}}},
                      [&](const Config&) { ++launches; }, options};
    return error_text<InvalidArgument>([&] { tuner.tune({}); });
  };
  KernelTunerOptions work{.warmup_runs = 1, .benchmark_runs = 1};
  work.work = [](const TuneRequest&) { return KernelWork{.flops = -1, .bytes = 1}; };
  CHECK_THAT(error_of(work), ContainsAll("kernel \"kernel_tuner rates\": its work or its peak: ",
                                         "floating-point operations"));
  KernelTunerOptions peak{.warmup_runs = 1, .benchmark_runs = 1};
  peak.peak.teraflops_per_second = -1;
  CHECK_THAT(error_of(peak), ContainsAll("kernel \"kernel_tuner rates\": its work or its peak: ", "TFLOP/s"));
  CHECK(launches == 0);
}

TEST_CASE("KernelTuner: all results have rates, whoever tells the work, also from the cache") {
  const auto kernel_work = [](const int& n) { return KernelWork{.flops = 1e6 * n}; };
  const auto check = [](const TuningResult& result) {
    CHECK(result.metrics.teraflops_per_second.value_or(0) == Approx(4e6 / 97'000 / 1e3));
    CHECK(result.metrics.peak_compute_fraction.value_or(0) == Approx(4e6 / 97'000 / 1e3 / 2));
    for (const ConfigReport& config : result.all_results) {
      CHECK(config.metrics.teraflops_per_second.value_or(0) == Approx(4e6 / config.time.centre_ns / 1e3));
      CHECK(config.metrics.peak_compute_fraction.has_value());
    }
  };
  const auto twice = [&](auto&& tuner) {
    const TuningResult first = tuner.tune({.problem_size = {4}}, 4);
    REQUIRE(first.all_results.size() == 4);
    check(first);
    const TuningResult second = tuner.tune({.problem_size = {4}}, 4);
    CHECK(second.from_cache);
    check(second);
  };
  KernelTunerOptions options = quick();
  options.peak.teraflops_per_second = 2;
  const auto launch = [](const Config&, int) {};
  twice(KernelTuner{"kernel_tuner work of kernel", dummy_space(), launch, options, {.work = kernel_work}});
  TunableKernel existing{"kernel_tuner work of existing",
                         dummy_space(),
                         [](const int& n) { return make_key(n); },
                         launch,
                         {.work = kernel_work}};
  twice(KernelTuner{existing, options});
  options.work = [](const TuneRequest& request) {
    return KernelWork{.flops = 1e6 * static_cast<double>(request.problem_size.at(0))};
  };
  twice(KernelTuner{"kernel_tuner work of request", dummy_space(), launch, options});
}

TEST_CASE("KernelTuner: a request without sizes says that other arguments get the same answer") {
  KernelTuner tuner{"kernel_tuner no size", dummy_space(), [](const Config&, int) {}, quick()};
  CHECK(tuner.tune({}, 1).warnings.empty());
  const TuningResult second = tuner.tune({}, 1'000);
  CHECK(second.from_cache);
  CHECK_THAT(only(second.warnings), ContainsSubstring("no problem_size"));
  KernelTuner alone{"kernel_tuner no arguments", dummy_space(), [](const Config&) {}, quick()};
  static_cast<void>(alone.tune({}));
  CHECK(alone.tune({}).warnings.empty());
}

TEST_CASE("KernelTuner: an exception of a config other than the default rejects it, of any kernel") {
  const auto launch = [](const Config& config, int fails_with) {
    throw_if<std::invalid_argument>(config.get<int>("BLOCK") == fails_with && config.get<int>("WARPS") == 8,
                                    "8 warps do not fit");
  };
  TunableKernel existing{"kernel_tuner throwing existing", dummy_space(),
                         [](const int& n) { return make_key(n); }, launch};
  KernelTuner of_existing{existing, quick()};
  KernelTuner own{"kernel_tuner throwing", dummy_space(), launch, quick()};
  for (const TuningResult& result :
       {of_existing.tune({.problem_size = {128}}, 128), own.tune({.problem_size = {128}}, 128)}) {
    CHECK(result.best_config_id == 2);
    CHECK(result.all_results.at(3).rejection == "8 warps do not fit");
  }
  KernelTuner of_default{"kernel_tuner throwing default", dummy_space(),
                         [](const Config&) { throw std::invalid_argument("nothing fits"); }, quick()};
  CHECK(error_text<std::invalid_argument>([&] { of_default.tune({}); }) == "nothing fits");
}

TEST_CASE("KernelTuner: where all configs fail nothing is cached") {
  KernelTuner tuner{"kernel_tuner failing", dummy_space(),
                    [](const Config&) { throw ConfigRejected("no room"); }, quick()};
  CHECK_THROWS_AS(tuner.tune({.problem_size = {1}}), TuningFailedError);
  CHECK(tuner.cache().get_all_keys().empty());
}

TEST_CASE("KernelTuner: a config that is rejected is in the results with its reason, and another one wins") {
  KernelTuner tuner{"kernel_tuner rejecting",
                    dummy_space(),
                    [](const Config& config, int& sum) {
                      throw_if<ConfigRejected>(config.get<int>("WARPS") == 8, "too many warps");
                      sum += config.get<int>("BLOCK");
                    },
                    quick(),
                    {.keep = [](const Config& config, const int&) { return config.get<int>("BLOCK") == 64; },
                     .reset = [](int& sum) { sum = 0; },
                     .check = [](const Config&, int& sum) { return sum > 0; }}};
  int sum = 0;
  const TuningResult result = tuner.tune({.problem_size = {1}}, sum);
  CHECK(result.best_config_id == 0);
  REQUIRE(result.all_results.size() == 4);
  CHECK_FALSE(result.all_results[0].rejection.has_value());
  CHECK(result.all_results[1].rejection == "too many warps");
  CHECK(result.all_results[2].left_out);
  CHECK(result.all_results[3].left_out);
}

TEST_CASE("KernelTuner: a kernel that exists is tuned as a region of its own, and launches its best config") {
  int last = -1;
  TunableKernel kernel{"kernel_tuner existing", blocks(3), [](const int& size) { return make_key(size); },
                       [&](const Block& config, int) { last = config.block; }};
  KernelTuner tuner{kernel, quick()};
  const TuningResult result = tuner.tune({.problem_size = {5}}, 5);
  CHECK(result.best_config == Config{{"BLOCK", 2}});
  CHECK(tuner.best(result).block == 2);
  kernel(5);
  CHECK(last == 2);
}

TEST_CASE("KernelTuner: another tuner of the directory finds the config; always_tune and clear do tune") {
  const TemporaryDirectory directory;
  const TuneRequest request{.problem_size = {3, 4}};
  {
    Counted first(kept_in(directory.path()));
    CHECK_FALSE(first.tuner.tune(request, 1).from_cache);
    CHECK(first.launches == all_launches);
    CHECK(KeptChoices(directory.path()).list("kernel_tuner counted").sets.size() == 1);  // by the engine
  }
  {
    Counted second(kept_in(directory.path()));
    const TuningResult result = second.tuner.tune(request, 1);
    CHECK(result.from_cache);
    CHECK(result.best_config_id == 3);
    CHECK(result.metrics.latency.count() == 97'000);
    CHECK(second.launches == 0);
    CHECK(second.tuner.cache().clear().empty());
    CHECK_FALSE(second.tuner.tune(request, 1).from_cache);
    CHECK(second.launches == all_launches);
  }
  KernelTunerOptions always = kept_in(directory.path());
  always.tuning.always_tune = true;
  Counted third(always);
  CHECK_FALSE(third.tuner.tune(request, 1).from_cache);
  CHECK(third.launches == all_launches);
}

TEST_CASE("KernelTuner: a tuning that was cut off goes on where it was") {
  const TemporaryDirectory directory;
  int launches = 0;
  int last = 16;
  KernelTuner tuner{"kernel_tuner cut off", dummy_space(),
                    [&](const Config&, int) { throw_if<Error>(++launches == last, "cut off"); },
                    kept_in(directory.path())};
  const TuneRequest request{.problem_size = {3}};
  CHECK_THROWS_WITH(tuner.tune(request, 1), "cut off");
  CHECK(tuner.cache().get_all_keys().empty());
  last = launches = 0;
  const TuningResult result = tuner.tune(request, 1);
  CHECK(result.best_config_id == 3);
  CHECK(launches > 7);
  CHECK(launches < all_launches - 7);  // two configs were known
}

TEST_CASE("KernelTuner: what was cached for another version or other configs does not count") {
  const TemporaryDirectory directory;
  const TuneRequest request{.problem_size = {3}};
  static_cast<void>(Counted(kept_in(directory.path()), "1").tuner.tune(request, 1));
  CHECK_FALSE(Counted(kept_in(directory.path()), "2").tuner.tune(request, 1).from_cache);
  CHECK(Counted(kept_in(directory.path()), "1").tuner.tune(request, 1).from_cache);
  KernelTuner other{"kernel_tuner counted", std::vector<Config>{{{"BLOCK", 64}, {"WARPS", 4}}},
                    [](const Config&, int) {}, kept_in(directory.path())};
  CHECK_FALSE(other.tune(request, 1).from_cache);
}

TEST_CASE("KernelTuner: what a lower search has found does not count for a higher one") {
  const TemporaryDirectory directory;
  const auto is_cached = [&](SearchLevel level, Mode mode = Mode::tune) {
    KernelTunerOptions options = kept_in(directory.path());
    options.tuning.search = level;
    options.tuning.mode = mode;
    Counted counted(options);
    return counted.tuner.tune({.problem_size = {7}}, 1).from_cache;
  };
  CHECK_FALSE(is_cached(SearchLevel::off));
  CHECK(is_cached(SearchLevel::off));
  CHECK(is_cached(SearchLevel::thorough, Mode::use));
  CHECK_FALSE(is_cached(SearchLevel::normal));
  CHECK(is_cached(SearchLevel::normal));
  CHECK(is_cached(SearchLevel::quick));
}

TEST_CASE("KernelTuner: tuners may share a cache") {
  KernelTunerOptions options = quick();
  options.cache = std::make_shared<ConfigCache>();
  const TuneRequest request{.problem_size = {3}};
  static_cast<void>(Counted(options).tuner.tune(request, 1));
  CHECK(options.cache->get_all_keys() == std::vector<TuneRequest>{{{3}, "host", "kernel_tuner counted"}});
  CHECK(Counted(options).tuner.tune(request, 1).from_cache);
}

TEST_CASE(
    "KernelTuner: a pinned config of its region comes before what is cached or tuned, for its keys alone") {
  const TemporaryDirectory directory;
  const auto pin = [&](const std::string& kernel, const std::string& key) {
    REQUIRE(KeptChoices(directory.path())
                .pin({.region = kernel, .kernel = kernel, .key = key, .config = dummy_space()[1]})
                .problems.empty());
  };
  Counted counted(kept_in(directory.path()), {}, "kernel_tuner pinned");
  REQUIRE(counted.tuner.cache().set({{3}, "host", "kernel_tuner pinned"}, {dummy_space()[2]}).empty());
  pin("kernel_tuner pinned", "");
  const TuningResult of_all = counted.tuner.tune({.problem_size = {4}}, 1);
  CHECK(of_all.best_config_id == 1);
  CHECK_FALSE(of_all.from_cache);
  CHECK(counted.launches == 1);
  CHECK(counted.tuner.cache().get_all_keys().size() == 1);  // not what is pinned

  KernelTunerOptions options = kept_in(directory.path());
  options.tuning.mode = Mode::off;
  Counted off(options, {}, "kernel_tuner pinned key");
  pin("kernel_tuner pinned key", "(2)");
  CHECK(off.tuner.tune({.problem_size = {1}}, 1).best_config_id == 0);
  const TuningResult of_key = off.tuner.tune({.problem_size = {2}}, 1);
  CHECK(of_key.best_config_id == 1);
  CHECK_THAT(of_key.reason, ContainsSubstring("pinned by " + directory.path().string()));
  CHECK(counted.tuner.tune({.problem_size = {3}}, 1).best_config_id == 1);
}

TEST_CASE("KernelTuner: mode off launches the default, mode use what is cached or the default") {
  const TuneRequest request{.problem_size = {3}};
  KernelTunerOptions options = quick();
  options.cache = std::make_shared<ConfigCache>();
  options.tuning.mode = Mode::use;
  {
    Counted use(options, {}, "kernel_tuner modes");
    const TuningResult result = use.tuner.tune(request, 1);
    CHECK(result.best_config_id == 0);
    CHECK(result.all_results.empty());
    CHECK(use.launches == 1);
    REQUIRE(options.cache->set({{3}, "host", "kernel_tuner modes"}, {dummy_space()[2]}).empty());
    CHECK(use.tuner.tune(request, 1).best_config_id == 2);
    CHECK(use.launches == 1);
  }
  options.tuning.mode = Mode::off;
  Counted off(options, {}, "kernel_tuner modes");
  CHECK(off.tuner.tune(request, 1).best_config_id == 0);
  CHECK(off.launches == 1);
}

TEST_CASE("child process: KernelTuner in mode use after another process", "[.child]") {
  ONLY_IF(is_child());
  std::size_t last = 9;
  KernelTunerOptions options = by_size(std::getenv("KERNEL_TUNER_DIRECTORY"));
  options.cache = std::make_shared<ConfigCache>();
  options.tuning.mode = Mode::use;
  KernelTuner tuner{"kernel_tuner kept sizes", blocks(4),
                    [&](const Block& config, int) { last = config.block; }, options};
  for (const std::int64_t size : {1, 2, 3, 1}) {
    const TuningResult result = tuner.tune({.problem_size = {size}}, 1);
    CHECK(result.best_config_id == last);
    CHECK(result.best_config_id == static_cast<std::size_t>(size == 3 ? 0 : size));
    CHECK(result.best_config == tuner.space().to_config(last));
    CHECK(result.all_results.empty());
    CHECK_FALSE(result.from_cache);
    CHECK_THAT(result.reason, ContainsSubstring(size == 3 ? "the default" : "kept since"));
  }
  options.tuning.mode = Mode::tune;
  KernelTuner tunes{"kernel_tuner kept other", blocks(4), [](const Block&, int) {}, options};
  CHECK(tunes.tune({.problem_size = {1}}, 1).best_config_id == 1);
  CHECK(options.cache->get_all_keys().size() == 1);
}

TEST_CASE("child process: KernelTuner that keeps what it tunes", "[.child]") {
  ONLY_IF(is_child());
  tune_kept_sizes(std::getenv("KERNEL_TUNER_DIRECTORY"));
}

TEST_CASE("KernelTuner: in mode use, the result is what the request has launched") {
  const TemporaryDirectory directory;
  for (const char* const child :
       {"KernelTuner that keeps what it tunes", "KernelTuner in mode use after another process"}) {
    CHECK(run_child(child, {{"KERNEL_TUNER_DIRECTORY", directory.path().string()}}) == 0);
  }
  tune_kept_sizes("");
  std::size_t last = 9;
  KernelTunerOptions options = by_size("");
  options.tuning.mode = Mode::use;
  KernelTuner again{"kernel_tuner kept sizes", blocks(4),
                    [&](const Block& config, int) { last = config.block; }, options};
  const TuningResult result = again.tune({.problem_size = {2}}, 1);  // this process has locked it in
  CHECK(last == 2);
  CHECK(result.best_config_id == 2);
  CHECK(result.reason == "locked in before: nothing was tuned");
}

TEST_CASE("child process: KernelTuner whose always_tune the environment overrides", "[.child]") {
  ONLY_IF(is_child());
  int launches = 0;
  KernelTuner tuner{"kernel_tuner overridden", blocks(4), [&](const Block&, int) { ++launches; },
                    by_size("")};
  for (const std::int64_t size : {1, 2}) {
    CHECK(tuner.tune({.problem_size = {size}}, 1).best_config_id == static_cast<std::size_t>(size));
  }
  CHECK(tuner.tune({.problem_size = {1}}, 1).from_cache);
  CHECK(tuner.cache().clear().empty());
  launches = 0;
  const TuningResult again = tuner.tune({.problem_size = {1}}, 1);
  CHECK(launches == all_launches);
  CHECK(again.best_config_id == 1);
  CHECK(again.all_results.size() == 4);
  CHECK(tuner.cache().get({{1}, "host", "kernel_tuner overridden"})->config == again.best_config);
}

TEST_CASE("KernelTuner: CONTEXTUAL_ALWAYS_TUNE=0 does not make it reuse what the process has locked in") {
  CHECK(run_child("KernelTuner whose always_tune the environment overrides",
                  {{"CONTEXTUAL_ALWAYS_TUNE", "0"}}) == 0);
}

TEST_CASE("KernelTuner: a request that was cut off is not taken for the next one") {
  const TemporaryDirectory directory;
  int launches = 0;
  int last = 23;
  KernelTuner tuner{"kernel_tuner cut sizes", blocks(4),
                    [&](const Block&, int) { throw_if<Error>(++launches == last, "cut off"); },
                    by_size(directory.path())};
  CHECK_THROWS_WITH(tuner.tune({.problem_size = {1}}, 1), "cut off");
  last = 0;
  const TuningResult other = tuner.tune({.problem_size = {2}}, 1);
  CHECK(other.best_config_id == 2);
  CHECK(tuner.cache().get({{2}, "host", "kernel_tuner cut sizes"})->config == other.best_config);
}

TEST_CASE("KernelTuner: a cached config that `keep` leaves out for these arguments is not used") {
  int limit = 200;
  KernelTuner tuner{
      "kernel_tuner keep",
      dummy_space(),
      [](const Config&, int) {},
      quick(),
      {.keep = [](const Config& config, const int& most) { return config.get<int>("BLOCK") <= most; }}};
  const TuneRequest request{.problem_size = {3}};
  CHECK(tuner.tune(request, limit).best_config_id == 3);
  limit = 64;
  const TuningResult less = tuner.tune(request, limit);
  CHECK_FALSE(less.from_cache);
  CHECK(less.best_config_id == 1);
  CHECK(tuner.tune(request, limit).from_cache);
  limit = 1;  // leaves out all: the default remains
  CHECK(tuner.tune(request, limit).best_config_id == 0);
  CHECK(tuner.tune(request, limit).from_cache);

  TunableKernel existing{"kernel_tuner keep existing",
                         blocks(3),
                         [](const int&) { return make_key(1); },
                         [](const Block&, int) {},
                         {.keep = [](const Block& b, const int& most) { return b.block <= most; }}};
  KernelTuner of_existing{existing, quick()};
  CHECK(of_existing.tune(request, 2).best_config_id == 2);
  const TuningResult smaller = of_existing.tune(request, 1);
  CHECK_FALSE(smaller.from_cache);
  CHECK(smaller.best_config_id == 1);
}

TEST_CASE("KernelTuner: requests of more than twelve numbers are told apart and cached") {
  const TemporaryDirectory directory;
  TuneRequest one;
  for (std::int64_t i = 0; i < 40; ++i) {
    one.problem_size.push_back(i);
  }
  TuneRequest other = one;
  other.problem_size.back() = 7;
  std::int64_t fastest = 1;
  KernelTunerOptions options = kept_in(directory.path());
  options.tuning.timer = times([&](const LaunchInfo& launch) {
    return static_cast<std::int64_t>(launch.config_id) == fastest ? 1'000 : 5'000;
  });
  {
    Counted counted(options, {}, "kernel_tuner long");
    CHECK(counted.tuner.tune(one, 1).best_config_id == 1);
    fastest = 2;
    const TuningResult second = counted.tuner.tune(other, 1);
    CHECK(second.best_config_id == 2);
    CHECK(second.all_results.size() == 4);
    CHECK(second.problem_size == other.problem_size);
  }
  Counted again(options, {}, "kernel_tuner long");
  CHECK(again.tuner.tune(one, 1).best_config_id == 1);
  CHECK(again.tuner.tune(other, 1).best_config_id == 2);
  CHECK(again.launches == 0);
}

TEST_CASE("KernelTuner: arguments by value reach all launches as the same object, also what only moves") {
  struct CopyCounter {
    explicit CopyCounter(int& count) : copies(&count) {}
    CopyCounter(const CopyCounter& other) : copies(other.copies) { ++*copies; }
    CopyCounter& operator=(const CopyCounter&) = delete;
    int* copies;
  };
  int copies = 0;
  int sum = 0;
  KernelTuner<int(const Config&, std::unique_ptr<int>&, CopyCounter)> counting{
      "kernel_tuner copies", dummy_space(),
      [&](const Config&, std::unique_ptr<int>& value, const CopyCounter&) { return sum += *value; }, quick()};
  auto one = std::make_unique<int>(1);
  const CopyCounter counter(copies);
  static_cast<void>(counting.tune({.problem_size = {1}}, one, counter));
  CHECK(sum == all_launches);
  CHECK(copies == 1);  // into `tune`

  int last = 0;
  KernelTuner<int(const Config&, std::unique_ptr<int>)> moving{
      "kernel_tuner moves",
      dummy_space(),
      [&](const Config&, const std::unique_ptr<int>& value) { return last = *value; },
      quick(),
      {.keep = [](const Config&, const std::unique_ptr<int>& value) { return *value == 5; },
       .check = [](const Config&, const std::unique_ptr<int>& value) { return *value == 5; }}};
  CHECK(moving.tune({.problem_size = {1}}, std::make_unique<int>(5)).best_config_id == 3);
  CHECK(last == 5);
}

TEST_CASE("KernelTuner: more configs than the built-in limit of iterations allows are all measured") {
  std::vector<int> blocks(60);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = static_cast<int>(i);
  }
  KernelTunerOptions options = quick();
  options.warmup_runs = 100;
  options.benchmark_runs = 100;
  KernelTuner tuner{"kernel_tuner many", ConfigSpace<Config>{{"BLOCK", blocks}}, [](const Config&) {},
                    options};
  const TuningResult result = tuner.tune({.problem_size = {1}});
  CHECK(result.best_config_id == 59);
  CHECK(std::all_of(result.all_results.begin(), result.all_results.end(),
                    [](const ConfigReport& config) { return config.time.count == 100; }));
  CHECK(result.warnings.empty());
}

TEST_CASE("KernelTuner: `best` refuses a result of another config space") {
  KernelTuner a{"kernel_tuner best a", dummy_space(), [](const Config&) {}, quick()};
  KernelTuner b{"kernel_tuner best b", ConfigSpace<Config>{{"BLOCK", {32, 128}}, {"WARPS", {2, 4}}},
                [](const Config&) {}, quick()};
  const TuningResult of_a = a.tune({.problem_size = {1}});
  CHECK(a.best(of_a) == of_a.best_config);
  CHECK_THAT(error_text<InvalidArgument>([&] { static_cast<void>(b.best(of_a)); }),
             ContainsAll("{BLOCK: 128, WARPS: 4}", "{BLOCK: 128, WARPS: 8}"));
  TuningResult beyond = of_a;
  beyond.best_config_id = 4;
  CHECK_THAT(error_text<InvalidArgument>([&] { static_cast<void>(a.best(beyond)); }),
             ContainsSubstring("no config 4"));
}

TEST_CASE("KernelTuner: misuse is told") {
  Counted counted(quick());
  ContextualAutotuner outer(test::quick());
  CHECK_THAT(error_text<InvalidArgument>([&] {
               outer.run("kernel_tuner inside",
                         [&] { static_cast<void>(counted.tuner.tune({.problem_size = {1}}, 1)); });
             }),
             ContainsSubstring("inside a region"));
  KernelTunerOptions hooked = quick();
  std::string said;
  KernelTuner<void(const Config&)>* self = nullptr;
  hooked.tuning.before_iteration = [&](const IterationInfo& /*iteration*/) {
    said = error_text<Error>([&] { static_cast<void>(self->tune({.problem_size = {2}})); });
  };
  KernelTuner tuner{"kernel_tuner hooked", dummy_space(), [](const Config&) {}, hooked};
  self = &tuner;
  static_cast<void>(tuner.tune({.problem_size = {1}}));
  CHECK_THAT(said, ContainsSubstring("hook"));
}

TEST_CASE("KernelTuner: threads that tune with one tuner take turns") {
  std::atomic<int> inside{0};
  std::atomic<bool> together{false};
  KernelTuner tuner{"kernel_tuner threads", dummy_space(),
                    [&](const Config&) {
                      together = together || ++inside > 1;
                      --inside;
                    },
                    quick()};
  std::vector<std::size_t> chosen(4);
  on_threads(4, [&](int i) {
    chosen[static_cast<std::size_t>(i)] = tuner.tune({.problem_size = {i / 2}}).best_config_id;
  });
  CHECK(chosen == std::vector<std::size_t>(4, 3));
  CHECK_FALSE(together);
  CHECK(tuner.cache().get_all_keys().size() == 2);
}

}  // namespace contextual::test::kernel_tuner_test
