/// \file
/// What the engine makes of a device: loading before the first iteration, errors that stay, times that do not
/// count. No device is needed: timer and statuses are scripted.

#include "unit/tuning/changed_options.hpp"

struct CUstream_st;

using namespace contextual;
using namespace contextual::test;

namespace {

enum class Status { ok, failed, lost };

int pending_errors = 0;

}  // namespace

template <>
struct contextual::launch_status<Status> {
  static std::optional<std::string> failure(const Status& status) {
    return status == Status::ok ? std::nullopt : std::optional<std::string>("failed to launch");
  }
  static std::optional<std::string> begin() {
    if (pending_errors == 0) {
      return std::nullopt;
    }
    --pending_errors;
    return "left behind by another call";
  }
  static std::optional<std::string> device_failure(const Status& status) {
    return status == Status::lost ? std::optional<std::string>("illegal address") : std::nullopt;
  }
};

namespace {

/// Times as `last_is_fastest`; what it says of the device is scripted.
class DeviceTimer final : public contextual::testing::ForwardingTimer {
 public:
  struct Script {
    std::string name = "device timer";
    std::function<BatchConditions(int settle)> conditions{};
    std::function<void(int settle)> settle{};
    std::string hazard{};
    std::string substitute{};  ///< empty: it gives way to none
  };
  explicit DeviceTimer(Script script) : ForwardingTimer(last_is_fastest()()), script_(std::move(script)) {}

  std::string_view name() const noexcept override { return script_.name; }
  std::string_view substitute_name() const noexcept override { return script_.substitute; }
  std::unique_ptr<Timer> make_substitute() override {
    return std::make_unique<DeviceTimer>(Script{.name = script_.substitute});
  }
  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    ForwardingTimer::settle(launches, iterations, std::move(deadline));
    ++settles_;
    if (script_.settle) {
      script_.settle(settles_);
    }
  }
  std::optional<std::int64_t> bias_ns() const noexcept override { return 1450; }
  BatchConditions conditions() override {
    return script_.conditions ? script_.conditions(settles_) : BatchConditions{};
  }
  std::string loading_hazard() const override { return script_.hazard; }

 private:
  Script script_;
  int settles_ = 0;
};

TimerFactory device_timer(DeviceTimer::Script script) {
  return [script = std::move(script)] { return std::make_unique<DeviceTimer>(script); };
}

}  // namespace

TEST_CASE("load: every living kernel's default is loaded before the region runs, whoever launches it") {
  std::vector<std::string> events;
  const auto make = [&](const char* name) {
    return TunableKernel{name,
                         blocks(3),
                         single_problem,
                         [&events, name](const Block&) { events.push_back(std::string("launch ") + name); },
                         {.load = [&events, name](const Block& c) {
                           events.push_back(std::string("load ") + name + std::to_string(c.block));
                         }}};
  };
  auto used = make("load_used");
  auto idle = make("load_idle");
  tuned("load", [&] { used(); });
  REQUIRE(events.size() > 3);
  CHECK(std::set<std::string>(events.begin(), events.begin() + 2) ==
        std::set<std::string>{"load load_used0", "load load_idle0"});
  CHECK(std::count_if(events.begin() + 2, events.end(),
                      [](const std::string& event) { return event.ends_with("idle0"); }) == 0);
}

TEST_CASE("load: where the default cannot be loaded the first run launches the first config that can") {
  const auto refuse = refuse_block(0, "does not compile");
  OneKernel one("load_default_fails", 3, {.load = refuse});
  one.run();
  CHECK(one.used.front() == 1);
  CHECK(std::count(one.used.begin(), one.used.end(), 0) == 0);
  CHECK(one.problem().choice == 2);
  CHECK(one.problem().configs[0].rejection == "does not compile");
  // Not one that is left out for the launch's sizes.
  OneKernel left_out("load_left_out", 3,
                     {.load = refuse, .keep = [](const Block& c) { return c.block != 1; }});
  left_out.in_launch = refuse;
  CHECK_THROWS_AS(left_out.run(), Error);
  CHECK(std::count(left_out.used.begin(), left_out.used.end(), 1) == 0);
}

TEST_CASE(
    "load: called for the default before the region runs, and for each config before its first launch") {
  std::vector<std::string> events;
  const auto note = [&events](const char* what) {
    return [&events, what](const Block& c) { events.push_back(what + std::to_string(c.block)); };
  };
  OneKernel one("loads", 3, {.load = note("load ")});
  one.in_launch = note("launch ");
  one.run();
  REQUIRE(events.size() > 8);
  CHECK(std::vector<std::string>(events.begin(), events.begin() + 2) ==
        std::vector<std::string>{"load 0", "launch 0"});
  for (const char* block : {"1", "2"}) {
    const auto loaded = std::find(events.begin(), events.end(), std::string("load ") + block);
    REQUIRE(loaded != events.end());
    CHECK(std::find(events.begin(), events.end(), std::string("launch ") + block) > loaded);
  }
}

TEST_CASE("load: an object that takes both is called without a key first, and then with it") {
  struct Both {
    std::vector<std::string>* calls;
    void operator()(const Block&) const { calls->push_back("alone"); }
    void operator()(const Block&, const Key& key) const { calls->push_back(key.to_string()); }
  };
  std::vector<std::string> calls;
  TunableKernel kernel{"load_both",
                       blocks(2),
                       [](const int& n) { return make_key(n); },
                       [](const Block&, const int&) {},
                       {.load = Both{&calls}}};
  tuned("load_both", [&] { kernel(4); });
  CHECK(calls == std::vector<std::string>{"alone", "(4)", "(4)"});
}

TEST_CASE("load: where no config can be loaded every reason is told, and nothing is launched") {
  const auto load = [](const Block& c) { throw ConfigRejected("no code for " + std::to_string(c.block)); };
  OneKernel one("load_all_fail", 3, {.load = load});
  one.in_launch = load;
  const auto error = caught<TuningFailedError>([&] { one.run(); });
  REQUIRE(error.rejections().size() == 3);
  for (const Rejection& rejection : error.rejections()) {
    CHECK(rejection.reason == "no code for " + std::to_string(rejection.config_id));
  }
  CHECK(one.used.empty());
}

TEST_CASE("load: gets the key of the problem that the config is due for, if it takes one") {
  std::vector<std::pair<int, std::string>> prepared;
  TunableKernel kernel{"load_key",
                       blocks(2),
                       [](const int& n) { return make_key(n); },
                       [](const Block&, const int&) {},
                       {.load = [&](const Block& c, const Key& key) {
                         prepared.emplace_back(c.block, key.to_string());
                         throw_if<ConfigRejected>(c.block == 1 && key == make_key(8),
                                                  "too large for this key");
                       }}};
  const RegionReport report = tuned("load_key", [&] { kernel(4), kernel(8); });
  CHECK(std::set(prepared.begin(), prepared.end()) ==
        std::set<std::pair<int, std::string>>{{0, "(4)"}, {1, "(4)"}, {0, "(8)"}, {1, "(8)"}});
  CHECK(of_kernel(report, "load_key", "(4)").choice == 1);
  CHECK(of_kernel(report, "load_key", "(8)").choice == 0);
}

TEST_CASE("device error: a launch that finds the device lost ends the run and rejects nothing") {
  int launches = 0;
  TunableKernel kernel{"lost_in_launch", blocks(3), single_problem, [&](const Block& c) {
                         ++launches;
                         return c.block == 1 ? Status::lost : Status::ok;
                       }};
  ContextualAutotuner tuner{quick()};
  const bool region_catches = GENERATE(false, true);
  const auto error = caught<DeviceError>([&] {
    tuner.run("lost_in_launch", [&] {
      try {
        kernel();
      } catch (const Error&) {
        if (!region_catches) {
          throw;
        }
      }
    });
  });
  CHECK_THAT(error.what(), ContainsAll("illegal address", "tuning iteration 2", "config-1 {BLOCK: 1}"));
  CHECK(only(error.suspects()).kernel == "lost_in_launch");
  CHECK(error.suspects()[0].config_id == 1);
  CHECK(error.suspects()[0].tuning_iteration == 2);
  CHECK(launches == 3);  // nothing was launched in its place
  CHECK_FALSE(problem_of(tuner, "lost_in_launch", "lost_in_launch").configs[1].rejection);
}

TEST_CASE("device error: one that the settle finds names the configs that were new in the batch") {
  TunableKernel settled{"settled_before", blocks(1), single_problem, [](const Block&) {}};
  TunableKernel fresh{"fresh_in_batch", blocks(3), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick(device_timer({.settle = [](int settle) {
    throw_if<DeviceError>(settle == 3,
                          "CUDA_ERROR_ILLEGAL_ADDRESS");  // iteration 0; the rest of config 0; config 1
  }}))};
  const auto error = caught<DeviceError>([&] { tuner.run("lost_in_settle", [&] { settled(), fresh(); }); });
  CHECK_THAT(error.what(), ContainsSubstring("CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(only(error.suspects()).kernel == "fresh_in_batch");
  CHECK(error.suspects()[0].config_id == 1);
}

TEST_CASE("device error: what was wrong before a launch is taken away, said, and rejects nothing") {
  TunableKernel kernel{"wrong_before", blocks(2), single_problem, [](const Block&) { return Status::ok; }};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  tuner.run("wrong_before", [&] {
    pending_errors = ++runs == 2 ? 1 : 0;
    kernel();
  });
  CHECK(pending_errors == 0);
  const Report report = tuner.report();
  CHECK_THAT(only(report.find("wrong_before")->warnings), ContainsSubstring("left behind by another call"));
  CHECK_FALSE(problem_of(tuner, "wrong_before", "wrong_before").configs[0].rejection);
}

TEST_CASE("conditions: times of a disturbed batch do not count, are taken again, and that is said") {
  const TemporaryDirectory logs;
  const Options options =
      quick(device_timer({.conditions =
                              [](int settle) {
                                BatchConditions conditions;
                                conditions.devices.push_back(
                                    {.device = 0, .sm_clock_mhz = settle == 2 ? 900 : 1980});
                                conditions.disturbance = settle == 2 ? "thermal slowdown" : "";
                                return conditions;
                              }}),
            {.log_directory = logs.path()});
  OneKernel one("disturbed", 2, {}, options);
  CHECK(one.run() == 1);
  CHECK(one.runs == 2 * 2 + 1 + 1);  // the table, the repeat again, the final run
  const RegionReport run = one.report();
  CHECK(run.retakes == 1);
  CHECK_THAT(only(run.warnings), ContainsSubstring("thermal slowdown"));
  CHECK(run.timer == "device timer");
  CHECK(run.timer_bias_ns == 1450);
  const std::string log = text_of_file(logs.path() / "rank-0.jsonl");
  CHECK(count_of(log, "\"event\":\"device\"") > 2);
  CHECK(count_of(log, "\"sm_clock_mhz\":900") == 1);
  CHECK(count_of(log, "\"timer_bias_ns\":1450") == 1);
}

TEST_CASE(
    "loading: a kernel on a stream that is not loaded before is warned about where code is loaded lazily") {
  using OnStream = TunableKernel<void(const Block&, CUstream_st*)>;
  const auto make = [](const char* name, OnStream::Options options = {}) {
    return OnStream(
        name, blocks(1), [](CUstream_st* const&) { return Key{}; }, [](const Block&, CUstream_st*) {},
        std::move(options));
  };
  OnStream bare = make("loads_lazily");
  OnStream loaded = make("loads_before", {.load = [](const Block&) {}});
  OnStream by_key = make("loads_by_key", {.load = [](const Block&, const Key&) {}});
  TunableKernel host{"needs_no_loading", blocks(1), single_problem, [](const Block&) {}};
  const RegionReport report =
      tuned(quick(device_timer({.hazard = "CUDA loads code lazily"})), "loading", [&] {
        bare(nullptr);
        loaded(nullptr);
        by_key(nullptr);
        host();
      });
  const std::vector<std::string> warnings = report.warnings;
  REQUIRE(warnings.size() == 2);
  CHECK_THAT(warnings[0], ContainsAll("\"loads_lazily\"", "CUDA loads code lazily"));
  CHECK_THAT(warnings[1], ContainsSubstring("\"loads_by_key\" has no `load` that takes the config alone"));
}

TEST_CASE("timers: ranks that would measure by different ones throw") {
  using namespace contextual::test;
  const RankRuns outcome = tune_kernels(
      3, [](int) { return rank_kernel("other-timers", 2); },
      [&](int rank, Options& options) {
        options.timer = device_timer({.name = rank == 1 ? "CUDA events" : "CUPTI"});
      });
  check_all_threw<RankMismatchError>(outcome.thrown,
                                     {"rank 0 by CUPTI, rank 1 by CUDA events, rank 2 by CUPTI"});
}

TEST_CASE("timers: ranks give way to the one that each of them has or can have") {
  using namespace contextual::test;
  const RankRuns outcome = tune_kernels(
      3, [](int) { return rank_kernel("gives-way", 2); },
      [&](int rank, Options& options) {
        options.timer = rank == 1 ? device_timer({.name = "CUDA events"})
                                  : device_timer({.name = "CUPTI", .substitute = "CUDA events"});
      });
  CHECK(outcome.well());
  for (const RegionReport& report : outcome.reports) {
    CHECK(report.timer == "CUDA events");
  }
}

TEST_CASE("device: what is launched without a stream works on one if its status is a device's") {
  TunableKernel device{"default_stream", blocks(2), single_problem, [](const Block&) { return Status::ok; }};
  TunableKernel host{"no_stream", blocks(2), single_problem, [](const Block&) {}};
  const TemporaryDirectory directory;
  ContextualAutotuner tuner{quick({.cache_directory = directory.path()})};
  tuner.run("on a device", [&] { device(); });
  tuner.run("on both", [&] { device(), host(); });
  const auto depends_on_processor = [&](const std::string& region) {
    const auto kept = KeptChoices(directory.path()).list(region).sets;
    return only(kept).machines.at(0).contains("processor");
  };
  CHECK_FALSE(depends_on_processor("on a device"));
  CHECK(depends_on_processor("on both"));
}
