#include "contextual/cuda/cupti/call_list.hpp"

#include "support/catch.hpp"
#include "support/threads.hpp"

namespace contextual::cuda::call_list_test {

namespace {

std::vector<std::int64_t> launches_of(const std::vector<LaunchedCall>& calls) {
  std::vector<std::int64_t> launches;
  for (const LaunchedCall& call : calls) {
    launches.push_back(call.launch);
  }
  return launches;
}

}  // namespace

TEST_CASE("call list: gives what was added since the last time, in a thread's order") {
  CallList list(64);
  std::vector<LaunchedCall> calls;
  for (const int count : {3, 0, 2, 40}) {
    for (int i = 0; i < count; ++i) {
      list.add({static_cast<std::uint32_t>(7 + i), i % 2 == 0, 100 + i});
    }
    REQUIRE(list.take(calls));
    REQUIRE(calls.size() == static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      const LaunchedCall& call = calls[static_cast<std::size_t>(i)];
      CHECK(call.correlation == static_cast<std::uint32_t>(7 + i));
      CHECK(call.kernel == (i % 2 == 0));
      CHECK(call.launch == 100 + i);
    }
  }
}

TEST_CASE("call list: places that a thread has left are not another batch's or list's") {
  CallList first(64);
  std::vector<LaunchedCall> calls;
  first.add({1, true, 1});
  CallList second(64);
  second.add({2, true, 2});
  first.add({3, true, 3});
  REQUIRE(second.take(calls));
  CHECK(launches_of(calls) == std::vector<std::int64_t>{2});
  REQUIRE(first.take(calls));
  CHECK(launches_of(calls) == std::vector<std::int64_t>{1, 3});
  REQUIRE(first.take(calls));
  CHECK(calls.empty());
}

TEST_CASE("call list: calls beyond its capacity are lost, once") {
  CallList list(32);
  std::vector<LaunchedCall> calls;
  for (int batch = 0; batch < 2; ++batch) {
    for (int i = 0; i < 50; ++i) {
      list.add({1, true, i});
    }
    CHECK(list.take(calls) == (batch == 1));
    CHECK(calls.size() == (batch == 1 ? 50 : 32));
  }
}

TEST_CASE("call list: threads add at the same time") {
  constexpr int threads = 4;
  constexpr int each = 1000;
  CallList list(std::size_t{threads} * each + 1000);
  for (int batch = 0; batch < 3; ++batch) {
    test::on_threads(threads, [&list](int t) {
      for (int i = 0; i < each; ++i) {
        list.add({static_cast<std::uint32_t>(i), true, t * each + i});
      }
    });
    std::vector<LaunchedCall> calls;
    REQUIRE(list.take(calls));
    const std::vector<std::int64_t> launches = launches_of(calls);
    CHECK(launches.size() == std::size_t{threads} * each);
    CHECK(std::set(launches.begin(), launches.end()).size() == launches.size());
  }
}

}  // namespace contextual::cuda::call_list_test
