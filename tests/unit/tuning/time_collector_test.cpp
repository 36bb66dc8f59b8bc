/// \file
/// What a settle makes of the times of launches: whose work overlaps other work.

#include "contextual/tuning/time_collector.hpp"

#include "support/catch.hpp"
#include "support/launches.hpp"

namespace contextual::tuning::time_collector_test {

namespace {

/// Gives launches and iterations the times of a script, in their order.
class FixedTimer final : public Timer {
 public:
  std::vector<std::vector<Span>> launches;
  std::vector<std::optional<std::vector<Span>>> others;
  std::vector<bool> untimed;  ///< by launch; a shorter list: the rest is timed

  bool devices = true;

  std::string_view name() const noexcept override { return "fixed"; }
  bool measures_devices() const noexcept override { return devices; }
  void begin_iteration(std::int64_t, IterationNote&) override {}
  void end_iteration(std::int64_t, IterationNote&) override {}
  void begin_launch(const LaunchInfo&, LaunchNote&) noexcept override {}
  void end_launch(const LaunchInfo&, LaunchNote&) noexcept override {}
  void settle(std::span<LaunchTiming> timings, std::span<IterationTiming> iterations, Deadline) override {
    for (std::size_t i = 0; i < timings.size(); ++i) {
      timings[i].spans = launches.at(i);
      timings[i].untimed = i < untimed.size() && untimed[i];
    }
    for (std::size_t i = 0; i < iterations.size(); ++i) {
      iterations[i].other_spans = others.at(i);
      iterations[i].makespan_ns = 1'000;
    }
  }
};

/// A batch of two iterations, of two problems.
struct Settled {
  FixedTimer timer;
  detail::RunContext context{"time_collector_test",
                             LaunchRegistry::instance().region_id({}, "time_collector_test"), timer,
                             detail::Reuse::lasting, detail::Namesakes::are_of_ranks};
  options::ResolvedOptions options;
  Watchdog watchdog;
  Watchdog::Watch watch{&watchdog, std::chrono::minutes(1), std::chrono::minutes(1), {}};
  std::shared_ptr<detail::KernelCore> first = test::launch_test::core_of("settlement_first");
  std::shared_ptr<detail::KernelCore> second = test::launch_test::core_of("settlement_second");

  void launch(const detail::KernelCore& core, std::uint32_t iteration, const std::vector<Span>& spans) {
    detail::LaunchRecord record;
    record.slot = context.find(core, make_key(1), {});
    record.batch_iteration = iteration;
    context.threads().front().records.push_back(record);
    timer.launches.push_back(spans);
  }

  /// By problem, by iteration.
  std::vector<std::vector<detail::LocalCell>> cells(Iterations iterations = Iterations::joined) {
    detail::BatchPlan plan;
    plan.phases = {Phase::walk, Phase::walk};
    plan.iterations.resize(2);
    std::vector<IterationTiming> timings(2);
    options.iterations = iterations;
    timer.others.resize(2);
    const detail::BatchResult result = TimeCollector(context, watch, options).settle(plan, timings, {});
    CHECK_FALSE(result.failure);
    return result.cells;
  }

  std::vector<std::vector<bool>> overlaps(Iterations iterations) {
    std::vector<std::vector<bool>> by_problem;
    for (const std::vector<detail::LocalCell>& of_problem : cells(iterations)) {
      by_problem.push_back({of_problem[0].overlaps, of_problem[1].overlaps});
    }
    return by_problem;
  }
};

using ByProblem = std::vector<std::vector<bool>>;

}  // namespace

TEST_CASE("time collector: an iteration's overlaps are those of its own launches and of its own other work") {
  Settled batch;
  batch.launch(*batch.first, 0, {{0, 100, 0}});
  batch.launch(*batch.second, 0, {{100, 200, 0}});
  batch.launch(*batch.first, 1, {{1'000, 1'100, 0}});
  batch.launch(*batch.second, 1, {{1'050, 1'200, 0}});
  batch.timer.others = {std::vector<Span>{{150, 160, 0}, {1'000, 2'000, 1}}, std::vector<Span>{}};
  CHECK(batch.overlaps(Iterations::joined) == ByProblem{{false, true}, {true, true}});
}

TEST_CASE("time collector: where other work is not known everything may overlap") {
  Settled batch;
  batch.launch(*batch.first, 0, {{0, 100, 0}});
  batch.launch(*batch.first, 1, {{200, 300, 0}});
  batch.timer.others = {std::nullopt, std::vector<Span>{}};
  CHECK(batch.overlaps(Iterations::joined) == ByProblem{{true, false}});
}

TEST_CASE("time collector: of the host's other work the ranks judge, by the makespan") {
  Settled batch;
  batch.timer.devices = false;
  batch.launch(*batch.first, 0, {{0, 100, -1}});
  batch.launch(*batch.second, 0, {{100, 200, -1}});
  batch.launch(*batch.first, 1, {{1'000, 1'100, -1}});
  batch.launch(*batch.second, 1, {{1'050, 1'200, -1}});
  CHECK(batch.overlaps(Iterations::joined) == ByProblem{{false, true}, {false, true}});
}

TEST_CASE("time collector: pipelined iterations may overlap each other, so everything may") {
  Settled batch;
  batch.launch(*batch.first, 0, {{0, 100, 0}});
  batch.launch(*batch.first, 1, {{200, 300, 0}});
  batch.timer.others = {std::vector<Span>{}, std::vector<Span>{}};
  CHECK(batch.overlaps(Iterations::pipelined) == ByProblem{{true, true}});
}

TEST_CASE("time collector: a problem that joins with the next batch is work of others") {
  Settled batch;
  batch.launch(*batch.first, 0, {{0, 100, 0}});
  batch.launch(*batch.second, 0, {{50, 150, 0}});
  batch.context.threads().front().records.back().late = true;
  batch.launch(*batch.first, 1, {{200, 300, 0}});
  batch.timer.others = {std::vector<Span>{}, std::vector<Span>{}};
  CHECK(batch.overlaps(Iterations::joined).front() == std::vector<bool>{true, false});
}

TEST_CASE("time collector: an own time holds the gaps inside a launch, and none between two launches") {
  Settled batch;
  batch.launch(*batch.first, 0, {{0, 10, 0}, {15, 20, 0}, {22, 30, 0}});
  batch.launch(*batch.first, 1, {{100, 110, 0}, {115, 120, 0}});
  batch.launch(*batch.first, 1, {{118, 119, 0}, {150, 160, 0}, {200, 270, 1}});
  batch.launch(*batch.first, 1, {{400, 410, 0}, {418, 420, 0}});
  batch.timer.others = {std::vector<Span>{}, std::vector<Span>{}};
  const auto cells = batch.cells();
  CHECK(cells[0][0].time_ns == 30);
  CHECK(cells[0][1].time_ns == 60 + 20);
}

TEST_CASE("time collector: a launch that was not to be timed is none without a time") {
  Settled batch;
  batch.launch(*batch.first, 0, {});
  batch.launch(*batch.first, 0, {{0, 10, 0}});
  batch.launch(*batch.second, 0, {});
  batch.launch(*batch.second, 0, {});
  batch.launch(*batch.second, 1, {{20, 30, 0}});
  batch.timer.untimed = {true, false, true, false, false};
  const auto cells = batch.cells();
  CHECK(cells[0][0].untimed);
  CHECK_FALSE(cells[0][0].time_ns);  // it would be too short
  CHECK_FALSE(cells[1][0].untimed);  // the time of one of its launches is missing
  CHECK_FALSE(cells[1][0].time_ns);
  CHECK(cells[1][1].time_ns == 10);
  CHECK_FALSE(cells[1][1].untimed);
}

}  // namespace contextual::tuning::time_collector_test
