/// \file
/// Tuned functions and regions around each other, and calls of one function at the same time.

#include "support/engine.hpp"

namespace contextual::test::function_regions_test {

TEST_CASE("function with a region: the region is part of it in all calls, and tunes nothing of its own") {
  OneKernel noted("fn_region_inner");
  ContextualAutotuner tuner{quick()};
  auto step = make_tuned_region(tuner, "fn region step", [&] { noted.kernel(); });
  const bool wrapped = GENERATE(true, false);
  INFO((wrapped ? "a wrapped region" : "a run"));
  auto function = autotune(wrapped ? "fn_around_step" : "fn_around_run", blocks(2), single_problem,
                           [&](const Block&) {
                             if (wrapped) {
                               step();
                             } else {
                               tuner.run("fn region run", [&] { noted.kernel(); });
                             }
                           },
                           {.options = quick()});
  function();
  CHECK(noted.used.back() == 2);
  noted.used.clear();
  function();
  CHECK(noted.used == std::vector<int>{2});
  noted.used.clear();
  function.with({.autotune = false});
  CHECK(noted.used == std::vector<int>{0});
  CHECK(tuner.report().runs.empty());
}

TEST_CASE("function in a region: without autotune its kernels use their defaults, and are not tuned") {
  OneKernel noted("fn_off_inner");
  auto function = autotune("fn_off_outer", blocks(2), single_problem, [&](const Block&) { noted.kernel(); },
                           {.options = quick()});
  TunableKernel beside{"fn_off_beside", blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  auto step = make_tuned_region(tuner, "fn off region", [&] {
    beside();
    function.with({.autotune = false});
  });
  step();
  CHECK(problem_of(tuner, "fn off region", "fn_off_beside").choice == 1);
  CHECK(report_of(tuner, "fn off region").problems.size() == 1);
  step();
  CHECK(std::all_of(noted.used.begin(), noted.used.end(), [](int config) { return config == 0; }));
}

TEST_CASE("function in alternatives outside of a region: its kernels launch what was chosen") {
  OneKernel noted("fn_way_inner");
  auto function = autotune("fn_way", blocks(2), single_problem, [&](const Block&) { noted.kernel(); },
                           {.options = quick()});
  Alternatives<void()> ways{
      "fn_ways", single_problem, {{"one", [&] { function(); }}, {"other", [&] { function(); }}}};
  ways();
  CHECK(noted.used.back() == 2);
  noted.used.clear();
  ways();
  function();
  CHECK(noted.used == std::vector<int>{2, 2});
}

TEST_CASE("function on threads: calls that fix parameters wait for one that tunes") {
  std::atomic<int> inside{0};
  std::atomic<int> together{0};
  std::atomic<bool> other_called{false};
  auto function = autotune("fn_one_at_a_time", blocks(3), single_problem,
                           [&](const Block&) {
                             together += ++inside > 1 ? 1 : 0;
                             const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
                             while (!other_called && std::chrono::steady_clock::now() < until) {
                               std::this_thread::yield();
                             }
                             std::this_thread::sleep_for(std::chrono::milliseconds(5));
                             --inside;
                           },
                           {.options = quick()});
  std::thread tuning([&] { function(); });
  while (inside == 0) {
    std::this_thread::yield();
  }
  std::thread fixed([&] {
    other_called = true;
    function.with({.fixed = {{"BLOCK", 1}}});
  });
  tuning.join();
  fixed.join();
  CHECK(together == 0);
  const Report report = function.report();
  REQUIRE(report.runs.size() == 2);
  CHECK(report.runs[0].region == "fn_one_at_a_time");
  CHECK(report.runs[1].region == "fn_one_at_a_time {BLOCK: 1}");
}

}  // namespace contextual::test::function_regions_test
