#include "kernels/host/thread_pool.hpp"

#include "support/catch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

namespace contextual::kernels::thread_pool_test {

namespace {}  // namespace

TEST_CASE("thread pool runs every part once and reuses its threads") {
  for (int round = 0; round < 200; ++round) {
    const int parts = 1 + round % 4;
    std::vector<std::atomic<int>> runs(4);
    ThreadPool::shared().run(parts, [&](int part) { ++runs[static_cast<std::size_t>(part)]; });
    for (int part = 0; part < 4; ++part) {
      REQUIRE(runs[static_cast<std::size_t>(part)] == (part < parts ? 1 : 0));
    }
  }
}

TEST_CASE("thread pool with no parts runs nothing") {
  bool ran = false;
  ThreadPool::shared().run(0, [&](int) { ran = true; });
  REQUIRE_FALSE(ran);
}

TEST_CASE("thread pool job inside a part runs on that part's thread") {
  std::atomic<int> runs{0};
  ThreadPool::shared().run(2, [&](int) {
    const auto self = std::this_thread::get_id();
    ThreadPool::shared().run(3, [&](int) { runs += std::this_thread::get_id() == self ? 1 : 0; });
  });
  REQUIRE(runs == 6);
}

TEST_CASE("thread pool used by several threads at once runs every job in full") {
  std::atomic<int> runs{0};
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        ThreadPool::shared().run(3, [&](int) { ++runs; });
      }
    });
  }
  callers.clear();
  REQUIRE(runs == 4 * 50 * 3);
}

TEST_CASE("thread pool rethrows what a part threw, after all parts have ended") {
  for (const int culprit : {0, 1}) {
    std::atomic<int> runs{0};
    REQUIRE_THROWS_AS(ThreadPool::shared().run(3,
                                               [&](int part) {
                                                 ++runs;
                                                 if (part == culprit) {
                                                   throw std::runtime_error("planted");
                                                 }
                                               }),
                      std::runtime_error);
    REQUIRE(runs == 3);
  }
  std::atomic<int> runs{0};
  ThreadPool::shared().run(2, [&](int) { ++runs; });
  REQUIRE(runs == 2);
}

TEST_CASE("thread pool in a forked child runs all parts on the calling thread") {
  ThreadPool::shared().run(2, [](int) {});
  const pid_t child = fork();
  if (child == 0) {
    int runs = 0;
    ThreadPool::shared().run(2, [&](int) { ++runs; });
    _exit(runs == 2 ? 0 : 1);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
}

}  // namespace contextual::kernels::thread_pool_test
