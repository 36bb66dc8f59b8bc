#include "contextual/testing/violations.hpp"

#include <contextual/detail/measure/spans.hpp>
#include <contextual/key.hpp>
#include <contextual/testing/timer_conformance.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <thread>

namespace contextual::testing {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t ns_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

/// Some 100 us of arithmetic that no compiler leaves out.
void compute() {
  std::atomic<std::uint64_t> value{1};
  for (int i = 0; i < 20000; ++i) {
    value.store(value.load(std::memory_order_relaxed) * 6364136223846793005ULL + 1,
                std::memory_order_relaxed);
  }
}

/// A launch under check: the timer's note, and the time that the check itself saw pass inside it.
struct CheckedLaunch {
  LaunchNote note;
  std::int64_t tuning_iteration = 0;
  std::int64_t work_ns = 0;
  bool ended = false;
};

class TimerChecker {
 public:
  TimerChecker(Timer& timer, const TimerCheck& check, Violations& violations)
      : timer_(timer), check_(check), violations_(violations) {}

  void run() {
    violations_.expect(!timer_.name().empty(), "name() is empty");
    timer_.set_iterations(Iterations::joined);
    settle("a settle without launches and iterations");
    for (int batch = 0; batch < 2; ++batch) {
      one_thread();
      settle("a batch of launches on one thread");
    }
    without_times();
    if (!two_threads()) {
      return;  // what follows could dead-lock
    }
    settle("a batch of launches on two threads");
    without_launches();
    settle("a tuning iteration without launches");
    if (check_.other_work) {
      beside_other_work();
      settle("a tuning iteration with work that belongs to no launch", OtherWork::some);
    }
    never_ended();
    settle("a launch that never ended");
    one_thread();
    settle("the batch after a launch that never ended");
  }

 private:
  LaunchInfo info(std::int64_t tuning_iteration) const {
    LaunchInfo launch;
    launch.region = "conformance";
    launch.kernel = "kernel";
    launch.key = &key_;
    launch.tuning_iteration = tuning_iteration;
    launch.stream = check_.stream;
    return launch;
  }

  void begin_iteration() {
    iterations_.emplace_back().tuning_iteration = next_iteration_++;
    timer_.begin_iteration(iterations_.back().tuning_iteration, iterations_.back().note);
  }
  void end_iteration() { timer_.end_iteration(iterations_.back().tuning_iteration, iterations_.back().note); }

  void work(const LaunchInfo& launch, CheckedLaunch& checked) {
    const auto begin = Clock::now();
    if (check_.work) {
      check_.work(launch);
    } else {
      compute();
    }
    checked.work_ns = ns_since(begin);
  }

  void launch_once(CheckedLaunch& checked) {
    const LaunchInfo launch = info(checked.tuning_iteration);
    timer_.begin_launch(launch, checked.note);
    work(launch, checked);
    timer_.end_launch(launch, checked.note);
    checked.ended = true;
  }

  CheckedLaunch& add_launch() {
    launches_.push_back(std::make_unique<CheckedLaunch>());
    launches_.back()->tuning_iteration = iterations_.back().tuning_iteration;
    return *launches_.back();
  }

  void one_thread() {
    for (int iteration = 0; iteration < 3; ++iteration) {
      begin_iteration();
      for (int launch = 0; launch < 3; ++launch) {
        launch_once(add_launch());
      }
      end_iteration();
    }
  }

  /// A launch on another thread begins and ends after the work, but before the end, of one on this thread: a
  /// timer with one place for both gives the outer launch the inner one's begin, and so too short a time.
  bool two_threads() {
    begin_iteration();
    CheckedLaunch& outer = add_launch();
    CheckedLaunch& inner = add_launch();
    const LaunchInfo launch = info(outer.tuning_iteration);
    timer_.begin_launch(launch, outer.note);
    const auto begin = Clock::now();
    work(launch, outer);
    std::atomic<bool> done{false};
    std::jthread other([&] {
      launch_once(inner);
      done = true;
    });
    Deadline patience = Deadline::after(std::min<std::chrono::nanoseconds>(check_.deadline, waits_at_most));
    while (!done && !patience.expired()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    const bool independent = violations_.expect(done, "a launch waits for one on another thread to end");
    outer.work_ns = ns_since(begin);
    timer_.end_launch(launch, outer.note);
    outer.ended = true;
    other.join();
    end_iteration();
    return independent;
  }

  void beside_other_work() {
    begin_iteration();
    launch_once(add_launch());
    check_.other_work();
    launch_once(add_launch());
    end_iteration();
  }

  void without_times() {
    wants_times_ = false;
    timer_.begin_batch({Clock::now(), std::chrono::nanoseconds(0), wants_times_});
    one_thread();
    settle("a batch that asks for no times of launches");
    wants_times_ = true;
  }

  void without_launches() {
    begin_iteration();
    end_iteration();
  }

  void never_ended() {
    begin_iteration();
    timer_.begin_launch(info(iterations_.back().tuning_iteration), add_launch().note);
    launch_once(add_launch());
    end_iteration();
  }

  enum class OtherWork { none, some };

  void settle(const std::string& when, OtherWork other_work = OtherWork::none) {
    std::vector<LaunchTiming> timings;
    for (const auto& launch : launches_) {
      timings.push_back({launch->note, launch->tuning_iteration, {}});
    }
    try {
      timer_.settle(timings, iterations_, Deadline::after(check_.deadline));
      for (std::size_t i = 0; i < timings.size(); ++i) {
        check_launch(timings[i], *launches_[i], when);
      }
      for (const IterationTiming& iteration : iterations_) {
        check_iteration(iteration, timings, when);
        check_other_spans(iteration, other_work, when);
      }
    } catch (const std::exception& error) {
      violations_.add("settle throws for " + when + ": " + error.what());
    } catch (...) {
      violations_.add("settle throws for " + when);
    }
    launches_.clear();
    iterations_.clear();
  }

  void check_launch(const LaunchTiming& timing, const CheckedLaunch& launch, const std::string& when) {
    for (const Span& span : timing.spans) {
      violations_.expect(span.end_ns >= span.begin_ns, "a span ends before it begins in " + when);
    }
    const std::int64_t busy = measure::busy_ns(timing.spans);
    if (timing.untimed) {
      violations_.expect(!wants_times_ && busy == 0, "a launch is both untimed and timed, or is to be timed");
    } else if (!launch.ended) {
      violations_.expect(busy == 0, "a launch that never ended has a time");
    } else if (violations_.expect(busy > 0, "a launch has no time in " + when) && check_.covers_host_work) {
      violations_.expect(busy >= launch.work_ns, "a launch's time is shorter than its work in " + when);
    }
  }

  void check_iteration(const IterationTiming& iteration, const std::vector<LaunchTiming>& launches,
                       const std::string& when) {
    violations_.expect(iteration.makespan_ns >= 0, "a makespan is negative in " + when);
    if (iteration.begin_ns != 0 || iteration.end_ns != 0) {
      violations_.expect(iteration.end_ns > iteration.begin_ns,
                         "an iteration's work ends before it begins in " + when);
      violations_.expect(iteration.end_ns - iteration.begin_ns == iteration.makespan_ns,
                         "a makespan is not the time from begin_ns to end_ns in " + when);
    }
    std::int64_t longest = 0;
    for (const LaunchTiming& launch : launches) {
      if (launch.tuning_iteration == iteration.tuning_iteration) {
        longest = std::max(longest, measure::busy_ns(launch.spans));
      }
    }
    const bool needed = longest > 0 || (!wants_times_ && !launches.empty());
    if (needed && violations_.expect(iteration.makespan_ns > 0, "a makespan is missing in " + when)) {
      violations_.expect(iteration.makespan_ns >= longest,
                         "a makespan is shorter than one of its launches in " + when);
    }
  }

  void check_other_spans(const IterationTiming& iteration, OtherWork other_work, const std::string& when) {
    if (!iteration.other_spans) {
      return;  // the timer does not know
    }
    for (const Span& span : *iteration.other_spans) {
      violations_.expect(span.end_ns >= span.begin_ns,
                         "a span of other work ends before it begins in " + when);
    }
    const bool found = measure::busy_ns(*iteration.other_spans) > 0;
    if (other_work == OtherWork::none) {
      violations_.expect(!found,
                         "the work of launches is listed as work that belongs to no launch in " + when);
    } else {
      violations_.expect(found, "work that belongs to no launch is not listed in " + when);
    }
  }

  static constexpr std::chrono::seconds waits_at_most{5};

  Timer& timer_;
  const TimerCheck& check_;
  Violations& violations_;
  const Key key_ = make_key(1, 2, 3);
  std::vector<std::unique_ptr<CheckedLaunch>> launches_;  ///< notes stay where they are
  std::vector<IterationTiming> iterations_;
  std::int64_t next_iteration_ = 0;
  bool wants_times_ = true;  ///< of launches
};

}  // namespace

std::vector<std::string> check_timer(const TimerFactory& factory, const TimerCheck& check) {
  Violations violations;
  const std::unique_ptr<Timer> timer = factory ? factory() : nullptr;
  if (violations.expect(timer != nullptr, "the factory makes no timer")) {
    try {
      TimerChecker(*timer, check, violations).run();
    } catch (const std::exception& error) {
      violations.add(std::string("begin_iteration or end_iteration throws: ") + error.what());
    }
  }
  return violations.take();
}

}  // namespace contextual::testing
