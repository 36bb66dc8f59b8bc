/// \file
/// From a tuning run to its trace: two ranks, their logs, and the program.

#include "report/command.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"
#include "unit/tools/trace/trace_checks.hpp"

#include <contextual/testing/forwarding_timer.hpp>

#include <sstream>

namespace tuned_trace_test {

using namespace contextual;
using namespace contextual::log_report;
using namespace contextual::test;
using namespace report_test;
using nlohmann::json;

namespace {

constexpr int ranks = 2;

/// Every rank has a clock of its own, and meets the other one in a handshake in which rank 0 waits longer.
std::int64_t clock_ns(int rank, std::int64_t iteration) {
  return 7'000'000'000'000 * (rank + 1) + 1'000'000 * iteration;
}
std::int64_t met_ns(int rank) {
  return rank == 0 ? 9'000 : 4'000;
}
std::int64_t kernel_ns(std::size_t config) {
  return 60'000 - 20'000 * static_cast<std::int64_t>(config);
}

testing::ScriptedTimes times_of(int rank) {
  testing::ScriptedTimes times;
  times.launch_ns = [](const LaunchInfo& launch) { return kernel_ns(launch.config_id); };
  times.launch_begin_ns = [rank](const LaunchInfo& launch) {
    return clock_ns(rank, launch.tuning_iteration) + met_ns(rank);
  };
  times.iteration_begin_ns = [rank](std::int64_t iteration) { return clock_ns(rank, iteration); };
  times.makespan_ns = [rank](std::int64_t, const std::vector<testing::ScriptedLaunch>& launches) {
    return met_ns(rank) + launches.at(0).time_ns + 1'000;
  };
  return times;
}

/// A scripted timer, but for its launches, which it puts on a device as a GPU's timer does.
class DeviceTimer final : public contextual::testing::ForwardingTimer {
 public:
  explicit DeviceTimer(int rank)
      : ForwardingTimer(testing::scripted_timer_with(times_of(rank))()), rank_(rank) {}

  std::string_view name() const noexcept override { return "scripted device"; }
  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    ForwardingTimer::settle(launches, iterations, std::move(deadline));
    for (LaunchTiming& launch : launches) {
      for (Span& span : launch.spans) {
        span.device = 0;
      }
    }
    for (IterationTiming& iteration : iterations) {
      const std::int64_t begin_ns = clock_ns(rank_, iteration.tuning_iteration);
      iteration.other_spans = {{begin_ns, begin_ns + met_ns(rank_), 0}};
    }
  }

 private:
  int rank_;
};

struct Traced {
  int code = -1;
  std::string out;
  std::string err;
  json trace;
};

/// Tunes on two ranks with a timer for each, and asks for a trace of the logs.
Traced traced(const std::function<TimerFactory(int rank)>& timer) {
  const engine_test::TemporaryDirectory directory;
  const auto kernel = rank_kernel("traced", 3);
  on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    Options options = rank_options(communicator);
    options.search = SearchLevel::normal;
    options.log_directory = directory.path();
    options.timer = timer(rank);
    tuner.run(
        "traced-region", [&] { (*kernel)(4096); }, options);
  });
  Command command;
  command.directory = directory.path();
  command.trace = directory.path() / "trace.json";
  std::ostringstream out;
  std::ostringstream err;
  Traced result;
  result.code = run_command(command, out, err);
  result.out = out.str();
  result.err = err.str();
  if (std::filesystem::exists(command.trace)) {
    result.trace = json::parse(engine_test::text_of_file(command.trace));
  }
  return result;
}

}  // namespace

TEST_CASE("trace of a tuning run: ranks with different clocks, aligned at the end of their handshake",
          "[unit]") {
  const Traced result =
      traced([](int rank) { return TimerFactory([rank] { return std::make_unique<DeviceTimer>(rank); }); });
  INFO(result.err);
  REQUIRE(result.code == exit_fine);
  CHECK_THAT(result.out, ContainsSubstring("trace.json: run 1, traced-region\n"));
  CHECK_THAT(result.out,
             ContainsSubstring("2 ranks, aligned at the end of the handshake to within 4.000 us"));
  CHECK(check_trace(result.trace) ==
        std::vector<std::string>{"rank 0: defaults", "rank 1: defaults", "rank 0: chosen", "rank 1: chosen"});
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string process = "rank " + std::to_string(rank);
    const auto defaults = slices(result.trace, process + ": defaults", "traced config-0");
    const auto chosen = slices(result.trace, process + ": chosen", "traced config-2");
    REQUIRE(defaults.size() == 1);
    REQUIRE(chosen.size() == 1);
    CHECK(defaults[0].at("ts").get<double>() == Approx(9));
    CHECK(defaults[0].at("dur").get<double>() == Approx(60));
    CHECK(chosen[0].at("ts").get<double>() == Approx(9));
    CHECK(chosen[0].at("dur").get<double>() == Approx(20));
    CHECK(chosen[0].at("args").at("config").get<std::string>() == "{TILE: 3}");
    CHECK(slices(result.trace, process + ": chosen", "handshake").size() == 1);
  }
}

TEST_CASE("trace of a tuning run: without a handshake, aligned at the first launch, and it says so",
          "[unit]") {
  const Traced result = traced([](int rank) { return testing::scripted_timer_with(times_of(rank)); });
  INFO(result.err);
  REQUIRE(result.code == exit_fine);
  CHECK_THAT(result.out, ContainsSubstring("aligned at the begin of the first tunable launch"));
  CHECK_THAT(result.out, ContainsSubstring("the timer sees tunable launches only"));
  CHECK(check_trace(result.trace).size() == 4);
}

}  // namespace tuned_trace_test
