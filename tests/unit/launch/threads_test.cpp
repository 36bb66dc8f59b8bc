/// \file
/// Threads of one region, of several regions, and regions inside regions.

#include "support/threads.hpp"

#include "support/engine.hpp"
#include "support/stderr_capture.hpp"

#include <latch>
#include <mutex>

namespace contextual::test::threads_test {

namespace {

/// A kernel that counts its launches; may be launched by many threads.
struct CountedKernel {
  std::atomic<int> launches{0};
  TunableKernel<int(const Block&)> kernel;
  CountedKernel(const std::string& name, int configs)
      : kernel(name, blocks(configs), single_problem, [this](const Block& c) {
          ++launches;
          return c.block;
        }) {}
};

}  // namespace

TEST_CASE("threads: two tuners tune different regions at the same time") {
  CountedKernel shared{"two_tuners_shared", 3};
  std::array<int, 2> runs{};
  std::array<std::optional<ContextualAutotuner>, 2> tuners;
  std::latch both_inside(2);
  on_threads(2, [&](std::size_t i) {
    tuners[i].emplace(
        quick(times([i](const LaunchInfo& launch) { return launch.config_id == i + 1 ? 1'000 : 2'000; })));
    tuners[i]->run("two_tuners_" + std::to_string(i), [&] {
      if (runs[i]++ == 0) {
        both_inside.arrive_and_wait();  // the regions do run at the same time
      }
      shared.kernel();
    });
  });
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(runs[i] == 7);
    const std::string region = "two_tuners_" + std::to_string(i);
    CHECK(problem_of(*tuners[i], region, "two_tuners_shared").choice == i + 1);
    CHECK(report_of(*tuners[i], region).warnings.empty());
  }
  CHECK(shared.launches == 14);
}

TEST_CASE("threads: one tuner used by two threads tunes one region after the other") {
  CountedKernel one{"one_tuner_a", 3};
  CountedKernel two{"one_tuner_b", 4};
  ContextualAutotuner tuner{quick()};
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  const auto tune = [&](const std::string& region, CountedKernel& kernel) {
    tuner.run(region, [&] {
      overlapped = overlapped || inside++ > 0;
      kernel.kernel();
      --inside;
    });
  };
  std::latch start(2);
  on_threads(2, [&](int thread) {
    start.arrive_and_wait();
    thread == 0 ? tune("one_tuner_region_a", one) : tune("one_tuner_region_b", two);
  });
  CHECK_FALSE(overlapped);
  CHECK(problem_of(tuner, "one_tuner_region_a", "one_tuner_a").choice == 2);
  CHECK(problem_of(tuner, "one_tuner_region_b", "one_tuner_b").choice == 3);
  CHECK(one.launches == 7);
  CHECK(two.launches == 9);
}

TEST_CASE("threads: a region that waits for a run of the same tuner gets an error after the deadline") {
  CountedKernel kernel{"self_wait", 2};
  ContextualAutotuner tuner{quick()};
  std::string text;
  int runs = 0;
  tuner.run("self_wait_outer", [&] {
    kernel.kernel();
    if (++runs == 1) {
      std::thread worker([&] {  // no guard, so this is a run of its own
        text = error_text<Error>(
            [&] { tuner.run("self_wait_inner", [] {}, {.deadline = std::chrono::milliseconds(20)}); });
      });
      worker.join();
    }
  });
  CHECK_THAT(text, ContainsSubstring("self_wait_inner"));
  CHECK_THAT(text, ContainsSubstring("ContextGuard"));
  CHECK(problem_of(tuner, "self_wait_outer", "self_wait").choice == 1);
}

TEST_CASE("threads: a nested run is part of the region that is being tuned") {
  CountedKernel outer{"nested_outer", 2};
  CountedKernel inner{"nested_inner", 3};
  ContextualAutotuner tuner{quick()};
  ContextualAutotuner another{quick()};
  int inner_runs = 0;
  const int value = tuner.run("nested_outer", [&] {
    outer.kernel();
    const int same = tuner.run("nested_same", [&] {
      ++inner_runs;
      return inner.kernel();
    });
    return same + another.run("nested_another", [&] { return 10 * inner.kernel(); });
  });
  CHECK(value == 22);
  CHECK(inner_runs == 7);
  const Report report = tuner.report();
  CHECK(report.runs.size() == 1);
  CHECK(report.runs[0].problems.size() == 2);
  CHECK(another.report().runs.empty());
  CHECK(LaunchRegistry::instance().locked_in("nested_outer", "nested_inner", Key{}) == 2);
  CHECK_FALSE(LaunchRegistry::instance().locked_in("nested_same", "nested_inner", Key{}));
}

TEST_CASE("threads: launches of worker threads with a guard are tuned") {
  std::mutex mutex;
  std::vector<std::vector<int>> used;
  TunableKernel kernel{"guarded", blocks(3), [](int n) { return make_key(n); },
                       [&](const Block& c, int n) {
                         const std::lock_guard lock(mutex);
                         used.at(static_cast<std::size_t>(n)).push_back(c.block);
                       }};
  used.resize(4);
  const RegionReport report = tuned("guarded", [&] {
    const RegionContext context = RegionContext::current();
    on_threads(4, [&](int n) {
      const ContextGuard guard(context);
      kernel(n);
    });
  });
  for (const std::vector<int>& of_key : used) {
    CHECK(of_key == std::vector<int>{0, 0, 1, 1, 2, 2, 2});
  }
  CHECK(report.problems.size() == 4);
  CHECK(report.warnings.empty());
}

TEST_CASE("threads: one problem launched by several threads advances once an iteration") {
  CountedKernel counted{"guarded_together", 3};
  int runs = 0;
  const RegionReport report = tuned("guarded_together", [&] {
    ++runs;
    const RegionContext context = RegionContext::current();
    std::atomic<int> work{0};
    on_threads(4, [&](int) {
      const ContextGuard guard(context, LaunchOrder::any);
      while (work++ < 20) {
        counted.kernel();
      }
    });
  });
  CHECK(runs == 7);
  CHECK(counted.launches == 7 * 20);
  CHECK(of_kernel(report, "guarded_together").configs[2].time.count == 1);
}

TEST_CASE(
    "threads: launches of worker threads without a guard use the default, are counted and warned about") {
  CountedKernel counted{"unguarded", 3};
  CountedKernel neighbour{"unguarded_neighbour", 3};
  bool default_used = true;
  const StderrCapture said;
  const RegionReport report = tuned("unguarded", [&] {
    neighbour.kernel();
    std::thread([&] { default_used = default_used && counted.kernel() == 0; }).join();
  });
  CHECK(default_used);
  CHECK(report.problems.size() == 1);
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings[0], ContainsSubstring("7 launches of kernel \"unguarded\""));
  CHECK_THAT(said.text(), ContainsSubstring("7 launches of kernel \"unguarded\""));
  CHECK_THAT(report.warnings[0], ContainsSubstring("ContextGuard"));
}

TEST_CASE("threads: a worker's region context ends with its guard, and guards nest") {
  CountedKernel kernel{"guard_ends", 2};
  int unguarded = 0;
  const RegionReport report = tuned("guard_ends", [&] {
    const RegionContext context = RegionContext::current();
    {
      const ContextGuard same_thread(context);  // changes nothing
      kernel.kernel();
    }
    std::thread([&] {
      {
        const ContextGuard guard(context);
        const ContextGuard nested(RegionContext::current());
        kernel.kernel();
      }
      unguarded += kernel.kernel() == 0 ? 1 : 0;
    }).join();
  });
  REQUIRE(report.warnings.size() == 1);
  CHECK_THAT(report.warnings[0], ContainsSubstring("5 launches"));
  CHECK(unguarded == 4);  // and in the final run what had been locked in by then
}

TEST_CASE("threads: a guard of an empty context does nothing") {
  CountedKernel kernel{"empty_context", 2};
  const RegionContext context = RegionContext::current();
  const ContextGuard guard(context);
  CHECK(kernel.kernel() == 0);
}

TEST_CASE("threads: what a worker's launcher rejects falls back on the worker") {
  std::atomic<int> effects{0};
  TunableKernel kernel{"worker_rejects", blocks(3), single_problem, [&](const Block& c) {
                         if (c.block == 1) {
                           throw ConfigRejected("not on this thread");
                         }
                         ++effects;
                       }};
  int runs = 0;
  const RegionReport report = tuned("worker_rejects", [&] {
    ++runs;
    const RegionContext context = RegionContext::current();
    on_threads(2, [&](int) {
      const ContextGuard guard(context);
      kernel();
      kernel();
    });
  });
  CHECK(effects == runs * 4);
  CHECK_THAT(of_kernel(report, "worker_rejects").configs[1].rejection.value_or(""),
             ContainsSubstring("not on this thread"));
  CHECK(of_kernel(report, "worker_rejects").choice == 2);
}

}  // namespace contextual::test::threads_test
