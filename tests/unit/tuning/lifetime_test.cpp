/// \file
/// Kernels and tuners that come and go in every order.

#include "support/child_process.hpp"

namespace contextual::test::lifetime_test {

namespace {

using Kernel = TunableKernel<int(const Block&)>;

std::unique_ptr<Kernel> make_kernel(const std::string& name, int configs = 3) {
  return std::make_unique<Kernel>(name, blocks(configs), single_problem,
                                  [](const Block& c) { return c.block; });
}

bool is_registered(const std::string& name) {
  const auto names = LaunchRegistry::instance().kernel_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("holds 14: kernels and tuners may be destroyed in any order") {
  SECTION("the kernel first") {
    auto tuner = std::make_unique<ContextualAutotuner>(quick());
    auto kernel = make_kernel("holds_14_kernel_first");
    tuner->run("holds_14_kernel_first", [&] { (*kernel)(); });
    kernel.reset();
    CHECK_FALSE(is_registered("holds_14_kernel_first"));
    CHECK(problem_of(*tuner, "holds_14_kernel_first", "holds_14_kernel_first").choice_config.to_string() ==
          "{BLOCK: 2}");
  }
  SECTION("the tuner first") {
    auto kernel = make_kernel("holds_14_tuner_first");
    {
      ContextualAutotuner tuner{quick()};
      tuner.run("holds_14_tuner_first", [&] { (*kernel)(); });
    }
    CHECK((*kernel)() == 2);
  }
  SECTION("a kernel and a tuner that were never used") {
    auto kernel = make_kernel("holds_14_unused");
    CHECK(is_registered("holds_14_unused"));
    const ContextualAutotuner tuner;
  }
  CHECK(std::is_nothrow_destructible_v<Kernel>);
  CHECK(std::is_nothrow_destructible_v<ContextualAutotuner>);
}

TEST_CASE("holds 14: a tuner made, used and destroyed inside another's region is part of that region") {
  auto kernel = make_kernel("holds_14_inner_tuner");
  ContextualAutotuner outer{quick()};
  int runs = 0;
  outer.run("holds_14_outer", [&] {
    ++runs;
    ContextualAutotuner inner{quick()};
    inner.run("holds_14_inner", [&] { (*kernel)(); });
    CHECK(inner.report().runs.empty());
  });
  CHECK(runs == 7);
}

TEST_CASE("holds 14: static kernels and tuners outlive main without harm") {
  CHECK(run_child("static kernels and tuners") == 0);
}

TEST_CASE("holds 14: launches while the process exits are launched") {
  CHECK(run_child("launches at exit") == 0);
}

TEST_CASE("holds 14: exit inside a region ends the process") {
  CHECK(run_child("exit inside a region") == 0);
}

TEST_CASE("a kernel destroyed while a run is active: its problem is closed and the others go on") {
  auto short_lived = make_kernel("destroyed_short", 4);
  auto other = make_kernel("destroyed_other", 4);
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  tuner.run("destroyed", [&] {
    (*other)();
    if (++runs == 4) {
      short_lived.reset();
    }
    if (short_lived) {
      (*short_lived)();
    }
  });
  CHECK(problem_of(tuner, "destroyed", "destroyed_other").choice == 3);
  CHECK(problem_of(tuner, "destroyed", "destroyed_short").outcome == ProblemOutcome::provisional);
  CHECK_FALSE(is_registered("destroyed_short"));
}

TEST_CASE("a kernel destroyed in the last tuning iteration: the final run goes on without it") {
  auto kernel = make_kernel("destroyed_late");
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  tuner.run("destroyed_late", [&] {
    (*kernel)();
    if (++runs == 6) {
      kernel = make_kernel("destroyed_late_other");  // of another name
    }
  });
  CHECK(problem_of(tuner, "destroyed_late", "destroyed_late").choice == 2);
  CHECK(report_of(tuner, "destroyed_late").warnings.size() == 1);  // new in the final run
}

TEST_CASE("a kernel made anew in every iteration as a local of the region is one problem") {
  std::vector<int> used;
  ContextualAutotuner tuner{quick()};
  tuner.run("made_anew", [&] {
    TunableKernel kernel{"made_anew",
                         blocks(3),
                         [](int n) { return make_key(n); },
                         [&](const Block& c, int) { used.push_back(c.block); },
                         {.load = [](const Block&) {}}};
    kernel(1);
    kernel(1);
  });
  CHECK(used == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2});
  CHECK(report_of(tuner, "made_anew").problems.size() == 1);
}

TEST_CASE("a kernel made anew inside one run of the region, many times, is one problem") {
  std::vector<int> used;
  ContextualAutotuner tuner{quick()};
  tuner.run("made_anew_often", [&] {
    for (int n = 0; n < 3; ++n) {
      TunableKernel kernel{"made_anew_often", blocks(2), single_problem,
                           [&](const Block& c) { used.push_back(c.block); }};
      kernel();
    }
  });
  CHECK(used == std::vector<int>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1});
}

// What the child processes do; the tests above start them.

TEST_CASE("child process: static kernels and tuners", "[.child]") {
  ONLY_IF(is_child());
  static ContextualAutotuner early{quick()};
  static const std::unique_ptr<Kernel> kernel = make_kernel("static_kernel");
  static ContextualAutotuner late{quick()};
  early.run("static_early", [&] { (*kernel)(); });
  late.run("static_late", [&] { (*kernel)(); });
  static auto region = make_tuned_region(early, "static_wrapped", [] { return (*kernel)(); });
  CHECK(region() == 2);
}

TEST_CASE("child process: launches at exit", "[.child]") {
  ONLY_IF(is_child());
  struct LaunchesAtExit {
    std::unique_ptr<Kernel> kernel;
    ~LaunchesAtExit() {
      if ((*kernel)() != 2) {
        std::_Exit(9);
      }
      auto another = make_kernel("made_at_exit");
      if ((*another)() != 0) {
        std::_Exit(10);
      }
      kernel.reset();
    }
  };
  static LaunchesAtExit at_exit{make_kernel("launched_at_exit")};
  ContextualAutotuner tuner{quick()};
  tuner.run("launched_at_exit", [] { (*at_exit.kernel)(); });
}

TEST_CASE("child process: exit inside a region", "[.child]") {
  ONLY_IF(is_child());
  static const std::unique_ptr<Kernel> kernel = make_kernel("exit_inside");
  static ContextualAutotuner tuner{quick()};
  int runs = 0;
  tuner.run("exit_inside", [&] {
    (*kernel)();
    if (++runs == 3) {
      std::exit(0);
    }
  });
}

}  // namespace contextual::test::lifetime_test
