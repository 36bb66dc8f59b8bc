/// \file
/// do_bench with a timer and a cache that are scripted.

#include "support/catch.hpp"
#include "support/engine.hpp"

#include <contextual/detail/measure/bench_devices.hpp>
#include <contextual/do_bench.hpp>

#include <limits>
#include <span>

namespace contextual::do_bench_test {

using namespace std::chrono_literals;

namespace {

/// What happens in a measurement, in order, and what the timer is to say.
struct Script {
  std::vector<std::string> events;
  int runs = 0;  ///< of the function
  /// The makespan of a tuning iteration whose launch was the n-th, from 0; 0 for none.
  std::function<std::int64_t(int run)> makespan_ns = [](int run) { return 1000 + run; };
  bool sees_all = false;  ///< the timer knows all work of devices
  /// Those on which a run works, if the timer knows that.
  std::function<std::vector<int>(int run)> busy_devices = [](int) { return std::vector<int>{0}; };
  std::string disturbance_once;
  std::vector<std::string> warnings;
  bool settle_fails = false;
  std::chrono::milliseconds settle_time{0};
  std::vector<std::chrono::nanoseconds> head_starts;  ///< by batch but the first
  std::vector<std::size_t> settled;                   ///< launches, by settle
  void* stream_of_launches = nullptr;
  bool on_stream = false;
  bool abandoned = false;
  void* stream_cleared = nullptr;
  std::vector<int> devices_cleared;
  bool captured = false;
  bool gathers = true;
};

class ScriptedDeviceTimer final : public Timer {
 public:
  explicit ScriptedDeviceTimer(Script& script) : script_(script) {}
  std::string_view name() const noexcept override { return "scripted"; }
  std::chrono::nanoseconds wanted_head_start() const noexcept override { return 1us; }
  void begin_batch(const BatchStart& start) override { script_.head_starts.push_back(start.head_start); }
  void begin_iteration(std::int64_t, IterationNote&) override { script_.events.emplace_back("begin"); }
  void end_iteration(std::int64_t, IterationNote&) override { script_.events.emplace_back("end"); }
  void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    script_.stream_of_launches = launch.stream;
    script_.on_stream = launch.on_stream;
    note.begin = script_.runs;
  }
  void end_launch(const LaunchInfo&, LaunchNote&) noexcept override {}
  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations, Deadline) override {
    script_.events.emplace_back("settle");
    script_.settled.push_back(launches.size());
    std::this_thread::sleep_for(script_.settle_time);
    if (script_.settle_fails) {
      throw Error("the deadline expired");
    }
    for (IterationTiming& iteration : iterations) {
      iteration.makespan_ns = 77;  // of a clearing
      if (script_.sees_all) {
        iteration.other_spans.emplace();
      }
      for (LaunchTiming& launch : launches) {
        if (launch.tuning_iteration == iteration.tuning_iteration) {
          fill(launch, iteration);
        }
      }
    }
  }
  std::optional<std::int64_t> bias_ns() const noexcept override { return 30; }
  BatchConditions conditions() override {
    BatchConditions conditions;
    conditions.disturbance = std::exchange(script_.disturbance_once, {});
    conditions.warnings = script_.warnings;
    return conditions;
  }

 private:
  void fill(LaunchTiming& launch, IterationTiming& iteration) const {
    const int run = static_cast<int>(launch.note.begin);
    iteration.makespan_ns = script_.makespan_ns(run);
    for (const int device : script_.sees_all ? script_.busy_devices(run) : std::vector<int>{}) {
      launch.spans.push_back({1, 1 + iteration.makespan_ns, device});
    }
  }

  Script& script_;
};

class ScriptedClearing final : public detail::CacheClearing {
 public:
  explicit ScriptedClearing(Script& script) : script_(script) {}
  void clear() override { script_.events.emplace_back("clear"); }
  void abandon() noexcept override { script_.abandoned = true; }

 private:
  Script& script_;
};

class ScriptedGathering final : public detail::WorkGathering {
 public:
  explicit ScriptedGathering(Script& script) : script_(script) {}
  void gather() override { script_.events.emplace_back("gather"); }

 private:
  Script& script_;
};

/// As long as it lives, there are devices.
class DevicesOffered {
 public:
  explicit DevicesOffered(Script& script) {
    current = &script;
    static constexpr detail::BenchDevices scripted{
        [](void*) noexcept { return current->captured; },
        [](void* stream) -> std::unique_ptr<detail::CacheClearing> {
          current->stream_cleared = stream;
          return std::make_unique<ScriptedClearing>(*current);
        },
        [](std::span<const int> devices) -> std::unique_ptr<detail::CacheClearing> {
          current->devices_cleared.assign(devices.begin(), devices.end());
          return std::make_unique<ScriptedClearing>(*current);
        },
        []() -> std::unique_ptr<detail::WorkGathering> {
          return current->gathers ? std::make_unique<ScriptedGathering>(*current) : nullptr;
        }};
    detail::set_bench_devices(&scripted);
  }
  DevicesOffered(const DevicesOffered&) = delete;
  DevicesOffered& operator=(const DevicesOffered&) = delete;
  ~DevicesOffered() { detail::set_bench_devices(before_); }

 private:
  static inline Script* current = nullptr;
  const detail::BenchDevices* before_ = detail::bench_devices();
};

BenchOptions options_with(Script& script, int warmup, int repeat) {
  return {.warmup = warmup, .repeat = repeat, .timer = [&script] {
            return std::make_unique<ScriptedDeviceTimer>(script);
          }};
}

/// Any address will do.
BenchOptions options_on_stream(Script& script, int warmup, int repeat) {
  BenchOptions options = options_with(script, warmup, repeat);
  options.stream = &script;
  return options;
}

std::size_t count_of(const Script& script, const std::string& event) {
  return static_cast<std::size_t>(std::count(script.events.begin(), script.events.end(), event));
}

std::function<void()> runs_of(Script& script) {
  return [&script] {
    script.events.emplace_back("run");
    ++script.runs;
  };
}

}  // namespace

TEST_CASE("do_bench: a host function by the default timer has host times, as many as asked for") {
  int runs = 0;
  const BenchResult result = do_bench([&] { ++runs; }, {.warmup = 3, .repeat = 250, .quantiles = {0.2, 0.8}});
  CHECK(result.samples.size() == 250);
  CHECK(runs >= 253);
  CHECK(result.timer == "host clock");
  CHECK_FALSE(result.l2_cleared);
  CHECK_FALSE(result.timer_bias);
  CHECK(result.min > BenchTime(0));
  CHECK(result.min <= result.quantiles.at(0));
  CHECK(result.quantiles.at(0) <= result.median);
  CHECK(result.median <= result.quantiles.at(1));
  CHECK(result.quantiles.at(1) <= result.max);
}

TEST_CASE("do_bench: durations are as many runs as fit, and at least one") {
  int runs = 0;
  const BenchResult result = do_bench([&] { ++runs; }, {.warmup = 1ns, .repeat = 2ms});
  CHECK(result.samples.size() >= 1);
  CHECK(result.samples.size() <= 10'000);
  CHECK(static_cast<std::size_t>(runs) > result.samples.size());
}

TEST_CASE("do_bench: samples are the makespans of runs that follow the warm-ups, in order") {
  Script script;
  const BenchResult result = do_bench(runs_of(script), options_with(script, 4, 5));
  REQUIRE(result.samples.size() == 5);
  // One run leads in after the wait, unless the host was so slow that this does not matter.
  const double first = result.samples.front().count();
  CHECK((first == 1004 || first == 1005));
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(result.samples[i] == BenchTime(first + static_cast<double>(i)));
  }
  CHECK(result.median == BenchTime(first + 2));
  CHECK(result.timer == "scripted");
  CHECK(result.timer_bias == BenchTime(30));
  CHECK(script.on_stream);
  CHECK(script.stream_of_launches == nullptr);
}

TEST_CASE("do_bench: runs of a batch are waited for together") {
  Script script;
  do_bench(runs_of(script), options_with(script, 1, 300));
  CHECK(script.settled.front() == 1);
  CHECK(script.settled.size() < 301);
  CHECK(*std::max_element(script.settled.begin(), script.settled.end()) > 1);
  CHECK(*std::max_element(script.settled.begin(), script.settled.end()) <= 101);
}

TEST_CASE("do_bench: a run without a time is taken again") {
  Script script;
  script.makespan_ns = [](int run) { return run % 3 == 0 ? 0 : 500 + run; };
  const BenchResult result = do_bench(runs_of(script), options_with(script, 1, 20));
  REQUIRE(result.samples.size() == 20);
  for (const BenchTime sample : result.samples) {
    CHECK(static_cast<int>(sample.count() - 500) % 3 != 0);
  }
  CHECK(script.runs >= 28);
}

TEST_CASE("do_bench: runs that never get a time end it with an error") {
  Script script;
  script.makespan_ns = [](int) { return 0; };
  CHECK_THROWS_WITH(do_bench(runs_of(script), options_with(script, 1, 4)),
                    ContainsSubstring("got no time by scripted"));
}

TEST_CASE("do_bench: a batch that was disturbed is no sample, and is told") {
  Script script;
  script.warnings = {"the clock fell"};
  int settles_seen = 0;
  script.makespan_ns = [&](int run) {
    if (run == 3 && settles_seen++ == 0) {
      script.disturbance_once = "someone else used the device";
    }
    return 1000 + run;
  };
  const BenchResult result = do_bench(runs_of(script), options_on_stream(script, 1, 3));
  REQUIRE(result.samples.size() == 3);
  CHECK(result.min > BenchTime(1003));
  CHECK(std::count(result.warnings.begin(), result.warnings.end(), "the clock fell") == 1);
  CHECK(result.warnings.size() == 2);
  CHECK_THAT(result.warnings.back(), ContainsSubstring("someone else used the device"));
}

TEST_CASE("do_bench: what keeps no device busy is timed by the host's clock") {
  Script script;
  script.sees_all = true;
  script.busy_devices = [](int) { return std::vector<int>{}; };
  script.makespan_ns = [](int) { return 0; };
  const DevicesOffered offered(script);
  const BenchResult result = do_bench(runs_of(script), options_with(script, 2, 6));
  CHECK(result.samples.size() == 6);
  CHECK(result.timer == "host clock");
  CHECK_FALSE(result.l2_cleared);
  CHECK(std::count(script.events.begin(), script.events.end(), "clear") == 0);
}

TEST_CASE("do_bench: the cache is cleared before every run but the first two, outside of what is timed") {
  Script script;
  const DevicesOffered offered(script);
  int stream = 0;
  BenchOptions options = options_with(script, 2, 4);
  options.stream = &stream;
  const BenchResult result = do_bench(runs_of(script), options);
  CHECK(result.l2_cleared);
  CHECK(result.warnings.empty());
  CHECK(script.stream_cleared == &stream);
  CHECK(script.stream_of_launches == &stream);
  CHECK_FALSE(script.abandoned);
  CHECK(static_cast<int>(count_of(script, "clear")) == script.runs - 2);
  CHECK(count_of(script, "gather") == 0);
  std::vector<std::string> expected{"begin", "run", "end", "settle", "begin", "run", "end", "settle"};
  CHECK(std::equal(expected.begin(), expected.end(), script.events.begin()));
  expected = {"begin", "clear", "end", "begin", "run", "end"};
  CHECK(std::equal(expected.begin(), expected.end(), script.events.begin() + 8));
  for (const BenchTime sample : result.samples) {
    CHECK(sample >= BenchTime(1000));  // and not the clearing's time
  }
}

TEST_CASE("do_bench: without a stream the caches are cleared on which the function was seen to work") {
  Script script;
  script.sees_all = true;
  script.busy_devices = [](int run) { return run == 0 ? std::vector<int>{0} : std::vector<int>{3, 1, 3}; };
  const DevicesOffered offered(script);
  const BenchResult result = do_bench(runs_of(script), options_with(script, 2, 4));
  CHECK(result.l2_cleared);
  CHECK(result.warnings.empty());
  CHECK(script.devices_cleared == std::vector<int>{3, 1});
  CHECK(*std::max_element(script.head_starts.begin(), script.head_starts.end()) == 1us);
}

TEST_CASE("do_bench: without a stream, a timer of one stream times the call and all work, and says so") {
  Script script;
  const DevicesOffered offered(script);
  script.gathers = GENERATE(true, false);
  const BenchResult result = do_bench(runs_of(script), options_with(script, 1, 6));
  CHECK(result.samples.size() == 6);
  CHECK(result.timer == "scripted");
  CHECK_FALSE(result.l2_cleared);
  CHECK(count_of(script, "clear") == 0);
  CHECK(script.head_starts.back() == 0ns);
  CHECK(static_cast<int>(count_of(script, "gather")) == (script.gathers ? script.runs - 2 : 0));
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings.front(), ContainsSubstring("Name the stream"));
  CHECK((result.warnings.front().find("CUDA 12.5") == std::string::npos) == script.gathers);
}

TEST_CASE("do_bench: work on devices in the first run only is timed by the host's clock") {
  Script script;
  script.sees_all = true;
  script.busy_devices = [](int run) { return run == 0 ? std::vector<int>{0} : std::vector<int>{}; };
  script.makespan_ns = [](int run) { return run == 0 ? 500 : 0; };
  const DevicesOffered offered(script);
  const BenchResult result = do_bench(runs_of(script), options_with(script, 1, 6));
  CHECK(result.timer == "host clock");
  CHECK(result.samples.size() == 6);
  CHECK(count_of(script, "clear") == 0);
}

TEST_CASE("do_bench: a function that works on devices from its second run on is timed there") {
  Script script;
  script.sees_all = true;
  script.busy_devices = [](int run) { return run == 0 ? std::vector<int>{} : std::vector<int>{0}; };
  script.makespan_ns = [](int run) { return run == 0 ? 0 : 500; };
  const DevicesOffered offered(script);
  const BenchResult result = do_bench(runs_of(script), options_with(script, 1, 6));
  CHECK(result.timer == "scripted");
  CHECK(result.samples == std::vector<BenchTime>(6, BenchTime(500)));
  CHECK(result.l2_cleared);
}

TEST_CASE("do_bench: a stream whose function keeps no device busy is an error, not a host's time") {
  Script script;
  script.sees_all = true;
  script.busy_devices = [](int) { return std::vector<int>{}; };
  const DevicesOffered offered(script);
  CHECK_THROWS_WITH(do_bench(runs_of(script), options_on_stream(script, 2, 6)),
                    ContainsSubstring("keeps no device busy"));
}

TEST_CASE("do_bench: a capture is refused before the function runs; a timer of the host does not mind") {
  Script script;
  script.captured = true;
  const DevicesOffered offered(script);
  CHECK_THROWS_AS(do_bench(runs_of(script), options_with(script, 1, 2)), InvalidArgument);
  CHECK(script.events.empty());
  CHECK(do_bench(runs_of(script), {.warmup = 1, .repeat = 2, .timer = host_timer}).samples.size() == 2);
}

TEST_CASE("do_bench: a duration is spent, also where waits take most of the time of a short function") {
  Script script;
  script.settle_time = 5ms;
  BenchOptions options = options_with(script, 1, 1);
  options.repeat = 100ms;
  const auto begin = std::chrono::steady_clock::now();
  const BenchResult result = do_bench(runs_of(script), options);
  CHECK(std::chrono::steady_clock::now() - begin >= 100ms);
  CHECK(result.samples.size() > 1);
}

TEST_CASE("do_bench: a call within a region that is being tuned, or within do_bench, is refused") {
  const auto measure = [] { return do_bench([] {}, {.warmup = 1, .repeat = 2}).samples.size(); };
  ContextualAutotuner tuner(test::quick(host_timer));
  CHECK_THROWS_WITH(tuner.run("bench_in_region", [&] { measure(); }),
                    ContainsSubstring("inside a region that is being tuned"));
  CHECK_THROWS_AS(tuner.run("bench_in_region", [&] { measure(); }), InvalidArgument);
  CHECK_THROWS_WITH(do_bench([&] { measure(); }, {.warmup = 1, .repeat = 2}),
                    ContainsSubstring("by a function that do_bench is timing"));
  CHECK(measure() == 2);  // all is as before
}

TEST_CASE("do_bench: clear_l2 = false clears nothing") {
  Script script;
  const DevicesOffered offered(script);
  BenchOptions options = options_on_stream(script, 2, 4);
  options.clear_l2 = false;
  CHECK_FALSE(do_bench(runs_of(script), options).l2_cleared);
  CHECK(std::count(script.events.begin(), script.events.end(), "clear") == 0);
}

TEST_CASE("do_bench: what the function throws passes through, after the runs before it were waited for") {
  Script script;
  const DevicesOffered offered(script);
  const auto run = runs_of(script);
  CHECK_THROWS_AS(do_bench(
                      [&] {
                        if (script.runs == 4) {
                          throw std::out_of_range("mine");
                        }
                        run();
                      },
                      options_on_stream(script, 1, 8)),
                  std::out_of_range);
  CHECK(script.events.back() == "settle");
  CHECK_FALSE(script.abandoned);
}

TEST_CASE("do_bench: a wait that fails throws, and keeps the memory that is being filled") {
  Script script;
  const DevicesOffered offered(script);
  const auto run = runs_of(script);
  CHECK_THROWS_WITH(do_bench(
                        [&] {
                          run();
                          script.settle_fails = script.runs > 2;
                        },
                        options_on_stream(script, 1, 8)),
                    ContainsSubstring("the deadline expired"));
  CHECK(script.abandoned);
}

TEST_CASE("do_bench: what makes no sense is refused before anything runs") {
  int runs = 0;
  const std::function<void()> function = [&] { ++runs; };
  CHECK_THROWS_AS(do_bench(function, {.warmup = 0}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.warmup = -1ms}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.repeat = -3}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.repeat = 0ns}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.quantiles = {0.5, 1.5}}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.quantiles = {std::numeric_limits<double>::quiet_NaN()}}),
                  InvalidArgument);
  CHECK_THROWS_WITH(do_bench(function, {.quantiles = {50}}),
                    ContainsSubstring("between 0 and 1, where 0.5 is the median, not 50.0"));
  CHECK_THROWS_AS(do_bench(function, {.deadline = 0ms}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(std::function<void()>{}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.timer = [] { return std::unique_ptr<Timer>(); }}), InvalidArgument);
  CHECK(runs == 0);
}

}  // namespace contextual::do_bench_test
