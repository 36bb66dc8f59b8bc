/// \file
/// What was chosen fails to launch later, outside of tuning.

#include "support/engine.hpp"
#include "support/ranks.hpp"
#include "support/stderr_capture.hpp"
#include "unit/tuning/kept_process.hpp"

#include <contextual/alternatives.hpp>
#include <contextual/error.hpp>
#include <contextual/function.hpp>
#include <contextual/kernel_tuner.hpp>
#include <contextual/tuned_region.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace failed_choice_test {

using namespace contextual;
using engine_test::Block;
using engine_test::blocks;
using engine_test::count_of;
using engine_test::error_text;
using engine_test::quick;
using engine_test::StderrCapture;
using engine_test::TemporaryDirectory;

namespace {

/// A kernel that returns its config. The last of three is fastest, and refuses to launch when `broken`.
struct Breakable {
  bool broken = false;
  std::vector<int> tried{};
  TunableKernel<int(const Block&)> kernel;

  explicit Breakable(const std::string& name, std::string coupling = "")
      : kernel(name, blocks(3), single_problem,
               [this](const Block& c) {
                 tried.push_back(c.block);
                 if (broken && c.block == 2) {
                   throw ConfigRejected("no memory left for it");
                 }
                 return c.block;
               },
               {.coupling = std::move(coupling)}) {}
};

Options in_mode(Mode mode, Options options = quick()) {
  options.mode = mode;
  return options;
}

/// Calls twice after the choice has broken: the first call tries it, the second one does not, and one line
/// says so.
void check_falls_back_once(Breakable& breakable, const std::function<int()>& call) {
  REQUIRE(call() == 2);
  breakable.broken = true;
  breakable.tried.clear();
  const StderrCapture captured;
  CHECK(call() == 0);
  CHECK(call() == 0);
  CHECK(breakable.tried == std::vector<int>{2, 0, 0});
  const std::string text = captured.text();
  CHECK(count_of(text, "\n") == 1);
  CHECK_THAT(text, ContainsSubstring("kernel \"" + breakable.kernel.name() + "\""));
  CHECK_THAT(text, ContainsSubstring("config-2 {BLOCK: 2}"));
  CHECK_THAT(text, ContainsSubstring("no memory left for it"));
}

}  // namespace

TEST_CASE("holds 21: a choice that fails to launch falls back to the default, once", "[unit]") {
  SECTION("in mode use") {
    Breakable breakable("failed_use");
    const auto region = [&] { return breakable.kernel(); };
    ContextualAutotuner{quick()}.run("failed_use", region);
    ContextualAutotuner serving{in_mode(Mode::use)};
    check_falls_back_once(breakable, [&] { return serving.run("failed_use", region); });
    ContextualAutotuner another{in_mode(Mode::use)};
    CHECK(another.run("failed_use", region) == 0);
    CHECK(breakable.tried.back() == 0);
  }
  SECTION("in a later call") {
    Breakable breakable("failed_later");
    ContextualAutotuner tuner{quick()};
    auto step = make_tuned_region(tuner, "failed_later", [&] { return breakable.kernel(); });
    check_falls_back_once(breakable, [&] { return step(); });
  }
  SECTION("outside of regions") {
    Breakable breakable("failed_outside");
    ContextualAutotuner{quick()}.run("failed_outside", [&] { return breakable.kernel(); });
    check_falls_back_once(breakable, [&] { return breakable.kernel(); });
  }
}

TEST_CASE("holds 21: a status that says so is a failed launch, and that of the default reaches the caller",
          "[unit]") {
  std::vector<int> failing;
  TunableKernel kernel{
      "failed_status", blocks(3), single_problem, [&](const Block& c) {
        const bool fails = std::find(failing.begin(), failing.end(), c.block) != failing.end();
        return fails ? std::make_error_code(std::errc::not_enough_memory) : std::error_code();
      }};
  ContextualAutotuner{quick()}.run("failed_status", [&] { static_cast<void>(kernel()); });
  failing = {2};
  const StderrCapture captured;
  CHECK_FALSE(kernel());
  failing = {0, 2};
  CHECK(kernel() == std::errc::not_enough_memory);
  CHECK(count_of(captured.text(), "\n") == 1);
}

TEST_CASE("holds 21: a tuned function's choice that fails falls back to the default, once", "[unit]") {
  for (const bool with_options : {false, true}) {
    bool broken = false;
    std::vector<int> tried;
    auto function = autotune(
        with_options ? "failed_function_with" : "failed_function", blocks(3),
        [](int n) { return make_key(n); },
        [&](const Block& c, int) {
          tried.push_back(c.block);
          if (broken && c.block == 2) {
            throw ConfigRejected("too large");
          }
          return c.block;
        },
        {.options = quick()});
    const auto call = [&] { return with_options ? function.with({.autotune = true}, 1) : function(1); };
    REQUIRE(call() == 2);
    broken = true;
    tried.clear();
    const StderrCapture captured;
    CHECK(call() == 0);
    CHECK(call() == 0);
    CHECK(tried == std::vector<int>{2, 0, 0});
    CHECK(count_of(captured.text(), "\n") == 1);
  }
}

TEST_CASE("holds 4: a tuned function's choice that fails on one rank is out on all after the next meeting",
          "[unit]") {
  struct Breaks {
    bool now = false;
    std::vector<int> tried{};
  };
  std::vector<Breaks> broken(2);
  std::vector<std::string> texts(2);
  testing::ScriptedWorld world(2);
  const StderrCapture captured;
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Breaks& here = broken[static_cast<std::size_t>(rank)];
    auto function = autotune(
        "failed_function_ranks", blocks(3), [](int n) { return make_key(n); },
        [&here](const Block& c, int) {
          here.tried.push_back(c.block);
          if (here.now && c.block == 2) {
            throw ConfigRejected("too large");
          }
          return c.block;
        },
        {.options = test::rank_options(communicator)});
    function(1);
    here.now = rank == 1;
    here.tried.clear();
    std::string& text = texts[static_cast<std::size_t>(rank)];
    text = error_text<ConfigRejected>([&] { function(1); });
    text += "; " + error_text<ConfigRejected>([&] { function(1); });
    CHECK(here.tried == std::vector<int>{2, 2});
    function(2);  // the ranks meet
    here.tried.clear();
    text += "; " + error_text<ConfigRejected>([&] { function(1); });
    text += "; " + error_text<ConfigRejected>([&] { function(1); });
  });
  CHECK(test::count_failed(thrown) == 0);
  CHECK(texts[0] == "[no error]; [no error]; [no error]; [no error]");
  CHECK(texts[1] == "too large; too large; [no error]; [no error]");
  for (const Breaks& here : broken) {
    CHECK(here.tried.back() == 1);
    CHECK(here.tried == broken.front().tried);
  }
}

TEST_CASE("holds 21: a coupled function's choice that fails on a rank alone is out at the next call",
          "[unit]") {
  bool broken = false;
  auto function = autotune(
      "failed_function_coupled", blocks(3), [](int n) { return make_key(n); },
      [&](const Block& c, int) {
        if (broken && c.block == 2) {
          throw ConfigRejected("too large");
        }
        return c.block;
      },
      {.kernel = {.coupling = "failed_function_coupled"}, .options = quick()});
  REQUIRE(function(1) == 2);
  broken = true;
  const StderrCapture captured;
  CHECK(error_text<ConfigRejected>([&] { function(1); }) == "too large");
  CHECK(function(1) == 1);
  CHECK(function(1) == 1);
}

TEST_CASE("holds 21: a KernelTuner in mode use returns the default that it has fallen back to", "[unit]") {
  Breakable breakable("failed_tuner");
  ContextualAutotuner{quick()}.run("failed_tuner", [&] { return breakable.kernel(); });
  breakable.broken = true;
  KernelTunerOptions options;
  options.tuning = in_mode(Mode::use);
  KernelTuner tuner{breakable.kernel, options};
  const StderrCapture captured;
  const TuningResult result = tuner.tune({.problem_size = {1}});
  CHECK(result.best_config_id == 0);
  CHECK(count_of(captured.text(), "\n") == 1);
}

TEST_CASE("holds 21: an alternative that fails to launch falls back to the first one, once", "[unit]") {
  bool broken = false;
  int last = 0;
  const auto clever = [&](int&) {
    if (broken) {
      throw ConfigRejected("too clever");
    }
    return 2;
  };
  Alternatives<int(int)> either{"failed_alternative",
                                [](const int&) { return single_problem(); },
                                {{"plain", [](int&) { return 1; }}, {"clever", clever}}};
  const Options options = quick(testing::scripted_timer(
      [](const LaunchInfo&) { return std::int64_t{100}; },
      [&last](std::int64_t, const auto&) { return last == 2 ? std::int64_t{500} : std::int64_t{1000}; }));
  ContextualAutotuner{options}.run("failed_alternative", [&] { return last = either(1); });
  REQUIRE(either(1) == 2);
  broken = true;
  const StderrCapture captured;
  CHECK(either(1) == 1);
  CHECK(either(1) == 1);
  CHECK(count_of(captured.text(), "\n") == 1);
}

TEST_CASE("holds 21: a set of an earlier process that has failed here is not used again by this one",
          "[unit]") {
  const TemporaryDirectory directory;
  detail::describe_machine("test", [] { return std::string("alike"); });
  bool broken = false;
  int last = 0;
  const auto kernel = test::rank_kernel("failed_kept", 3, {}, [&](const test::TileConfig& c, int&) {
    if (broken && c.tile == 3) {
      throw ConfigRejected("no memory left for it");
    }
    last = c.tile;
  });
  /// Finds nothing locked in. Returns what was said.
  const auto run_anew = [&](Mode mode) {
    const StderrCapture captured;
    const kept_test::Alone alone = kept_test::run_alone(
        directory.path(), "failed_kept", [&] { (*kernel)(1); },
        [mode](Options& options) { options.mode = mode; });
    CHECK(alone.error.empty());
    return captured.text();
  };
  run_anew(Mode::tune);
  run_anew(Mode::use);
  REQUIRE(last == 3);
  broken = true;
  CHECK(count_of(run_anew(Mode::use), "\n") == 1);
  CHECK(last == 1);
  broken = false;
  CHECK_THAT(run_anew(Mode::use), ContainsSubstring("are not used") && ContainsSubstring("failed to launch"));
  CHECK(last == 1);
}

TEST_CASE("holds 4: a coupled choice of one rank that fails ends the call, and the next one leaves it out",
          "[unit]") {
  for (const Mode mode : {Mode::use, Mode::tune}) {
    const std::string name = mode == Mode::use ? "failed_coupled_use" : "failed_coupled_tune";
    Breakable producer(name + "_a", name);
    Breakable consumer(name + "_b", name);
    const auto region = [&] { return 10 * producer.kernel() + consumer.kernel(); };
    ContextualAutotuner tuner{quick()};
    auto step = make_tuned_region(tuner, name, region);
    REQUIRE(step() == 22);
    producer.broken = true;
    const StderrCapture captured;
    if (mode == Mode::use) {
      ContextualAutotuner serving{in_mode(mode)};
      CHECK_THAT(error_text<ConfigRejected>([&] { serving.run(name, region); }),
                 ContainsSubstring("no memory left for it"));
      CHECK(serving.run(name, region) == 0);
    } else {
      CHECK_THAT(error_text<ConfigRejected>([&] { step(); }), ContainsSubstring("no memory left for it"));
      CHECK(step() == 11);  // tuned again, without it
      CHECK(step() == 11);
    }
    CHECK(count_of(captured.text(), "\n") == 1);
  }
}

TEST_CASE("holds 4: a coupled choice that fails in a run with nothing to tune is left out by that run",
          "[unit]") {
  Breakable producer("failed_settled_a", "failed_settled");
  Breakable consumer("failed_settled_b", "failed_settled");
  const auto region = [&] { return 10 * producer.kernel() + consumer.kernel(); };
  ContextualAutotuner tuner{quick()};
  REQUIRE(tuner.run("failed_settled", region) == 22);
  producer.broken = true;
  const StderrCapture captured;
  CHECK(tuner.run("failed_settled", region) == 11);
}

TEST_CASE("holds 4: a choice of several ranks that fails on one ends its call, and all leave it out next",
          "[unit]") {
  std::atomic<bool> broken{false};
  const auto kernels = test::kernel_per_rank(3, [&](int rank) {
    return test::rank_kernel("failed_ranks", 3, {}, [&broken, rank](const test::TileConfig& c, int&) {
      if (broken && rank == 1 && c.tile == 3) {
        throw ConfigRejected("no memory left for it");
      }
    });
  });
  std::vector<std::string> texts(3);
  std::vector<std::size_t> chosen(3);
  testing::ScriptedWorld world(3);
  const StderrCapture captured;
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto index = static_cast<std::size_t>(rank);
    const auto meet = [&] { communicator->all_gather("", Deadline::after(std::chrono::seconds(20))); };
    ContextualAutotuner tuner(test::rank_options(communicator));
    const auto region = [&] { (*kernels[index])(1); };
    auto step = make_tuned_region(tuner, "failed_ranks", region);
    step();
    meet();
    broken = true;
    meet();
    texts[index] = error_text<ConfigRejected>(step);
    meet();
    broken = false;  // it is out all the same
    meet();
    tuner.run("failed_ranks", region);
    const Report report = tuner.report();
    chosen[index] = report.find("failed_ranks")->problems.front().choice;
  });
  CHECK(test::count_failed(thrown) == 0);
  CHECK(texts == std::vector<std::string>{"[no error]", "no memory left for it", "[no error]"});
  CHECK(chosen == std::vector<std::size_t>{1, 1, 1});
}

TEST_CASE("holds 21: a choice under this rank's own key that fails falls back to the default, once",
          "[unit]") {
  for (const bool kept : {false, true}) {
    INFO((kept ? "kept by an earlier process" : "of this process"));
    const TemporaryDirectory directory;
    const std::string name = kept ? "failed_key_kept" : "failed_key";
    std::atomic<bool> broken{false};
    std::vector<std::vector<int>> tried(3);
    const auto kernels = test::kernel_per_rank(3, [&](int rank) {
      return test::rank_kernel(name, 3, {.participation = Participation::some},
                               [&, rank](const test::TileConfig& c, int&) {
                                 tried[static_cast<std::size_t>(rank)].push_back(c.tile);
                                 if (broken && rank == 1 && c.tile == 3) {
                                   throw ConfigRejected("no memory left for it");
                                 }
                               });
    });
    const auto in_new_process = [&](bool breaks) {
      testing::ScriptedWorld world(3);
      return world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
        const auto index = static_cast<std::size_t>(rank);
        const auto meet = [&] { communicator->all_gather("", Deadline::after(std::chrono::seconds(20))); };
        Options options = test::rank_options(communicator);
        options.cache_directory = rank == 0 && kept ? directory.path() : "";
        ContextualAutotuner tuner(options);
        auto step = make_tuned_region(tuner, name, [&] { (*kernels[index])(rank); });
        bool launches = false;
        auto other = make_tuned_region(tuner, name + " other", [&] {
          if (launches) {
            (*kernels[index])(rank);
          }
        });
        step();
        other();
        meet();
        broken = breaks;
        tried[index].clear();
        meet();
        step();
        step();
        launches = true;
        other();  // which has not tuned it
      });
    };
    if (kept) {
      REQUIRE(test::count_failed(in_new_process(false)) == 0);
    }
    const StderrCapture captured;
    const auto thrown = in_new_process(true);
    INFO(test::text_of(thrown[0]) << "; " << test::text_of(thrown[1]));
    CHECK(test::count_failed(thrown) == 0);
    CHECK(tried == std::vector<std::vector<int>>{{3, 3, 3}, {3, 1, 1, 1}, {3, 3, 3}});
    CHECK(count_of(captured.text(), "no memory left for it") == 1);
  }
}

TEST_CASE("holds 21: a choice under this rank's own key falls back in a region that has not tuned it, too",
          "[unit]") {
  std::atomic<bool> broken{false};
  std::vector<std::vector<int>> tried(2);
  const auto kernels = test::kernel_per_rank(2, [&](int rank) {
    return test::rank_kernel("failed_key_elsewhere", 3, {.participation = Participation::some},
                             [&, rank](const test::TileConfig& c, int&) {
                               tried[static_cast<std::size_t>(rank)].push_back(c.tile);
                               if (broken && rank == 1 && c.tile == 3) {
                                 throw ConfigRejected("no memory left for it");
                               }
                             });
  });
  testing::ScriptedWorld world(2);
  const StderrCapture captured;
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto index = static_cast<std::size_t>(rank);
    const auto meet = [&] { communicator->all_gather("", Deadline::after(std::chrono::seconds(20))); };
    ContextualAutotuner tuner(test::rank_options(communicator));
    tuner.run("failed_key_elsewhere", [&] { (*kernels[index])(rank); });
    bool launches = false;
    auto other = make_tuned_region(tuner, "failed_key_elsewhere other", [&] {
      if (launches) {
        (*kernels[index])(rank);
      }
    });
    other();
    launches = true;
    meet();
    broken = true;
    tried[index].clear();
    meet();
    other();
    other();
  });
  INFO(test::text_of(thrown[0]) << "; " << test::text_of(thrown[1]));
  CHECK(test::count_failed(thrown) == 0);
  CHECK(tried == std::vector<std::vector<int>>{{3, 3}, {3, 1, 1}});
}

TEST_CASE("holds 4: a choice that fails on one of two ranks that use its key ends its call", "[unit]") {
  std::atomic<bool> broken{false};
  const auto kernels = test::kernel_per_rank(3, [&](int rank) {
    return test::rank_kernel("failed_key_of_two", 3, {.participation = Participation::some},
                             [&broken, rank](const test::TileConfig& c, int&) {
                               if (broken && rank == 1 && c.tile == 3) {
                                 throw ConfigRejected("no memory left for it");
                               }
                             });
  });
  std::vector<std::string> texts(3);
  testing::ScriptedWorld world(3);
  const StderrCapture captured;
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto index = static_cast<std::size_t>(rank);
    const auto meet = [&] { communicator->all_gather("", Deadline::after(std::chrono::seconds(20))); };
    ContextualAutotuner tuner(test::rank_options(communicator));
    auto step = make_tuned_region(tuner, "failed_key_of_two", [&] { (*kernels[index])(std::min(rank, 1)); });
    step();
    meet();
    broken = true;
    meet();
    texts[index] = error_text<ConfigRejected>(step);
  });
  CHECK(test::count_failed(thrown) == 0);
  CHECK(texts == std::vector<std::string>{"[no error]", "no memory left for it", "[no error]"});
}

}  // namespace failed_choice_test
