#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/testing/timer_conformance.hpp>

#include <mutex>

namespace contextual::testing::timer_conformance_test {

namespace {

enum class Defect {
  none,
  nameless,
  no_launch_times,
  untimed_always,
  no_makespan,
  short_makespan,
  negative_makespan,
  reversed_spans,
  reversed_extent,
  other_makespan_than_extent,
  launches_among_others,
  reversed_other_spans,
  misses_other_work,
  one_place_for_all,
  lock_during_launch,
  time_without_end,
  settle_throws_when_empty,
  remembers_earlier_batches,
};

/// Right but for its defect; `host_timer` does the measuring.
class BrokenTimer final : public Timer {
 public:
  explicit BrokenTimer(Defect defect) : defect_(defect) {}

  std::string_view name() const noexcept override { return is(Defect::nameless) ? "" : "broken"; }
  void begin_iteration(std::int64_t i, IterationNote& note) override { timer_->begin_iteration(i, note); }
  void end_iteration(std::int64_t i, IterationNote& note) override { timer_->end_iteration(i, note); }

  void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    if (is(Defect::lock_during_launch)) {
      lock_.lock();
    }
    timer_->begin_launch(launch, note);
    const std::scoped_lock lock(place_lock_);
    place_ = note.begin;
  }

  void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    timer_->end_launch(launch, note);
    if (is(Defect::one_place_for_all)) {
      const std::scoped_lock lock(place_lock_);
      note.begin = place_;
    }
    if (is(Defect::lock_during_launch)) {
      lock_.unlock();
    }
  }

  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    if (is(Defect::settle_throws_when_empty) && launches.empty()) {
      throw Error("nothing to settle");
    }
    timer_->settle(launches, iterations, std::move(deadline));
    for (LaunchTiming& launch : launches) {
      spoil(launch);
    }
    for (IterationTiming& iteration : iterations) {
      spoil(iteration);
    }
    ++batches_;
  }

 private:
  bool is(Defect defect) const noexcept { return defect_ == defect; }

  void spoil(LaunchTiming& launch) const {
    if (is(Defect::no_launch_times) || (is(Defect::remembers_earlier_batches) && batches_ > 1)) {
      launch.spans.clear();
    }
    if (is(Defect::untimed_always)) {
      launch.spans.clear();
      launch.untimed = true;
    }
    if (is(Defect::reversed_spans)) {
      launch.spans.push_back({10, 5, 0});
    }
    if (is(Defect::time_without_end) && launch.spans.empty()) {
      launch.spans.push_back({0, 100, 0});
    }
  }

  void spoil(IterationTiming& iteration) const {
    if (is(Defect::no_makespan)) {
      iteration.makespan_ns = 0;
    }
    if (is(Defect::short_makespan)) {
      iteration.makespan_ns = 1;
    }
    if (is(Defect::negative_makespan)) {
      iteration.makespan_ns = -1;
    }
    if (is(Defect::reversed_extent)) {
      std::swap(iteration.begin_ns, iteration.end_ns);
    }
    if (is(Defect::other_makespan_than_extent)) {
      ++iteration.end_ns;
    }
    if (is(Defect::launches_among_others)) {
      iteration.other_spans = {{0, 5, 0}};
    }
    if (is(Defect::reversed_other_spans)) {
      iteration.other_spans = {{5, 0, 0}};
    }
    if (is(Defect::misses_other_work)) {
      iteration.other_spans.emplace();
    }
  }

  const Defect defect_;
  const std::unique_ptr<Timer> timer_ = host_timer();
  std::mutex lock_;
  std::mutex place_lock_;
  std::int64_t place_ = 0;
  int batches_ = 0;
};

std::string violations_of(Defect defect) {
  std::string text;
  const TimerFactory factory = [defect] { return std::make_unique<BrokenTimer>(defect); };
  const auto no_work = [] {};
  for (const std::string& line :
       check_timer(factory, {.other_work = no_work, .deadline = std::chrono::milliseconds(300)})) {
    text += line + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("check_timer: a timer without a defect conforms") {
  CHECK(violations_of(Defect::none) == "");
}

TEST_CASE("check_timer: every planted defect is named") {
  CHECK_THAT(violations_of(Defect::nameless), ContainsSubstring("name() is empty"));
  CHECK_THAT(violations_of(Defect::no_launch_times), ContainsSubstring("a launch has no time"));
  CHECK_THAT(violations_of(Defect::untimed_always), ContainsSubstring("or is to be timed"));
  CHECK_THAT(violations_of(Defect::no_makespan), ContainsSubstring("a makespan is missing"));
  CHECK_THAT(violations_of(Defect::short_makespan), ContainsSubstring("shorter than one of its launches"));
  CHECK_THAT(violations_of(Defect::negative_makespan), ContainsSubstring("a makespan is negative"));
  CHECK_THAT(violations_of(Defect::reversed_spans), ContainsSubstring("a span ends before it begins"));
  CHECK_THAT(violations_of(Defect::reversed_extent), ContainsSubstring("work ends before it begins"));
  CHECK_THAT(violations_of(Defect::other_makespan_than_extent),
             ContainsSubstring("not the time from begin_ns to end_ns"));
  CHECK_THAT(violations_of(Defect::launches_among_others),
             ContainsSubstring("listed as work that belongs to no launch"));
  CHECK_THAT(violations_of(Defect::reversed_other_spans),
             ContainsSubstring("a span of other work ends before it begins"));
  CHECK_THAT(violations_of(Defect::misses_other_work), ContainsSubstring("no launch is not listed"));
  CHECK_THAT(violations_of(Defect::one_place_for_all), ContainsSubstring("shorter than its work"));
  CHECK_THAT(violations_of(Defect::lock_during_launch), ContainsSubstring("waits for one on another thread"));
  CHECK_THAT(violations_of(Defect::time_without_end), ContainsSubstring("never ended has a time"));
  CHECK_THAT(violations_of(Defect::settle_throws_when_empty), ContainsSubstring("settle throws"));
  CHECK_THAT(violations_of(Defect::remembers_earlier_batches), ContainsSubstring("a launch has no time"));
}

TEST_CASE("check_timer: a factory that makes nothing is a violation") {
  CHECK(check_timer({}) == std::vector<std::string>{"the factory makes no timer"});
  CHECK(check_timer([] { return nullptr; }) == std::vector<std::string>{"the factory makes no timer"});
}

}  // namespace contextual::testing::timer_conformance_test
