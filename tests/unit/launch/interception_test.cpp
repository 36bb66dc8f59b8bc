/// \file
/// What an intercepted launch does: its arguments, its config, its locks, its hooks.

#include "support/engine.hpp"

#include <future>

namespace contextual::test::interception_test {

TEST_CASE("holds 1: a launch uses this launch's arguments in every iteration") {
  std::vector<std::pair<int, std::string>> seen;
  TunableKernel kernel{
      "holds_1", blocks(3), single_problem,
      [&](const Block&, int number, const std::string& text) { seen.emplace_back(number, text); }};
  int run = 0;
  std::vector<std::pair<int, std::string>> given;
  tuned("holds_1", [&] {
    ++run;
    for (int launch = 0; launch < 2; ++launch) {
      const std::string text = "text " + std::to_string(run * 10 + launch);
      given.emplace_back(run * 10 + launch, text);
      kernel(run * 10 + launch, text);
    }
  });
  CHECK(run == 7);
  CHECK(seen == given);
}

TEST_CASE("holds 1: an argument taken by reference is the caller's own object") {
  TunableKernel kernel{"holds_1_reference", blocks(2), single_problem,
                       [](const Block&, std::vector<int>& out, int value) { out.push_back(value); }};
  ContextualAutotuner tuner{quick()};
  int run = 0;
  const std::vector<int> out = tuner.run("holds_1_reference", [&] {
    std::vector<int> fresh;  // dead after this run of the region
    kernel(fresh, ++run);
    return fresh;
  });
  CHECK(out == std::vector<int>{run});
}

TEST_CASE("holds 2: two keys of one kernel in one region are two problems") {
  TunableKernel kernel{"holds_2_keys", blocks(3), [](int n) { return make_key(n); },
                       [](const Block&, int) {}};
  // Small ones are fastest with config 1, large ones with config 2.
  const RegionReport report = tuned(quick(times([](const LaunchInfo& launch) {
                                      const std::size_t best = *launch.key == make_key(8) ? 1 : 2;
                                      return launch.config_id == best ? 1'000 : 2'000;
                                    })),
                                    "holds_2_keys", [&] {
                                      kernel(8);
                                      kernel(4096);
                                    });
  CHECK(report.problems.size() == 2);
  CHECK(of_kernel(report, "holds_2_keys", "(8)").choice == 1);
  CHECK(of_kernel(report, "holds_2_keys", "(4096)").choice == 2);
}

TEST_CASE("holds 2: a problem launched m times uses one config in all m and advances once") {
  std::vector<std::set<int>> configs_of_run;
  TunableKernel kernel{"holds_2_repeated", blocks(3), single_problem,
                       [&](const Block& c) { configs_of_run.back().insert(c.block); }};
  const RegionReport report = tuned("holds_2_repeated", [&] {
    configs_of_run.emplace_back();
    for (int launch = 0; launch < 5; ++launch) {
      kernel();
    }
  });
  CHECK(configs_of_run == std::vector<std::set<int>>{{0}, {0}, {1}, {1}, {2}, {2}, {2}});
  CHECK(of_kernel(report, "holds_2_repeated").configs[0].time.count == 1);
}

TEST_CASE("holds 2: two regions with the same kernel and key do not share a choice") {
  TunableKernel kernel{"holds_2_regions", blocks(3), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick(times([](const LaunchInfo& launch) {
    const std::size_t best = launch.region == "holds_2_one" ? 1 : 2;
    return launch.config_id == best ? 1'000 : 2'000;
  }))};
  tuner.run("holds_2_one", [&] { kernel(); });
  tuner.run("holds_2_two", [&] { kernel(); });
  const LaunchRegistry& registry = LaunchRegistry::instance();
  CHECK(registry.locked_in("holds_2_one", "holds_2_regions", Key{}) == 1);
  CHECK(registry.locked_in("holds_2_two", "holds_2_regions", Key{}) == 2);
  CHECK_FALSE(registry.locked_in("holds_2_three", "holds_2_regions", Key{}));
}

TEST_CASE("holds 3: no lock is held during a launch: a launcher may launch another kernel") {
  int inner_launches = 0;
  TunableKernel inner{"holds_3_inner", blocks(2), [](int n) { return make_key(n); },
                      [&](const Block&, int) { ++inner_launches; }};
  int outer_launches = 0;
  TunableKernel outer{"holds_3_outer", blocks(2), single_problem, [&](const Block& c) {
                        ++outer_launches;
                        inner(c.block);  // a new problem of the inner kernel for each outer config
                      }};
  const RegionReport report = tuned("holds_3_nested", [&] { outer(); });
  CHECK(inner_launches == outer_launches);
  CHECK(report.problems.size() == 3);
}

TEST_CASE("holds 3: no lock is held during a launch: a launcher may wait for another thread's launch") {
  constexpr std::chrono::seconds far_too_long{60};
  std::promise<void>* launched = nullptr;
  std::future<void>* wait = nullptr;
  bool met = true;
  TunableKernel producer{"holds_3_producer", blocks(2), single_problem,
                         [&](const Block&) { launched->set_value(); }};
  TunableKernel consumer{"holds_3_consumer", blocks(3), single_problem, [&](const Block&) {
                           met = met && wait->wait_for(far_too_long) == std::future_status::ready;
                         }};
  int runs = 0;
  tuned("holds_3_waits", [&] {
    ++runs;
    std::promise<void> promise;
    std::future<void> future = promise.get_future();
    launched = &promise;
    wait = &future;
    std::promise<void> begun;
    const RegionContext context = RegionContext::current();
    std::thread worker([&] {
      const ContextGuard guard(context);
      begun.get_future().wait();
      producer();
    });
    begun.set_value();
    consumer();
    worker.join();
  });
  CHECK(met);
  CHECK(runs == 7);
}

TEST_CASE(
    "holds 3: a launch does not load: every config is loaded before it, the default for the first one") {
  bool in_region = false;
  bool loaded_in_region = false;
  bool launched_unloaded = false;
  std::map<int, int> loaded;
  const std::thread::id caller = std::this_thread::get_id();
  bool on_the_thread_of_run = true;
  TunableKernel kernel{
      "holds_3_load",
      blocks(4),
      single_problem,
      [&](const Block& c) { launched_unloaded = launched_unloaded || !loaded.contains(c.block); },
      {.load = [&](const Block& c) {
        loaded_in_region = loaded_in_region || in_region;
        on_the_thread_of_run = on_the_thread_of_run && std::this_thread::get_id() == caller;
        ++loaded[c.block];
      }}};
  tuned("holds_3_load", [&] {
    in_region = true;
    kernel();
    in_region = false;
  });
  CHECK_FALSE(loaded_in_region);
  CHECK_FALSE(launched_unloaded);
  CHECK(on_the_thread_of_run);
  CHECK(loaded == std::map<int, int>{{0, 2}, {1, 1}, {2, 1}, {3, 1}});
}

TEST_CASE("interception: hooks have the launch's kernel and arguments, and do not run outside of tuning") {
  std::vector<std::string> order;
  TunableKernel kernel{
      "hooks_order",
      blocks(2),
      single_problem,
      [&](const Block&, int) { order.emplace_back("launch"); },
      {.before_launch = [&](const LaunchInfo& info,
                            int& n) { order.push_back(std::string(info.kernel) + " " + std::to_string(n)); },
       .after_launch = [&](const LaunchInfo&, int&) { order.emplace_back("after"); }}};
  tuned("hooks_order", [&] {
    order.clear();
    kernel(7);
  });
  CHECK(order == std::vector<std::string>{"hooks_order 7", "launch", "after"});
  kernel(7);
  CHECK(order.size() == 4);
}

TEST_CASE("interception: reset is called when the config differs from the previous launch's") {
  std::vector<std::string> order;
  TunableKernel kernel{"hooks_reset",
                       blocks(3),
                       single_problem,
                       [&](const Block& c) { order.push_back(std::to_string(c.block)); },
                       {.reset = [&] { order.emplace_back("reset"); }}};
  tuned("hooks_reset", [&] { kernel(); });
  CHECK(order == std::vector<std::string>{"reset", "0", "0", "reset", "1", "1", "reset", "2", "2", "2"});
}

TEST_CASE("interception: the check is asked on each config's first uses only") {
  std::vector<int> checked;
  TunableKernel kernel{
      "hooks_check", blocks(3), single_problem, [](const Block&) {}, {.check = [&](const Block& c) {
        checked.push_back(c.block);
        return true;
      }}};
  ContextualAutotuner tuner{quick()};
  tuner.run("hooks_check", [&] { kernel(); }, {.n_warmup = 2, .n_repeat = 3});
  CHECK(checked == std::vector<int>{0, 0, 1, 1, 2, 2});
}

TEST_CASE("interception: the key function of a long key is called once more for each problem") {
  int launches = 0;
  int keys = 0;
  const auto key = [&keys](const std::vector<int>& shape) {
    ++keys;
    return make_key(shape);
  };
  const auto launcher = [&launches](const Block&, const std::vector<int>&) { ++launches; };
  const RegionReport report = tuned("long_keys", [&] {
    TunableKernel kernel{"long_keys", blocks(2), key, launcher};  // made anew in each run
    kernel(std::vector<int>(20, 1));
    kernel(std::vector<int>(20, 2));
  });
  CHECK(keys == launches + 2);
  REQUIRE(report.problems.size() == 2);
  CHECK(report.problems[1].key == "([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])");
}

TEST_CASE("interception: iteration hooks run around every run of the region") {
  TunableKernel kernel{"iteration_hooks", blocks(2), single_problem, [](const Block&) {}};
  std::vector<std::string> order;
  Options options = quick();
  options.before_iteration = [&](const IterationInfo& info) {
    order.push_back("before " + std::to_string(info.tuning_iteration) + " " +
                    std::string(to_string(info.phase)));
  };
  options.after_iteration = [&](const IterationInfo&) { order.emplace_back("after"); };
  tuned(options, "iteration_hooks", [&] {
    order.emplace_back("run");
    kernel();
  });
  CHECK(order == std::vector<std::string>{"before 0 walk", "run", "after", "before 1 walk", "run", "after",
                                          "before 2 walk", "run", "after", "before 3 walk", "run", "after",
                                          "before 4 final", "run", "after"});
}

}  // namespace contextual::test::interception_test
