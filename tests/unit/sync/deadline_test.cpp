#include "support/catch.hpp"

#include <contextual/deadline.hpp>

#include <condition_variable>
#include <mutex>
#include <type_traits>

namespace contextual::deadline_test {

namespace {

using namespace std::chrono_literals;

/// A clock that a test moves on.
struct ScriptedClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ScriptedClock>;
  [[maybe_unused]] static constexpr bool is_steady = true;
  static inline time_point time;
  static time_point now() { return time; }
};

using ScriptedDeadline = BasicDeadline<ScriptedClock>;

/// Looks once a tick, as a wait does; returns the time until the deadline expired.
std::chrono::nanoseconds wait_for_expiry(ScriptedDeadline& deadline) {
  const auto begin = ScriptedClock::time;
  while (!deadline.expired()) {
    ScriptedClock::time += deadline.tick();
  }
  return ScriptedClock::time - begin;
}

/// A condition variable of a scripted process: it sleeps as long as it is told to.
struct ScriptedCondition {
  std::chrono::nanoseconds longest_sleep{0};
  void wait_for(int& /*lock*/, std::chrono::nanoseconds time) {
    longest_sleep = std::max(longest_sleep, time);
    ScriptedClock::time += time;
  }
};

}  // namespace

TEST_CASE("deadline: a wait that looks at it is over after its timeout") {
  for (const std::chrono::nanoseconds timeout : {1ns, 1'000'000ns, 50'000'000ns, 60'000'000'000ns}) {
    ScriptedDeadline deadline = ScriptedDeadline::after(timeout);
    REQUIRE_FALSE(deadline.expired());
    const auto waited = wait_for_expiry(deadline);
    CHECK(waited >= timeout);
    CHECK(waited < timeout + deadline.tick());
    CHECK(deadline.remaining() == 0ns);
  }
}

TEST_CASE("deadline: no time, or less than none, is over at once") {
  CHECK(ScriptedDeadline::after(0s).expired());
  CHECK(ScriptedDeadline::after(-1h).expired());
}

TEST_CASE("holds 20: to a deadline, a time in which the process did not run is four ticks") {
  ScriptedDeadline deadline = ScriptedDeadline::after(60s);
  ScriptedClock::time += 1h;  // stopped by a signal, or suspended with its machine
  CHECK_FALSE(deadline.expired());
  CHECK(deadline.remaining() == 60s - 4 * deadline.tick());
  ScriptedClock::time += 24h;
  CHECK(deadline.remaining() == 60s - 8 * deadline.tick());
  // Resumed, it is out within what is left, however long the peers have been gone.
  const auto left = deadline.remaining();
  CHECK(wait_for_expiry(deadline) == left);
}

TEST_CASE("deadline: a process that is stopped again and again still comes to its end") {
  ScriptedDeadline deadline = ScriptedDeadline::after(100s);
  int looks = 0;
  for (; !deadline.expired(); ++looks) {
    ScriptedClock::time += 1h;
  }
  CHECK(looks == 50);  // each stop counts as four ticks of 500 ms
}

TEST_CASE("deadline: a tick is a hundredth of the timeout, from 2 to 500 ms") {
  CHECK(ScriptedDeadline::after(1ms).tick() == 2ms);
  CHECK(ScriptedDeadline::after(10s).tick() == 100ms);
  CHECK(ScriptedDeadline::after(1h).tick() == 500ms);
}

TEST_CASE("deadline: moved, it goes on with what is left; a copy would not know that") {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Deadline>);
  STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Deadline>);
  ScriptedDeadline deadline = ScriptedDeadline::after(10s);
  ScriptedClock::time += 100ms;
  ScriptedDeadline moved = std::move(deadline);
  CHECK(moved.remaining() == 9900ms);
}

TEST_CASE("deadline: any timeout is a time that can be waited for") {
  ScriptedDeadline deadline = ScriptedDeadline::after(std::chrono::hours::max());
  CHECK(deadline.remaining() > std::chrono::hours(24 * 365));
  CHECK_FALSE(ScriptedDeadline::after(std::chrono::duration<double>(1e300)).expired());
}

TEST_CASE("deadline: a wait for a condition sleeps a tick at a time") {
  ScriptedCondition condition;
  int lock = 0;
  const auto begin = ScriptedClock::time;
  CHECK_FALSE(ScriptedDeadline::after(10s).wait(condition, lock, [] { return false; }));
  CHECK(ScriptedClock::time - begin == 10s);
  CHECK(condition.longest_sleep == 100ms);
  ScriptedDeadline deadline = ScriptedDeadline::after(10s);
  CHECK(deadline.wait(condition, lock, [&] { return ScriptedClock::time - begin >= 11s; }));
  CHECK(deadline.remaining() == 9s);
}

TEST_CASE("deadline: a wait for a condition that is told ends at once") {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::jthread other([&] {
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  CHECK(Deadline::after(5min).wait(changed, lock, [&] { return done; }));
}

}  // namespace contextual::deadline_test
