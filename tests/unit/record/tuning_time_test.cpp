#include "contextual/record/tuning_time.hpp"

#include "support/catch.hpp"

#include <chrono>

namespace tuning_time_test {

using contextual::record::TuningTime;

namespace {

/// A watch whose clock is set by hand.
struct Watch {
  TuningTime::Clock::time_point now{};
  TuningTime time{[this] { return now; }};

  void pass(std::int64_t ns) { now += std::chrono::nanoseconds(ns); }
};

}  // namespace

TEST_CASE("tuning time: what comes after the run does not count", "[unit]") {
  Watch watch;
  watch.pass(10);
  CHECK(watch.time.total_ns() == 10);
  watch.pass(5);
  watch.time.stop();
  watch.pass(1000);
  CHECK(watch.time.total_ns() == 15);
}

TEST_CASE("tuning time: problems that are walked at the same time each have an iteration's whole time",
          "[unit]") {
  Watch watch;
  watch.pass(80);
  watch.time.end_batch(8);
  for (int i = 0; i < 8; ++i) {
    watch.time.add_walked(0);
    if (i < 2) {
      watch.time.add_walked(1);
    }
  }
  CHECK(watch.time.walk_ns(0) == 80);
  CHECK(watch.time.walk_ns(1) == 20);
  CHECK(watch.time.walk_ns(2) == 0);
}

TEST_CASE("tuning time: a batch has the time since the last one", "[unit]") {
  Watch watch;
  watch.pass(100);
  watch.time.end_batch(1);
  watch.pass(30);
  watch.time.end_batch(3);
  watch.time.add_walked(0);
  CHECK(watch.time.walk_ns(0) == 10);
  watch.time.end_batch(0);
  watch.time.add_walked(0);
  CHECK(watch.time.walk_ns(0) == 10);
}

}  // namespace tuning_time_test
