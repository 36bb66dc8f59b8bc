#include "contextual/tuning/watchdog.hpp"

#include "support/child_process.hpp"
#include "support/log_events.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace watchdog_test {

using namespace contextual;
using namespace engine_test;
using std::chrono::milliseconds;
using tuning::Watchdog;

namespace {

struct Barks {
  std::mutex mutex;
  std::vector<std::string> activities;
  std::promise<void> first;

  Watchdog::Bark bark() {
    return [this](const Watchdog::Place& place, std::chrono::nanoseconds) -> Watchdog::Actions {
      const std::lock_guard lock(mutex);
      activities.emplace_back(to_string(place.activity));
      if (activities.size() == 1) {
        first.set_value();
      }
      return {};
    };
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return activities.size();
  }
};

/// Options under which a blocked region is found soon.
Options impatient() {
  Options options = quick();
  options.deadline = milliseconds(50);
  options.grace = milliseconds(50);
  return options;
}

}  // namespace

TEST_CASE("watchdog: barks once for a section that does not end, and says which", "[unit]") {
  Barks barks;
  Watchdog watchdog(milliseconds(20), milliseconds(0), barks.bark());
  {
    const Watchdog::Section section(watchdog, {contextual::Activity::region, contextual::Phase::walk, 3});
    barks.first.get_future().wait();
    std::this_thread::sleep_for(milliseconds(100));
  }
  CHECK(barks.count() == 1);
  CHECK(barks.activities.front() == "region");
}

TEST_CASE("watchdog: many short sections, and the time between them, are no reason to bark", "[unit]") {
  Barks barks;
  Watchdog watchdog(std::chrono::seconds(20), milliseconds(0), barks.bark());
  for (int i = 0; i < 1000; ++i) {
    const Watchdog::Section section(watchdog, {contextual::Activity::region, contextual::Phase::walk, i});
  }
  CHECK(barks.count() == 0);
}

TEST_CASE("watchdog: is destroyed while it acts without waiting for that", "[unit]") {
  auto release = std::make_shared<std::promise<void>>();
  auto entered = std::make_shared<std::promise<void>>();
  auto left = std::make_shared<std::promise<void>>();
  std::shared_future<void> released = release->get_future().share();
  {
    Watchdog watchdog(milliseconds(5), milliseconds(5),
                      [=](const Watchdog::Place&, std::chrono::nanoseconds) {
                        return Watchdog::Actions{{}, [=] {
                                                   entered->set_value();
                                                   released.wait();
                                                   left->set_value();
                                                 }};
                      });
    const Watchdog::Section section(watchdog, {contextual::Activity::region, contextual::Phase::walk, 0});
    entered->get_future().wait();
  }
  release->set_value();  // reached: the destructor did not wait
  left->get_future().wait();
}

TEST_CASE("watchdog: tells first, and leaves only if the thread is still there after the grace", "[unit]") {
  std::promise<void> told;
  std::atomic<int> left{0};
  Watchdog watchdog(milliseconds(5), milliseconds(60), [&](const Watchdog::Place&, std::chrono::nanoseconds) {
    return Watchdog::Actions{[&] { told.set_value(); }, [&] { ++left; }};
  });
  {
    const Watchdog::Section section(watchdog, {contextual::Activity::region, contextual::Phase::walk, 0});
    told.get_future().wait();
  }
  std::this_thread::sleep_for(milliseconds(150));
  CHECK(left == 0);
}

TEST_CASE("watchdog: a run inside a section of another one is not taken for blocked", "[unit]") {
  Barks outer_barks;
  Barks inner_barks;
  Watchdog outer(milliseconds(40), milliseconds(0), outer_barks.bark());
  Watchdog inner(std::chrono::seconds(20), milliseconds(0), inner_barks.bark());
  const Watchdog::Section hook(outer, {contextual::Activity::before_iteration, contextual::Phase::walk, 0});
  for (int i = 0; i < 20; ++i) {
    const Watchdog::Section region(inner, {contextual::Activity::region, contextual::Phase::walk, i});
    std::this_thread::sleep_for(milliseconds(10));
  }
  CHECK(outer_barks.count() == 0);
  outer_barks.first.get_future().wait();  // outside of the inner run it is watched again
  CHECK(inner_barks.count() == 0);
}

TEST_CASE("holds 8: on_deadline learns what a blocked region was doing", "[unit]") {
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

TEST_CASE("holds 8: on_deadline names the launch that does not return", "[unit]") {
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

TEST_CASE("holds 8: a region that goes on after on_deadline is tuned, whatever on_deadline still does",
          "[unit]") {
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

TEST_CASE("holds 8: deadlines of any length do not end a healthy run", "[unit]") {
  const auto longest = std::chrono::milliseconds::max();
  const auto centuries = std::chrono::duration_cast<milliseconds>(std::chrono::hours(24 * 365 * 300));
  for (const auto deadline : {longest, centuries}) {
    for (const auto grace : {milliseconds(0), longest}) {
      Options options = quick();
      options.deadline = deadline;
      options.grace = grace;
      options.always_tune = true;
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

TEST_CASE("child process: blocked for ever", "[unit]") {
  if (!is_child()) {
    return;
  }
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

TEST_CASE("holds 8: a blocked process leaves with the documented exit code and has said why", "[unit]") {
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

}  // namespace watchdog_test
