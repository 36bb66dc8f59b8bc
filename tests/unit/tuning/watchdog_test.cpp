#include "contextual/tuning/watchdog.hpp"

#include "support/child_process.hpp"
#include "support/log_events.hpp"
#include "support/stderr_capture.hpp"
#include "unit/tuning/changed_options.hpp"

#include <sys/resource.h>
#include <sys/types.h>

#include <future>
#include <mutex>

namespace contextual::test::watchdog_test {

using std::chrono::milliseconds;
using tuning::Watchdog;

namespace {

/// What was done about sections, in order.
class Deeds {
 public:
  void add(const std::string& deed) {
    const std::lock_guard lock(mutex_);
    deeds_.push_back(deed);
  }
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return deeds_;
  }
  /// Waits until there are as many; gives up after ten seconds.
  bool come_to(std::size_t count) const {
    for (int i = 0; i < 1000 && all().size() < count; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    return all().size() >= count;
  }

  Watchdog::Watch watch(Watchdog& watchdog, milliseconds limit, milliseconds grace,
                        const std::string& name = {}) {
    const auto bark = [this, name](const Watchdog::Place&, std::chrono::nanoseconds) -> Watchdog::Actions {
      return {[this, name] { add("tell" + name); }, [this, name] { add("leave" + name); },
              [this, name] { add("over" + name); }};
    };
    return {&watchdog, limit, grace, bark};
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> deeds_;
};

const Watchdog::Place region{Activity::region, Phase::walk, 0};

/// Options under which a blocked region is found soon.
Options impatient() {
  return quick({.deadline = milliseconds(50), .grace = milliseconds(50)});
}

}  // namespace

TEST_CASE("watchdog: a section that goes on is told once, left once, and over when it ends") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch watch = deeds.watch(watchdog, milliseconds(10), milliseconds(10));
  {
    const Watchdog::Section section(watch, region);
    CHECK(deeds.come_to(2));
    std::this_thread::sleep_for(milliseconds(50));
  }
  CHECK(deeds.all() == std::vector<std::string>{"tell", "leave", "over"});
}

TEST_CASE("watchdog: a section that ends within its limit is not told, however many there are") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch watch = deeds.watch(watchdog, std::chrono::seconds(20), milliseconds(0));
  for (int i = 0; i < 10'000; ++i) {
    const Watchdog::Section section(watch, region);
  }
  CHECK(deeds.all().empty());
}

TEST_CASE("watchdog: a section that ends within its grace is not left") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch watch = deeds.watch(watchdog, milliseconds(10), std::chrono::seconds(20));
  {
    const Watchdog::Section section(watch, region);
    CHECK(deeds.come_to(1));
  }
  CHECK(deeds.all() == std::vector<std::string>{"tell", "over"});
}

TEST_CASE("watchdog: it wakes for a section that begins after a time without any") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch watch = deeds.watch(watchdog, milliseconds(10), std::chrono::seconds(20));
  for (std::size_t i = 1; i <= 3; ++i) {
    {
      const Watchdog::Section section(watch, region);
      CHECK(deeds.come_to(2 * i - 1));
    }
    std::this_thread::sleep_for(milliseconds(30));  // some ticks
  }
  CHECK(deeds.all() == std::vector<std::string>{"tell", "over", "tell", "over", "tell", "over"});
}

TEST_CASE("watchdog: sections of several threads are told each") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch a = deeds.watch(watchdog, milliseconds(10), std::chrono::seconds(20), " a");
  const Watchdog::Watch b = deeds.watch(watchdog, milliseconds(10), std::chrono::seconds(20), " b");
  {
    const Watchdog::Section here(a, region);
    std::thread other([&] {
      const Watchdog::Section there(b, region);
      CHECK(deeds.come_to(2));
    });
    other.join();
  }
  const std::vector<std::string> all = deeds.all();
  CHECK(all.size() == 4);
  CHECK(all[2] == "over b");
  CHECK(all[3] == "over a");
}

TEST_CASE("watchdog: a section that ends while another one is told is not left") {
  Deeds deeds;
  Watchdog watchdog;
  std::promise<void> holds;
  std::promise<void> release;
  std::promise<void> told;
  std::promise<void> ended;
  // While the watchdog is held, two calls begin, so that it sees both from the same tick on. In one later
  // tick it is to tell the first and to leave the second, which ends while the first is told.
  using std::chrono::nanoseconds;
  const auto hold = [&] {
    holds.set_value();
    release.get_future().wait();
  };
  const auto tell_slowly = [&] {
    told.set_value();
    ended.get_future().wait();
  };
  const Watchdog::Watch holder{&watchdog, milliseconds(1), std::chrono::seconds(20),
                               [&](const Watchdog::Place&, nanoseconds) -> Watchdog::Actions {
                                 return {hold, {}};
                               }};
  const Watchdog::Watch slow{&watchdog, milliseconds(20), std::chrono::seconds(20),
                             [&](const Watchdog::Place&, nanoseconds) -> Watchdog::Actions {
                               return {tell_slowly, {}};
                             },
                             Watchdog::Outer::goes_on};
  Watchdog::Watch short_one = deeds.watch(watchdog, milliseconds(1), milliseconds(19));
  short_one.outer = Watchdog::Outer::goes_on;
  const Watchdog::Section held(holder, region);
  holds.get_future().wait();
  const Watchdog::Section first(slow, region);
  {
    const Watchdog::Section second(short_one, region);
    release.set_value();
    told.get_future().wait();
  }
  ended.set_value();
  std::this_thread::sleep_for(milliseconds(50));
  CHECK(deeds.all() == std::vector<std::string>{"tell", "over"});
}

TEST_CASE("watchdog: while it leaves one section, another one is told and left") {
  Deeds deeds;
  Watchdog watchdog;
  auto entered = std::make_shared<std::promise<void>>();
  auto release = std::make_shared<std::promise<void>>();
  auto left = std::make_shared<std::promise<void>>();
  const auto leave = [=] {
    entered->set_value();
    release->get_future().wait();
    left->set_value();
  };
  const Watchdog::Watch slow{&watchdog, milliseconds(10), milliseconds(10),
                             [=](const Watchdog::Place&, std::chrono::nanoseconds) {
                               return Watchdog::Actions{{}, leave};
                             }};
  const Watchdog::Watch watch = deeds.watch(watchdog, milliseconds(10), milliseconds(10));
  {
    const Watchdog::Section section(slow, region);
    entered->get_future().wait();
  }
  {
    const Watchdog::Section section(watch, region);
    CHECK(deeds.come_to(2));
  }
  CHECK(deeds.all() == std::vector<std::string>{"tell", "leave", "over"});
  release->set_value();
  left->get_future().wait();
}

TEST_CASE("watchdog: it is destroyed while it acts without waiting for that") {
  auto release = std::make_shared<std::promise<void>>();
  auto entered = std::make_shared<std::promise<void>>();
  auto left = std::make_shared<std::promise<void>>();
  const std::shared_future<void> released = release->get_future().share();
  const bool tells = GENERATE(true, false);
  {
    Watchdog watchdog;
    const auto act = [=] {
      entered->set_value();
      released.wait();
      left->set_value();
    };
    const Watchdog::Watch watch{&watchdog, milliseconds(5), milliseconds(5),
                                [=](const Watchdog::Place&, std::chrono::nanoseconds) -> Watchdog::Actions {
                                  return tells ? Watchdog::Actions{act, {}} : Watchdog::Actions{{}, act};
                                }};
    const Watchdog::Section section(watch, region);
    entered->get_future().wait();
  }
  release->set_value();  // reached: the destructor did not wait
  left->get_future().wait();
}

TEST_CASE("watchdog: bark learns where the section is, and how long it has been") {
  std::promise<Watchdog::Place> seen;
  Watchdog watchdog;
  const Watchdog::Watch watch{&watchdog, milliseconds(10), milliseconds(0),
                              [&](const Watchdog::Place& place, std::chrono::nanoseconds blocked_for) {
                                CHECK(blocked_for >= milliseconds(10));
                                seen.set_value(place);
                                return Watchdog::Actions{};
                              }};
  const Watchdog::Section section(watch, {Activity::settle, Phase::search, 3});
  const Watchdog::Place place = seen.get_future().get();
  CHECK(place.activity == Activity::settle);
  CHECK(place.phase == Phase::search);
  CHECK(place.tuning_iteration == 3);
}

TEST_CASE("watchdog: a short limit counts beside and after a long one") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch patient = deeds.watch(watchdog, std::chrono::hours(1), milliseconds(0), " patient");
  const Watchdog::Watch strict = deeds.watch(watchdog, milliseconds(10), std::chrono::hours(1), " strict");
  const Watchdog::Section outer(patient, region);
  const auto begin = std::chrono::steady_clock::now();
  std::thread other([&] {
    const Watchdog::Section section(strict, region);
    CHECK(deeds.come_to(1));
  });
  other.join();
  CHECK(std::chrono::steady_clock::now() - begin < milliseconds(450));  // a tick of the long one is 500 ms
  CHECK(deeds.all() == std::vector<std::string>{"tell strict", "over strict"});
}

TEST_CASE("watchdog: a short limit counts when a long one follows before the thread wakes") {
  for (int i = 0; i < 5; ++i) {
    Deeds deeds;
    Watchdog watchdog;
    Watchdog::Watch patient = deeds.watch(watchdog, std::chrono::hours(1), milliseconds(0), " patient");
    patient.outer = Watchdog::Outer::goes_on;
    const Watchdog::Watch strict = deeds.watch(watchdog, milliseconds(10), std::chrono::hours(1), " strict");
    { const Watchdog::Section section(strict, region); }
    std::this_thread::sleep_for(milliseconds(100));  // many ticks, after which the thread is idle
    const auto begin = std::chrono::steady_clock::now();
    const Watchdog::Section outer(strict, region);
    const Watchdog::Section inner(patient, region);
    CHECK(deeds.come_to(1));
    CHECK(std::chrono::steady_clock::now() - begin < milliseconds(450));
  }
}

TEST_CASE("watchdog: a short limit beside a long one does not count once its section has ended") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch patient = deeds.watch(watchdog, std::chrono::hours(1), milliseconds(0));
  Watchdog::Watch strict = deeds.watch(watchdog, milliseconds(200), milliseconds(0));
  strict.outer = Watchdog::Outer::goes_on;
  const Watchdog::Section outer(patient, region);
  {
    const Watchdog::Section section(strict, region);
    std::this_thread::sleep_for(milliseconds(10));
  }
  std::this_thread::sleep_for(milliseconds(50));
  const auto waits = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
  };
  const auto before = waits();
  std::this_thread::sleep_for(milliseconds(400));
  CHECK(waits() - before < 50);  // a tick of the short one is 2 ms
}

TEST_CASE("watchdog: sections with a short limit in a row do not hide a long one") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch patient = deeds.watch(watchdog, std::chrono::seconds(1), std::chrono::hours(1));
  Watchdog::Watch strict = deeds.watch(watchdog, milliseconds(200), milliseconds(0));
  strict.outer = Watchdog::Outer::goes_on;
  const Watchdog::Section outer(patient, region);
  for (int i = 0; i < 1000 && deeds.all().empty(); ++i) {
    {
      const Watchdog::Section section(strict, region);
      std::this_thread::sleep_for(milliseconds(3));
    }
    std::this_thread::sleep_for(milliseconds(3));
  }
  CHECK(deeds.all() == std::vector<std::string>{"tell"});
}

TEST_CASE("watchdog: a run inside a section of another one is not taken for blocked") {
  Deeds deeds;
  Watchdog watchdog_of_outer;
  Watchdog watchdog_of_inner;
  const Watchdog::Watch outer = deeds.watch(watchdog_of_outer, milliseconds(40), std::chrono::hours(1));
  Watchdog::Watch inner = deeds.watch(watchdog_of_inner, std::chrono::seconds(20), std::chrono::hours(1));
  const bool replaced = GENERATE(true, false);
  inner.outer = replaced ? Watchdog::Outer::pauses : Watchdog::Outer::goes_on;
  const Watchdog::Section hook(outer, region);
  for (int i = 0; i < 20; ++i) {
    const Watchdog::Section in_hook(inner, region);
    std::this_thread::sleep_for(milliseconds(10));
  }
  CHECK(deeds.all().empty() == replaced);
  CHECK(deeds.come_to(1));  // outside of the inner run it is watched again
}

#ifndef __SANITIZE_THREAD__  // which refuses threads that are started after such a fork
TEST_CASE("watchdog: a child of fork has a thread of its own") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch watch = deeds.watch(watchdog, milliseconds(10), std::chrono::hours(1));
  watchdog.start();
  CHECK(exit_status_of_fork([&] {
          const Watchdog::Section section(watch, region);
          return deeds.come_to(1) ? 0 : 1;
        }) == 0);
  CHECK(deeds.all().empty());
}

TEST_CASE("watchdog: a child of fork may destroy it, with a thread of its own and without") {
  Deeds deeds;
  auto watchdog = std::make_unique<Watchdog>();
  const Watchdog::Watch watch = deeds.watch(*watchdog, std::chrono::hours(1), milliseconds(0));
  watchdog->start();
  const bool starts = GENERATE(true, false);
  CHECK(exit_status_of_fork([&] {
          if (starts) {
            watchdog->start();
          }
          // The next thread may have the handle of the parent's.
          std::thread other([&] { const Watchdog::Section section(watch, region); });
          other.join();
          watchdog.reset();
          return 0;
        }) == 0);
  CHECK(exit_status_of_fork([&] {
          std::promise<void> end;
          std::thread other([&] { end.get_future().wait(); });
          watchdog.reset();
          end.set_value();
          other.join();
          return 0;
        }) == 0);
}

TEST_CASE("watchdog: a child of fork does not wait for a lock of another thread of its parent") {
  Deeds deeds;
  Watchdog watchdog;
  const Watchdog::Watch watch = deeds.watch(watchdog, std::chrono::hours(1), milliseconds(0));
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends) {
      watchdog.start();
    }
  });
  int failed = 0;
  for (int i = 0; i < 50 && failed == 0; ++i) {
    failed += exit_status_of_fork([&] {
                const Watchdog::Section section(watch, region);
                return 0;
              }) == 0
                  ? 0
                  : 1;
  }
  ends = true;
  other.join();
  CHECK(failed == 0);
}
#endif

TEST_CASE("holds 8: on_deadline learns what a blocked region was doing") {
  TunableKernel kernel(
      "blocks", blocks(3), [] { return make_key(7); }, [](const Block&) {}, {});
  std::promise<std::string> told;
  auto heard = told.get_future();
  Options options = impatient();
  options.on_deadline = [&](const BlockedInfo& blocked) {
    told.set_value(std::string(blocked.region) + "/" + std::string(to_string(blocked.activity)) + "/" +
                   std::string(to_string(blocked.phase)) + "/" + std::string(blocked.kernel) +
                   std::string(blocked.key) + "/" + std::string(blocked.config) + "/" +
                   std::to_string(blocked.rank) + (blocked.in_launch ? "/under way" : "/returned"));
  };
  ContextualAutotuner tuner(options);
  bool first = true;
  tuner.run("slow", [&] {
    kernel();
    if (std::exchange(first, false)) {
      heard.wait();  // as long as nobody notices
    }
  });
  CHECK(heard.get() == "slow/region/walk/blocks(7)/{BLOCK: 0}/0/returned");
  CHECK(problem_of(tuner, "slow", "blocks").choice == 2);  // it went on when it was not blocked any more
}

TEST_CASE("holds 8: what is said of a blocked region names what was rejected in it before") {
  bool rejected = false;
  TunableKernel kernel(
      "blocks_after_rejection", blocks(3), [] { return make_key(7); },
      [&](const Block& block) {
        if (block.block == 1) {
          rejected = true;
          throw ConfigRejected("too large");
        }
      },
      {});
  const TemporaryDirectory directory;
  std::promise<void> told;
  auto heard = told.get_future();
  Options options = impatient();
  options.log_directory = directory.path();
  options.on_deadline = [&](const BlockedInfo&) { told.set_value(); };
  const StderrCapture said;
  ContextualAutotuner(options).run("blocked_after_rejection", [&] {
    kernel();
    if (std::exchange(rejected, false)) {
      heard.wait();
    }
  });
  const std::string what = "config-1 {BLOCK: 1} was rejected before that (too large)";
  CHECK(count_of(said.text(), what) >= 1);
  const std::vector<nlohmann::json> events = events_in(directory.path(), 0);
  CHECK(std::any_of(events.begin(), events.end(), [&](const nlohmann::json& event) {
    return event.at("event") == "warning" &&
           event.at("text").get<std::string>().find(what) != std::string::npos;
  }));
}

TEST_CASE("holds 8: on_deadline names the launch that does not return") {
  std::promise<void> told;
  auto heard = told.get_future();
  bool in_launch = false;
  std::string config;
  TunableKernel kernel(
      "spins", blocks(3), [] { return make_key(7); },
      [&](const Block& block) {
        if (block.block == 2) {
          heard.wait();
        }
      },
      {});
  Options options = impatient();
  options.n_repeat = 1;
  options.on_deadline = [&](const BlockedInfo& blocked) {
    in_launch = blocked.in_launch;
    config = blocked.config;
    told.set_value();
  };
  ContextualAutotuner(options).run("spinning", [&] { kernel(); });
  CHECK(in_launch);
  CHECK(config == "{BLOCK: 2}");
}

TEST_CASE("holds 8: a region that goes on after on_deadline is tuned, whatever on_deadline still does") {
  const auto unblock = std::make_shared<std::promise<void>>();
  const auto finish = std::make_shared<std::promise<void>>();
  const auto finished = std::make_shared<std::promise<std::string>>();
  const auto may_finish = finish->get_future().share();
  auto blocked = unblock->get_future();
  {
    TunableKernel kernel(
        "goes-on", blocks(2), [] { return make_key(); }, [](const Block&) {}, {});
    Options options = impatient();
    options.on_deadline = [=](const BlockedInfo& info) {
      unblock->set_value();
      may_finish.wait();  // until tuner, kernel and region are gone
      finished->set_value(std::string(info.region) + " " + std::string(info.kernel) + " " +
                          std::string(info.config));
    };
    ContextualAutotuner tuner(options);
    bool first = true;
    tuner.run("late", [&] {
      kernel();
      if (std::exchange(first, false)) {
        blocked.wait();
      }
    });
  }
  finish->set_value();
  CHECK(finished->get_future().get() == "late goes-on {BLOCK: 0}");
}

TEST_CASE("holds 8: a region that blocks while on_deadline still runs for another one is told as well") {
  TunableKernel kernel(
      "blocks-twice", blocks(2), [](int key) { return make_key(key); }, [](const Block&, int) {}, {});
  const auto unblock = std::make_shared<std::promise<void>>();
  const auto second = std::make_shared<std::promise<void>>();
  const auto done = std::make_shared<std::promise<void>>();
  auto told_first = unblock->get_future();
  auto told_second = second->get_future().share();
  Options options = impatient();
  options.on_deadline = [=](const BlockedInfo& info) {
    if (info.region == "first") {
      unblock->set_value();
      told_second.wait_for(std::chrono::seconds(10));
      done->set_value();
    } else {
      second->set_value();
    }
  };
  ContextualAutotuner tuner(options);
  bool first = true;
  tuner.run("first", [&] {
    kernel(1);
    if (std::exchange(first, false)) {
      told_first.wait();
    }
  });
  bool blocks_now = true;
  tuner.run("second", [&] {
    kernel(2);
    if (std::exchange(blocks_now, false)) {
      CHECK(told_second.wait_for(std::chrono::seconds(5)) == std::future_status::ready);
    }
  });
  done->get_future().wait();
}

TEST_CASE("holds 8: deadlines of any length do not end a healthy run") {
  const auto longest = std::chrono::milliseconds::max();
  const auto centuries = std::chrono::duration_cast<milliseconds>(std::chrono::hours(24 * 365 * 300));
  for (const auto deadline : {longest, centuries}) {
    for (const auto grace : {milliseconds(0), longest}) {
      Options options = quick({.always_tune = true, .deadline = deadline, .grace = grace});
      int barks = 0;
      options.on_deadline = [&](const BlockedInfo&) { ++barks; };
      tune_alone("patient", 2, options, [first = true](const Block&) mutable {
        if (std::exchange(first, false)) {
          std::this_thread::sleep_for(milliseconds(50));
        }
      });
      CHECK(barks == 0);
    }
  }
}

TEST_CASE("child process: blocked for ever") {
  ONLY_IF(is_child());
  TunableKernel kernel(
      "for-ever", blocks(2), [] { return make_key(); }, [](const Block&) {}, {});
  TunableKernel beside(
      "beside", blocks(3), [] { return make_key(7); }, [](const Block&) {}, {});
  Options options = impatient();
  options.n_warmup = 1;
  options.n_repeat = 1;
  options.log_directory = std::getenv("TEST_LOGS");
  int runs = 0;
  ContextualAutotuner(options).run("stuck", [&] {
    kernel();
    while (++runs > 3) {  // in the first run of the second configs
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
    beside();
  });
}

namespace {

/// Blocks for three seconds where it is told to.
class SlowTimer final : public testing::ForwardingTimer {
 public:
  SlowTimer(std::string where, std::unique_ptr<Timer> timer)
      : ForwardingTimer(std::move(timer)), where_(std::move(where)) {
    block("begin");
  }
  ~SlowTimer() override { block("end"); }

 private:
  void block(const std::string& here) const {
    if (where_ == here) {
      std::this_thread::sleep_for(std::chrono::seconds(3));
    }
  }

  std::string where_;
};

}  // namespace

TEST_CASE("child process: a timer that blocks") {
  ONLY_IF(is_child());
  const Options options = quick(
      {.deadline = milliseconds(400),
       .grace = milliseconds(50),
       .log_directory = std::getenv("TEST_LOGS"),
       .timer = [] { return std::make_unique<SlowTimer>(std::getenv("TEST_WHERE"), last_is_fastest()()); }});
  tune_alone("slow-timer", 2, options);
}

TEST_CASE("holds 20: a timer that blocks where it is made or destroyed is told, and the process leaves") {
  const std::string where = GENERATE("begin", "end");
  const TemporaryDirectory directory;
  CHECK(run_child("a timer that blocks", {{"TEST_LOGS", directory.path().string()}, {"TEST_WHERE", where}}) ==
        deadline_exit_code);
  const nlohmann::json last = events_in(directory.path(), 0).back();
  CHECK(last.at("event").get<std::string>() == "blocked");
  CHECK(last.at("activity").get<std::string>() == (where == "begin" ? "prepare" : "settle"));
  CHECK(last.at("action").get<std::string>() == "exit 84");
}

TEST_CASE("holds 8: a blocked process leaves with the documented exit code and has said why") {
  const TemporaryDirectory directory;
  CHECK(run_child("blocked for ever", {{"TEST_LOGS", directory.path().string()}}) == deadline_exit_code);
  const nlohmann::json last = events_in(directory.path(), 0).back();
  CHECK(last.at("event").get<std::string>() == "blocked");
  CHECK(last.at("activity").get<std::string>() == "region");
  CHECK(last.at("kernel").get<std::string>() == "for-ever");
  CHECK(last.at("action").get<std::string>() == "exit 84");
  REQUIRE(last.at("assignment").size() == 2);  // the whole one, also what has not been launched yet
  CHECK(last.at("assignment").at(0).at("kernel").get<std::string>() == "for-ever");
  CHECK(last.at("assignment").at(0).at("config_id").get<int>() == 1);
  CHECK(last.at("assignment").at(1).at("kernel").get<std::string>() == "beside");
  CHECK(last.at("assignment").at(1).at("key").get<std::string>() == "(7)");
  CHECK(last.at("assignment").at(1).at("config_id").get<int>() == 1);
  CHECK_FALSE(last.at("assignment").at(1).at("config").empty());
}

}  // namespace contextual::test::watchdog_test
