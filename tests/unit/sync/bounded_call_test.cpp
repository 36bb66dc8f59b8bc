#include "support/catch.hpp"

#include <contextual/detail/sync/bounded_call.hpp>

#include <atomic>
#include <latch>

namespace contextual::sync::bounded_call_test {

namespace {

Deadline in(std::chrono::milliseconds time) {
  return Deadline::after(time);
}

}  // namespace

TEST_CASE("bounded call: it runs on another thread and is over when it returns") {
  Deadline deadline = in(std::chrono::seconds(30));
  std::thread::id there;
  CHECK(bounded_call([&] { there = std::this_thread::get_id(); }, deadline));
  CHECK(there != std::this_thread::get_id());
}

TEST_CASE("bounded call: what the body throws is thrown here") {
  Deadline deadline = in(std::chrono::seconds(30));
  CHECK_THROWS_AS(bounded_call([] { throw std::out_of_range("there"); }, deadline), std::out_of_range);
}

TEST_CASE("bounded call: what does not return is left alone, with all that it owns") {
  const auto go_on = std::make_shared<std::latch>(1);
  const auto over = std::make_shared<std::latch>(1);
  const auto owned = std::make_shared<std::atomic<int>>(0);
  Deadline deadline = in(std::chrono::milliseconds(20));
  CHECK_FALSE(bounded_call(
      [go_on, over, owned] {
        go_on->wait();
        owned->store(1);
        over->count_down();
      },
      deadline));
  CHECK(owned->load() == 0);
  go_on->count_down();
  over->wait();
  CHECK(owned->load() == 1);
}

TEST_CASE("bounded call: what the body owned is gone when the call is over") {
  Deadline deadline = in(std::chrono::seconds(30));
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> observed = owned;
  CHECK(bounded_call([kept = std::move(owned)] { static_cast<void>(*kept); }, deadline));
  CHECK(observed.expired());
}

}  // namespace contextual::sync::bounded_call_test
