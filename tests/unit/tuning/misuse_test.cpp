#include "contextual/tuning/run_lock.hpp"
#include "support/stderr_capture.hpp"

#include <future>

namespace contextual::test::misuse_test {

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("misuse: a timer factory that returns null is refused") {
  ContextualAutotuner tuner{quick([] { return std::unique_ptr<Timer>(); })};
  CHECK(has(error_text<InvalidArgument>([&] { tuner.run("misuse_timer", [] {}); }), "timer factory"));
}

TEST_CASE("misuse: a run from a hook of the same tuner is refused at once") {
  std::string text;
  ContextualAutotuner* inside = nullptr;
  Options options = quick();
  options.before_iteration = [&](const IterationInfo&) {
    text = error_text<Error>([&] { inside->run("misuse_inner", [] {}); });
  };
  ContextualAutotuner tuner{options};
  inside = &tuner;
  tuner.run("misuse_outer", [] {});
  CHECK(has(text, "from a hook or callback"));
}

TEST_CASE("misuse: a region inside another one warns of the options that it leaves unused") {
  ContextualAutotuner tuner(quick());
  std::array<float, 4> weights{};
  const std::vector<Restored> restore{restored("weights", weights.data(), weights.size())};
  auto wrapped = make_tuned_region(tuner, "misuse_wrapped_step", [] {}, {.restore = restore});
  const StderrCapture said;
  tuner.run("misuse_outer", [&] {
    tuner.run("misuse_plain_step", [] {});
    tuner.run("misuse_inner_step", [] {}, {.search = SearchLevel::off, .restore = restore});
    wrapped();
  });
  const std::string text = said.text();
  CHECK(has(text, "region \"misuse_inner_step\" is called inside another region"));
  CHECK(has(text, "not used there: search, restore. "));
  CHECK(has(text, "region \"misuse_wrapped_step\" is called inside another region"));
  CHECK_FALSE(has(text, "misuse_plain_step"));
}

TEST_CASE("misuse: a region inside one of another tuner warns of that tuner's own options") {
  std::array<float, 4> weights{};
  const std::vector<Restored> restore{restored("weights", weights.data(), weights.size())};
  ContextualAutotuner outer(quick());
  ContextualAutotuner inner{{.n_repeat = 2, .restore = restore}};
  ContextualAutotuner plain;
  auto wrapped = make_tuned_region(inner, "misuse_other_wrapped", [] {});
  auto own = make_tuned_region(inner, "misuse_own", [&] { inner.run("misuse_own_step", [] {}); });
  const StderrCapture said;
  outer.run("misuse_outer_of_other", [&] {
    inner.run("misuse_other_step", [] {}, {.search = SearchLevel::off});
    plain.run("misuse_other_plain", [] {});
    outer.run("misuse_same_step", [] {});
    wrapped();
  });
  own();
  own();
  const std::string text = said.text();
  CHECK(has(text, "region \"misuse_other_step\" is called inside another region"));
  CHECK(has(text, "not used there: n_repeat, search, restore. "));
  CHECK(has(text, "region \"misuse_other_wrapped\" is called inside another region"));
  CHECK(has(text, "not used there: n_repeat, restore. "));
  CHECK(count_of(text, "warning") == 2);
}

TEST_CASE("misuse: a function inside a region that is tuned warns of its own outputs and restore") {
  int steps = 0;
  const auto function = [&](const std::string& name, bool has_restore) {
    FunctionOptions<void(const Config&, int)> options{.options = quick()};
    if (has_restore) {
      options.restore = [&](int) { return std::vector{restored("steps", &steps, 1)}; };
    }
    return std::make_unique<TunedFunction<void(const Config&, int)>>(
        name, ConfigSpace<Config>{{"V", {1, 2}}}, [](int n) { return make_key(n); },
        [&](const Config&, int) { ++steps; }, options);
  };
  const auto restoring = function("misuse_restoring", true);
  const auto plain = function("misuse_not_restoring", false);
  ContextualAutotuner tuner(quick());
  const StderrCapture said;
  for (int run = 0; run < 2; ++run) {
    tuner.run("misuse_functions", [&] {
      (*restoring)(1);
      (*restoring)(2);
      (*plain)(1);
    });
  }
  CHECK(count_of(said.text(), "warning") == 1);
  CHECK(has(said.text(), "function \"misuse_restoring\" is called inside a region"));
  CHECK(has(said.text(), "not used there: restore. "));
}

TEST_CASE("misuse: a thread that waits for another one's tuning in vain is told of tuners and functions") {
  tuning::RunLock lock;
  const tuning::RunLock::Holder holder(lock, "misuse_first", std::chrono::seconds(1));
  const std::string text =
      std::async(std::launch::async, [&] {
        return error_text<Error>([&] {
          const tuning::RunLock::Holder waiting(lock, "misuse_second", std::chrono::milliseconds(1));
        });
      }).get();
  CHECK(has(text,
            "\"misuse_second\": another thread still runs or tunes with the same tuner, or the same tuned "
            "function, after 1 ms"));
}

TEST_CASE("misuse: a guard that outlives a run of the region is an error, whether that tunes or not") {
  const bool tuned_before = GENERATE(false, true);
  const std::string name = tuned_before ? "misuse_guard_settled" : "misuse_guard";
  TunableKernel kernel{name, blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  if (tuned_before) {
    tuner.run(name, [&] { kernel(); });
  }
  std::promise<void> guarded;
  std::promise<void> over;
  std::thread worker;
  const std::string text = error_text<Error>([&] {
    tuner.run(name, [&] {
      kernel();
      worker = std::thread([&, context = RegionContext::current()] {
        const ContextGuard guard(context);
        guarded.set_value();
        over.get_future().wait();
        kernel();  // what it launches into is still there
      });
      guarded.get_future().wait();
    });
  });
  over.set_value();
  worker.join();
  CHECK(has(text, "returned while a thread held a ContextGuard"));
  CHECK_NOTHROW(tuner.run(name, [&] { kernel(); }));
}

TEST_CASE("misuse: a guard of the thread of run that outlives the region leaves no trace on the thread") {
  OneKernel one("misuse_own_guard", 2);
  for (const LaunchOrder order : {LaunchOrder::same, LaunchOrder::any}) {
    std::unique_ptr<ContextGuard> kept;
    const std::string text = error_text<Error>([&] {
      one.tuner.run("misuse_own_guard", [&] {
        one.region();
        kept = std::make_unique<ContextGuard>(RegionContext::current(), order);
      });
    });
    kept.reset();
    CHECK(has(text, "ContextGuard"));
  }
  one.kernel();
  one.runs = 0;
  one.run();
  CHECK(one.runs == 5);  // two configs, twice each, and the final run
}

TEST_CASE("a wrapped region runs its hooks in the first call only, in every mode") {
  OneKernel one("wrapped_hooks", 2);
  for (const Mode mode : {Mode::tune, Mode::use, Mode::off}) {
    int hooks = 0;
    const Options options{.mode = mode, .before_iteration = [&](const IterationInfo&) { ++hooks; }};
    auto region = make_tuned_region(
        one.tuner, "wrapped_hooks", [&] { return one.region(); }, options);
    CHECK(region() == (mode == Mode::off ? 0 : 1));
    CHECK(hooks > 0);
    hooks = 0;
    CHECK(region() == (mode == Mode::off ? 0 : 1));
    CHECK(hooks == 0);
  }
}

TEST_CASE("holds 4: a coupled launch that fails ends the run also when the region catches it") {
  KernelOptions<void(const Block&)> options;
  options.coupling = "misuse_coupled";
  TunableKernel<void(const Block&)> kernel{
      "misuse_coupled_kernel", blocks(2), single_problem,
      [](const Block& c) { throw_if<ConfigRejected>(c.block == 1, "no shared memory"); }, options};
  ContextualAutotuner tuner{quick()};
  const std::string text = error_text<Error>([&] {
    tuner.run("misuse_coupled", [&] {
      try {
        kernel();
      } catch (const Error&) {  // swallowed
      }
    });
  });
  CHECK(has(text, "no shared memory"));
}

TEST_CASE("a locked-in config that fails in a later run is replaced everywhere") {
  OneKernel one("relock");
  one.run();
  REQUIRE(LaunchRegistry::instance().locked_in("relock", "relock", Key{}) == 2U);
  int attempts = 0;
  one.in_launch = [&](const Block& c) {
    ++attempts;
    refuse_block(2, "out of memory")(c);
  };
  CHECK(one.run() != 2);
  CHECK(LaunchRegistry::instance().locked_in("relock", "relock", Key{}) != 2U);
  attempts = 0;
  CHECK(one.kernel() != 2);
  CHECK(attempts == 1);
}

TEST_CASE("a rejection by after_launch is one by result: no launch without reset") {
  OneKernel one("after_launch_rejects", 2, {.after_launch = [](const LaunchInfo& info) {
                  throw_if<ConfigRejected>(info.config_id == 1, "wrong");
                }});
  one.run();
  CHECK(std::ssize(one.used) == one.runs);
  CHECK(one.problem().configs[1].rejection.has_value());
}

TEST_CASE("report: a region that is tuned again and again keeps its latest runs, and hides no other region") {
  OneKernel many("many_runs", 2);
  many.tuner.run("once", [&] { many.region(); });
  std::vector<std::string> ids;
  for (int run = 0; run < Report::most_runs_of_region + 5; ++run) {
    many.run({.always_tune = true});
    ids.push_back(many.report().run_id);
  }
  const Report report = many.tuner.report();
  CHECK(report.find("once") != nullptr);
  REQUIRE(report.runs.size() == Report::most_runs_of_region + 1);
  CHECK(report.runs[1].run_id == ids[5]);
  CHECK(report.runs.back().run_id == ids.back());
}

TEST_CASE("the report of a region that has not run names those that have") {
  TunableKernel kernel{"reported", blocks(2), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick()};
  CHECK_THROWS_WITH(tuner.report("step"), "this tuner has not run region \"step\"; it has run none");
  tuner.run("step one", [&] { kernel(); });
  tuner.run("step two", [&] { kernel(); });
  CHECK(tuner.report("step two").region == "step two");
  CHECK_THROWS_WITH(tuner.report("step"),
                    "this tuner has not run region \"step\"; it has run \"step one\" \"step two\"");
}

TEST_CASE("a wrapped region with more keys than a run tunes does not tune for ever") {
  TunableKernel kernel{"saturated", blocks(2), [](int n) { return make_key(n); }, [](const Block&, int) {}};
  ContextualAutotuner tuner{quick()};
  int runs = 0;
  auto region = make_tuned_region(tuner, "saturated", [&] {
    ++runs;
    for (int n = 0; n < 4096 + 2; ++n) {
      kernel(n);
    }
  });
  region();
  region();
  bool warned = false;
  for (const std::string& warning : tuner.report("saturated").warnings) {
    warned = warned || has(warning, "beyond the 4096 tuning problems of a run");
  }
  CHECK(warned);
  runs = 0;
  region();
  CHECK(runs == 1);
}

}  // namespace contextual::test::misuse_test
