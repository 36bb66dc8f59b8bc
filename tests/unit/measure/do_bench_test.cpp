/// \file
/// do_bench with a timer and a cache that are scripted.

#include "support/catch.hpp"

#include <contextual/detail/measure/cache_clearing.hpp>
#include <contextual/do_bench.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace do_bench_test {

using namespace contextual;
using namespace std::chrono_literals;

namespace {

/// What happens in a measurement, in order, and what the timer is to say.
struct Script {
  std::vector<std::string> events;
  int runs = 0;  ///< of the function
  /// The makespan of a tuning iteration whose launch was the n-th, from 0; 0 for none.
  std::function<std::int64_t(int run)> makespan_ns = [](int run) { return 1000 + run; };
  bool sees_all = false;  ///< the timer knows all work of devices
  std::string disturbance_once;
  std::vector<std::string> warnings;
  bool settle_fails = false;
  std::vector<std::size_t> settled;  ///< launches, by settle
  void* stream_of_launches = nullptr;
  bool on_stream = false;
  bool abandoned = false;
  void* stream_cleared = nullptr;
};

class ScriptedDeviceTimer final : public Timer {
 public:
  explicit ScriptedDeviceTimer(Script& script) : script_(script) {}
  std::string_view name() const noexcept override { return "scripted"; }
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
    if (script_.settle_fails) {
      throw Error("the deadline expired");
    }
    for (IterationTiming& iteration : iterations) {
      iteration.makespan_ns = 77;  // of a clearing
      if (script_.sees_all) {
        iteration.other_spans.emplace();
      }
      for (const LaunchTiming& launch : launches) {
        if (launch.tuning_iteration == iteration.tuning_iteration) {
          iteration.makespan_ns = script_.makespan_ns(static_cast<int>(launch.note.begin));
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

/// As long as it lives, caches can be cleared.
class ClearingOffered {
 public:
  explicit ClearingOffered(Script& script) {
    current = &script;
    detail::set_cache_clearing([](void* stream) -> std::unique_ptr<detail::CacheClearing> {
      current->stream_cleared = stream;
      return std::make_unique<ScriptedClearing>(*current);
    });
  }
  ClearingOffered(const ClearingOffered&) = delete;
  ClearingOffered& operator=(const ClearingOffered&) = delete;
  ~ClearingOffered() { detail::set_cache_clearing(before_); }

 private:
  static inline Script* current = nullptr;
  detail::CacheClearingFactory before_ = detail::cache_clearing();
};

BenchOptions options_with(Script& script, int warmup, int repeat) {
  BenchOptions options;
  options.warmup = warmup;
  options.repeat = repeat;
  options.timer = [&script] { return std::make_unique<ScriptedDeviceTimer>(script); };
  return options;
}

std::function<void()> runs_of(Script& script) {
  return [&script] {
    script.events.emplace_back("run");
    ++script.runs;
  };
}

}  // namespace

TEST_CASE("do_bench: a host function by the default timer has host times, as many as asked for", "[unit]") {
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

TEST_CASE("do_bench: durations are as many runs as fit, and at least one", "[unit]") {
  int runs = 0;
  const BenchResult result = do_bench([&] { ++runs; }, {.warmup = 1ns, .repeat = 2ms});
  CHECK(result.samples.size() >= 1);
  CHECK(result.samples.size() <= 10'000);
  CHECK(static_cast<std::size_t>(runs) > result.samples.size());
}

TEST_CASE("do_bench: samples are the makespans of runs that follow the warm-ups, in order", "[unit]") {
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

TEST_CASE("do_bench: runs of a batch are waited for together", "[unit]") {
  Script script;
  do_bench(runs_of(script), options_with(script, 1, 300));
  CHECK(script.settled.front() == 1);
  CHECK(script.settled.size() < 301);
  CHECK(*std::max_element(script.settled.begin(), script.settled.end()) > 1);
  CHECK(*std::max_element(script.settled.begin(), script.settled.end()) <= 101);
}

TEST_CASE("do_bench: a run without a time is taken again", "[unit]") {
  Script script;
  script.makespan_ns = [](int run) { return run % 3 == 0 ? 0 : 500 + run; };
  const BenchResult result = do_bench(runs_of(script), options_with(script, 1, 20));
  REQUIRE(result.samples.size() == 20);
  for (const BenchTime sample : result.samples) {
    CHECK(static_cast<int>(sample.count() - 500) % 3 != 0);
  }
  CHECK(script.runs >= 28);
}

TEST_CASE("do_bench: runs that never get a time end it with an error", "[unit]") {
  Script script;
  script.makespan_ns = [](int) { return 0; };
  CHECK_THROWS_WITH(do_bench(runs_of(script), options_with(script, 1, 4)),
                    ContainsSubstring("got no time by scripted"));
}

TEST_CASE("do_bench: a batch that was disturbed is no sample, and is told", "[unit]") {
  Script script;
  script.warnings = {"the clock fell"};
  int settles_seen = 0;
  script.makespan_ns = [&](int run) {
    if (run == 2 && settles_seen++ == 0) {
      script.disturbance_once = "someone else used the device";
    }
    return 1000 + run;
  };
  const BenchResult result = do_bench(runs_of(script), options_with(script, 1, 3));
  REQUIRE(result.samples.size() == 3);
  CHECK(result.min > BenchTime(1003));
  CHECK(std::count(result.warnings.begin(), result.warnings.end(), "the clock fell") == 1);
  CHECK(result.warnings.size() == 2);
  CHECK_THAT(result.warnings.back(), ContainsSubstring("someone else used the device"));
}

TEST_CASE("do_bench: what keeps no device busy is timed by the host's clock", "[unit]") {
  Script script;
  script.sees_all = true;
  script.makespan_ns = [](int) { return 0; };
  const ClearingOffered offered(script);
  const BenchResult result = do_bench(runs_of(script), options_with(script, 2, 6));
  CHECK(result.samples.size() == 6);
  CHECK(result.timer == "host clock");
  CHECK_FALSE(result.l2_cleared);
  CHECK(std::count(script.events.begin(), script.events.end(), "clear") == 0);
}

TEST_CASE("do_bench: the cache is cleared before every run but the first, outside of what is timed",
          "[unit]") {
  Script script;
  const ClearingOffered offered(script);
  int stream = 0;
  BenchOptions options = options_with(script, 2, 4);
  options.stream = &stream;
  const BenchResult result = do_bench(runs_of(script), options);
  CHECK(result.l2_cleared);
  CHECK(script.stream_cleared == &stream);
  CHECK(script.stream_of_launches == &stream);
  CHECK_FALSE(script.abandoned);
  CHECK(std::count(script.events.begin(), script.events.end(), "clear") == script.runs - 1);
  std::vector<std::string> expected{"begin", "run", "end", "settle"};
  CHECK(std::equal(expected.begin(), expected.end(), script.events.begin()));
  expected = {"begin", "clear", "end", "begin", "run", "end"};
  CHECK(std::equal(expected.begin(), expected.end(), script.events.begin() + 4));
  for (const BenchTime sample : result.samples) {
    CHECK(sample >= BenchTime(1000));  // and not the clearing's time
  }
}

TEST_CASE("do_bench: clear_l2 = false clears nothing", "[unit]") {
  Script script;
  const ClearingOffered offered(script);
  BenchOptions options = options_with(script, 2, 4);
  options.clear_l2 = false;
  CHECK_FALSE(do_bench(runs_of(script), options).l2_cleared);
  CHECK(std::count(script.events.begin(), script.events.end(), "clear") == 0);
}

TEST_CASE("do_bench: what the function throws passes through, after the runs before it were waited for",
          "[unit]") {
  Script script;
  const ClearingOffered offered(script);
  const auto run = runs_of(script);
  CHECK_THROWS_AS(do_bench(
                      [&] {
                        if (script.runs == 4) {
                          throw std::out_of_range("mine");
                        }
                        run();
                      },
                      options_with(script, 1, 8)),
                  std::out_of_range);
  CHECK(script.events.back() == "settle");
  CHECK_FALSE(script.abandoned);
}

TEST_CASE("do_bench: a wait that fails throws, and keeps the memory that is being filled", "[unit]") {
  Script script;
  const ClearingOffered offered(script);
  const auto run = runs_of(script);
  CHECK_THROWS_WITH(do_bench(
                        [&] {
                          run();
                          script.settle_fails = script.runs > 1;
                        },
                        options_with(script, 1, 8)),
                    ContainsSubstring("the deadline expired"));
  CHECK(script.abandoned);
}

TEST_CASE("do_bench: what makes no sense is refused before anything runs", "[unit]") {
  int runs = 0;
  const std::function<void()> function = [&] { ++runs; };
  CHECK_THROWS_AS(do_bench(function, {.warmup = 0}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.warmup = -1ms}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.repeat = -3}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.repeat = 0ns}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.quantiles = {0.5, 1.5}}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.quantiles = {std::numeric_limits<double>::quiet_NaN()}}),
                  InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.deadline = 0ms}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(std::function<void()>{}), InvalidArgument);
  CHECK_THROWS_AS(do_bench(function, {.timer = [] { return std::unique_ptr<Timer>(); }}), InvalidArgument);
  CHECK(runs == 0);
}

}  // namespace do_bench_test
