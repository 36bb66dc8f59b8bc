#include "contextual/tuning/call_watch.hpp"

#include "support/catch.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace call_watch_test {

using contextual::tuning::CallWatch;
using std::chrono::milliseconds;

namespace {

/// What was done about calls, in order.
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

  CallWatch::Call call(milliseconds limit, milliseconds grace, const std::string& name = {}) {
    return {limit, grace, [this, name](std::chrono::nanoseconds) -> CallWatch::Actions {
              return {[this, name] { add("tell" + name); }, [this, name] { add("leave" + name); },
                      [this, name] { add("over" + name); }};
            }};
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> deeds_;
};

}  // namespace

TEST_CASE("call watch: a call that goes on is told once, left once, and over when it ends", "[unit]") {
  Deeds deeds;
  CallWatch watch;
  const CallWatch::Call call = deeds.call(milliseconds(10), milliseconds(10));
  {
    const CallWatch::Section section(watch, call);
    CHECK(section.watched());
    CHECK(deeds.come_to(2));
    std::this_thread::sleep_for(milliseconds(50));
  }
  CHECK(deeds.all() == std::vector<std::string>{"tell", "leave", "over"});
}

TEST_CASE("call watch: a call that ends within its limit is not told, however many there are", "[unit]") {
  Deeds deeds;
  CallWatch watch;
  const CallWatch::Call call = deeds.call(std::chrono::seconds(20), milliseconds(0));
  for (int i = 0; i < 10'000; ++i) {
    const CallWatch::Section section(watch, call);
  }
  CHECK(deeds.all().empty());
}

TEST_CASE("call watch: a call that ends within its grace is not left", "[unit]") {
  Deeds deeds;
  CallWatch watch;
  const CallWatch::Call call = deeds.call(milliseconds(10), std::chrono::seconds(20));
  {
    const CallWatch::Section section(watch, call);
    CHECK(deeds.come_to(1));
  }
  CHECK(deeds.all() == std::vector<std::string>{"tell", "over"});
}

TEST_CASE("call watch: it wakes for a call that begins after a time without any", "[unit]") {
  Deeds deeds;
  CallWatch watch;
  const CallWatch::Call call = deeds.call(milliseconds(10), std::chrono::seconds(20));
  for (std::size_t i = 1; i <= 3; ++i) {
    {
      const CallWatch::Section section(watch, call);
      CHECK(deeds.come_to(2 * i - 1));
    }
    std::this_thread::sleep_for(milliseconds(30));  // some ticks
  }
  CHECK(deeds.all() == std::vector<std::string>{"tell", "over", "tell", "over", "tell", "over"});
}

TEST_CASE("call watch: calls of several threads are told each", "[unit]") {
  Deeds deeds;
  CallWatch watch;
  const CallWatch::Call a = deeds.call(milliseconds(10), std::chrono::seconds(20), " a");
  const CallWatch::Call b = deeds.call(milliseconds(10), std::chrono::seconds(20), " b");
  {
    const CallWatch::Section here(watch, a);
    std::thread other([&] {
      const CallWatch::Section there(watch, b);
      CHECK(deeds.come_to(2));
    });
    other.join();
  }
  const std::vector<std::string> all = deeds.all();
  CHECK(all.size() == 4);
  CHECK(all[2] == "over b");
  CHECK(all[3] == "over a");
}

TEST_CASE("call watch: a call that ends while another one is told is not left", "[unit]") {
  Deeds deeds;
  CallWatch watch;
  std::promise<void> holds;
  std::promise<void> release;
  std::promise<void> told;
  std::promise<void> ended;
  // While the watch is held, two calls begin, so that it sees both from the same tick on. In one later tick
  // it is to tell the first and to leave the second, which ends while the first is told.
  const CallWatch::Call holder{milliseconds(1), std::chrono::seconds(20), [&](std::chrono::nanoseconds) {
                                 return CallWatch::Actions{[&] {
                                                             holds.set_value();
                                                             release.get_future().wait();
                                                           },
                                                           {},
                                                           {}};
                               }};
  const CallWatch::Call slow{milliseconds(20), std::chrono::seconds(20), [&](std::chrono::nanoseconds) {
                               return CallWatch::Actions{[&] {
                                                           told.set_value();
                                                           ended.get_future().wait();
                                                         },
                                                         {},
                                                         {}};
                             }};
  const CallWatch::Call short_call = deeds.call(milliseconds(1), milliseconds(19));
  const CallWatch::Section held(watch, holder);
  holds.get_future().wait();
  const CallWatch::Section first(watch, slow);
  {
    const CallWatch::Section second(watch, short_call);
    release.set_value();
    told.get_future().wait();
  }
  ended.set_value();
  std::this_thread::sleep_for(milliseconds(50));
  CHECK(deeds.all() == std::vector<std::string>{"tell", "over"});
}

TEST_CASE("call watch: it is destroyed while it acts without waiting for that", "[unit]") {
  auto release = std::make_shared<std::promise<void>>();
  auto entered = std::make_shared<std::promise<void>>();
  auto left = std::make_shared<std::promise<void>>();
  const std::shared_future<void> released = release->get_future().share();
  {
    CallWatch watch;
    const CallWatch::Call call{milliseconds(5), milliseconds(5), [=](std::chrono::nanoseconds) {
                                 return CallWatch::Actions{{},
                                                           [=] {
                                                             entered->set_value();
                                                             released.wait();
                                                             left->set_value();
                                                           },
                                                           {}};
                               }};
    const CallWatch::Section section(watch, call);
    entered->get_future().wait();
  }
  release->set_value();  // reached: the destructor did not wait
  left->get_future().wait();
}

}  // namespace call_watch_test
