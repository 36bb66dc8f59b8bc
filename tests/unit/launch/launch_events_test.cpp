/// \file
/// The order of one launch: hooks, status, timer, launcher. Whatever a launch comes to, the timer sees its
/// end.

#include "support/engine.hpp"

#include <span>

using namespace contextual;
using namespace engine_test;

namespace {

using Events = std::vector<std::string>;

Events events;  // of the run of the region that is under way; a status has no other way to tell

void tell(std::string event) {
  events.push_back(std::move(event));
}

/// What a launcher returns. May own something, whose end is an event.
struct Result {
  enum class Outcome { ok, refused, device_lost };
  Outcome outcome = Outcome::ok;
  std::shared_ptr<void> owned{};
};

std::shared_ptr<void> telling_its_end() {
  return {nullptr, [](void*) { tell("result gone"); }};
}

}  // namespace

template <>
struct contextual::launch_status<Result> {
  static std::optional<std::string> begin() {
    tell("status begin");
    return std::nullopt;
  }
  static std::optional<std::string> device_failure(const Result& result) {
    tell("device_failure");
    return result.outcome == Result::Outcome::device_lost ? std::optional<std::string>("lost") : std::nullopt;
  }
  static std::optional<std::string> failure(const Result& result) {
    tell("failure");
    return result.outcome == Result::Outcome::refused ? std::optional<std::string>("refused") : std::nullopt;
  }
};

namespace {

/// Times as `last_is_fastest`; tells of its launches, with kernel and config.
class RecordingTimer final : public Timer {
 public:
  std::string_view name() const noexcept override { return "recording timer"; }
  void begin_iteration(std::int64_t iteration, IterationNote& note) override {
    inner_->begin_iteration(iteration, note);
  }
  void end_iteration(std::int64_t iteration, IterationNote& note) override {
    inner_->end_iteration(iteration, note);
  }
  void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    tell("begin " + text_of(launch));
    inner_->begin_launch(launch, note);
  }
  void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    tell("end " + text_of(launch));
    inner_->end_launch(launch, note);
  }
  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    inner_->settle(launches, iterations, std::move(deadline));
  }

 private:
  static std::string text_of(const LaunchInfo& launch) {
    return std::string(launch.kernel) + " " + std::to_string(launch.config_id);
  }

  std::unique_ptr<Timer> inner_ = last_is_fastest()();
};

/// Tunes a region, and gives the events of each of its runs. `region` gets the number of the run, from 0 on.
template <typename Region>
std::vector<Events> events_of_runs(Region region) {
  std::vector<Events> of_runs;
  Options options = quick([] { return std::make_unique<RecordingTimer>(); });
  options.always_tune = true;  // kernels of several tests have one name
  tuned(options, "launch_events", [&] {
    events.clear();
    region(static_cast<int>(of_runs.size()));
    of_runs.push_back(events);
  });
  return of_runs;
}

/// As a region that goes on when a launch throws an int.
template <typename Kernel>
void call_and_catch(Kernel& kernel) {
  try {
    kernel();
  } catch (int) {
    tell("caught");
  }
}

std::size_t count_beginning_with(const Events& all, std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [text](const std::string& event) { return event.starts_with(text); }));
}

// `quick` tunes configs 0 and 1 in these runs of the region, then comes the final one.
constexpr int warmup_of_0 = 0;
constexpr int repeat_of_0 = 1;
constexpr int warmup_of_1 = 2;
constexpr int runs_of_two = 5;

}  // namespace

TEST_CASE("launch events: hooks are outside of what is timed, launcher and look at the status inside") {
  TunableKernel kernel{"k",
                       blocks(2),
                       single_problem,
                       [](const Block& c) {
                         tell("launch " + std::to_string(c.block));
                         return Result{};
                       },
                       {.before_launch = [](const LaunchInfo&) { tell("before_launch"); },
                        .after_launch = [](const LaunchInfo&) { tell("after_launch"); },
                        .reset = [] { tell("reset"); },
                        .check =
                            [](const Block&) {
                              tell("check");
                              return true;
                            }}};
  const std::vector<Events> runs = events_of_runs([&](int) { kernel(); });
  REQUIRE(runs.size() == runs_of_two);
  CHECK(runs[warmup_of_0] == Events{"reset", "before_launch", "status begin", "begin k 0", "launch 0",
                                    "device_failure", "failure", "end k 0", "after_launch", "check"});
  CHECK(runs[repeat_of_0] == Events{"before_launch", "status begin", "begin k 0", "launch 0",
                                    "device_failure", "failure", "end k 0", "after_launch"});
}

TEST_CASE("launch events: without hooks a launch begins and ends once, with a status and without") {
  TunableKernel with_status{"s", blocks(2), single_problem, [](const Block&) {
                              tell("launch");
                              return Result{};
                            }};
  TunableKernel without{"v", blocks(2), single_problem, [](const Block&) { tell("launch"); }};
  const std::vector<Events> runs = events_of_runs([&](int) {
    with_status();
    without();
  });
  REQUIRE(runs.size() == runs_of_two);
  CHECK(runs[repeat_of_0] == Events{"status begin", "begin s 0", "launch", "device_failure", "failure",
                                    "end s 0", "begin v 0", "launch", "end v 0"});
}

TEST_CASE("launch events: a rejected launch ends before the reset, and its fallback is one of its own") {
  const bool throws = GENERATE(true, false);
  TunableKernel kernel{"k",
                       blocks(2),
                       single_problem,
                       [&](const Block& c) -> Result {
                         tell("launch " + std::to_string(c.block));
                         if (c.block == 1 && throws) {
                           throw ConfigRejected("refused");
                         }
                         return {c.block == 1 ? Result::Outcome::refused : Result::Outcome::ok};
                       },
                       {.reset = [] { tell("reset"); }}};
  const std::vector<Events> runs = events_of_runs([&](int) { kernel(); });
  REQUIRE(runs.size() > warmup_of_1);
  Events expected{"reset", "status begin", "begin k 1", "launch 1"};
  if (!throws) {
    expected.insert(expected.end(), {"device_failure", "failure"});
  }
  expected.insert(expected.end(), {"end k 1", "reset", "status begin", "begin k 0", "launch 0",
                                   "device_failure", "failure", "end k 0"});
  CHECK(runs[warmup_of_1] == expected);
}

TEST_CASE("launch events: a wrong result's launch has ended when it is checked and launched again") {
  TunableKernel kernel{"k",
                       blocks(2),
                       single_problem,
                       [](const Block& c) { tell("launch " + std::to_string(c.block)); },
                       {.reset = [] { tell("reset"); },
                        .check =
                            [](const Block& c) {
                              tell("check");
                              return c.block != 1;
                            }}};
  const std::vector<Events> runs = events_of_runs([&](int) { kernel(); });
  REQUIRE(runs.size() > warmup_of_1);
  CHECK(runs[warmup_of_1] == Events{"reset", "begin k 1", "launch 1", "end k 1", "check", "reset",
                                    "begin k 0", "launch 0", "end k 0"});
}

TEST_CASE("launch events: a launch has ended when the region catches what its launcher threw") {
  bool throws = false;
  TunableKernel kernel{"k", blocks(2), single_problem, [&](const Block&) {
                         tell("launch");
                         if (throws) {
                           throw 5;
                         }
                       }};
  const std::vector<Events> runs = events_of_runs([&](int run) {
    throws = run == repeat_of_0;
    call_and_catch(kernel);
  });
  REQUIRE(runs.size() > warmup_of_1);
  CHECK(runs[repeat_of_0] == Events{"begin k 0", "launch", "end k 0", "caught"});
  CHECK(runs.back() == Events{"begin k 1", "launch", "end k 1"});
}

TEST_CASE("launch events: a launch has ended when the loss of the device is told") {
  TunableKernel kernel{"k", blocks(2), single_problem, [](const Block&) {
                         tell("launch");
                         return Result{Result::Outcome::device_lost, telling_its_end()};
                       }};
  CHECK_THROWS_AS(events_of_runs([&](int) {
                    try {
                      kernel();
                    } catch (const DeviceError&) {
                      tell("caught");
                      throw;
                    }
                  }),
                  DeviceError);
  // What unwinding does comes after the end: the launcher's result goes then.
  CHECK(events ==
        Events{"status begin", "begin k 0", "launch", "device_failure", "end k 0", "result gone", "caught"});
}

TEST_CASE("launch events: nested launches end innermost first, whoever catches what the inner one threw") {
  const bool outer_catches = GENERATE(true, false);
  bool throws = false;
  TunableKernel inner{"inner", blocks(2), single_problem, [&](const Block&) {
                        if (throws) {
                          throw 5;
                        }
                      }};
  TunableKernel outer{"outer", blocks(2), single_problem, [&](const Block&) {
                        try {
                          inner();
                        } catch (int) {
                          if (!outer_catches) {
                            throw;
                          }
                          tell("caught");
                        }
                      }};
  const std::vector<Events> runs = events_of_runs([&](int run) {
    throws = run == repeat_of_0;
    call_and_catch(outer);
  });
  REQUIRE(runs.size() > warmup_of_1);
  CHECK(runs[repeat_of_0] ==
        (outer_catches ? Events{"begin outer 0", "begin inner 0", "end inner 0", "caught", "end outer 0"}
                       : Events{"begin outer 0", "begin inner 0", "end inner 0", "end outer 0", "caught"}));
  CHECK(runs.back() == Events{"begin outer 1", "begin inner 1", "end inner 1", "end outer 1"});
}

TEST_CASE("launch events: a hook that throws leaves no launch open") {
  const std::string thrower = GENERATE("reset", "before_launch", "after_launch", "check");
  int run_under_way = 0;
  const auto hook = [&](const std::string& name) {
    tell(name);
    if (run_under_way == warmup_of_1 && name == thrower) {
      throw 5;
    }
  };
  TunableKernel kernel{"k",
                       blocks(2),
                       single_problem,
                       [](const Block&) { tell("launch"); },
                       {.before_launch = [&](const LaunchInfo&) { hook("before_launch"); },
                        .after_launch = [&](const LaunchInfo&) { hook("after_launch"); },
                        .reset = [&] { hook("reset"); },
                        .check =
                            [&](const Block&) {
                              hook("check");
                              return true;
                            }}};
  const std::vector<Events> runs = events_of_runs([&](int run) {
    run_under_way = run;
    call_and_catch(kernel);
  });
  REQUIRE(runs.size() > warmup_of_1);
  // The launch goes as far as the hook that throws.
  Events expected{"reset", "before_launch", "begin k 1", "launch", "end k 1", "after_launch", "check"};
  expected.erase(std::find(expected.begin(), expected.end(), thrower) + 1, expected.end());
  expected.emplace_back("caught");
  CHECK(runs[warmup_of_1] == expected);
  for (const Events& run : runs) {
    CHECK(count_beginning_with(run, "begin ") == count_beginning_with(run, "end "));
  }
}
