/// \file
/// How the library comes to CUPTI and leaves it: alone or not at all, and nothing stays behind.

#include "contextual/cuda/cupti/cupti_session.hpp"

#include "support/catch.hpp"
#include "support/stderr_capture.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/detail/sync/ongoing_run.hpp>

namespace contextual::test::cuda_test::cupti_session_test {

namespace {

using Names = std::vector<std::string>;

/// As if CUPTI had never been used, however far it was.
void check_gone(ScriptedGpu& gpu, std::size_t times = 1) {
  CHECK_FALSE(gpu.cupti.subscribed());
  CHECK(gpu.cupti.enabled().empty());
  CHECK(gpu.cupti.buffers_out() == 0);
  CHECK(gpu.driver.log().count("cuptiSubscribe") == times);
  CHECK(gpu.driver.log().count("cuptiUnsubscribe") == times);
  CHECK(gpu.driver.log().count("cuptiFinalize") == times);
}

/// A thread that came late has yet to say so.
void check_made_at_last() {
  std::unique_ptr<Timer> timer;
  while (!timer) {
    try {
      timer = cuda_cupti_timer();
    } catch (const CudaUnavailable&) {
      std::this_thread::yield();
    }
  }
  CHECK(timer->name() == "CUPTI");
}

/// What the process has of the driver apart from modules, which stay: unloading waits for the device.
void check_no_handles(ScriptedGpu& gpu) {
  CHECK(gpu.driver.living_events() == 0);
  CHECK(gpu.driver.living_streams() == 0);
  CHECK(gpu.driver.living_allocations() == 0);
}

}  // namespace

TEST_CASE("CUPTI session: with a foreign subscriber nothing else of CUPTI is touched") {
  ScriptedGpu gpu;
  gpu.cupti.subscribe_result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  const std::string text = error_text<CudaUnavailable>([] { cuda_cupti_timer(); });
  CHECK_THAT(text, ContainsSubstring("a profiler or another tool"));
  CHECK_THAT(text, ContainsSubstring("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"));
  CHECK(gpu.driver.log().beginning_with("cupti") == Names{"cuptiSubscribe"});
}

TEST_CASE("cuda_timer: with a foreign subscriber it takes events, and says so once") {
  ScriptedGpu gpu;
  gpu.cupti.subscribe_result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  StderrCapture capture;
  CHECK(cuda_timer()->name() == "CUDA events");
  CHECK(cuda_timer()->name() == "CUDA events");
  const std::string said = capture.text();
  CHECK(count_of(said, "timing by CUDA events") == 1);
  CHECK_THAT(said, ContainsSubstring("MULTIPLE_SUBSCRIBERS"));
  CHECK(gpu.driver.log().beginning_with("cupti") == Names{"cuptiSubscribe"});
}

TEST_CASE("CUPTI session: an activity that may not be enabled undoes those before it") {
  ScriptedGpu gpu;
  gpu.cupti.enable_result = [](CUpti_ActivityKind kind) {
    return kind == CUPTI_ACTIVITY_KIND_MEMSET ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES : CUPTI_SUCCESS;
  };
  CHECK_THAT(error_text<CudaUnavailable>([] { cuda_cupti_timer(); }),
             ContainsSubstring("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"));
  check_gone(gpu);
}

TEST_CASE("CUPTI session: without a sound record of the canary nothing of CUPTI stays") {
  const Fate fate = GENERATE(Fate::missing, Fate::zero_times, Fate::ends_before_it_begins);
  ScriptedGpu gpu;
  gpu.cupti.fate = [&](const Work&) { return fate; };
  CHECK_THAT(error_text<CudaUnavailable>([] { cuda_cupti_timer(); }), ContainsSubstring("no sound record"));
  check_gone(gpu);
  check_no_handles(gpu);
}

TEST_CASE("CUPTI session: a canary whose records are dropped or cannot be flushed is not trusted") {
  ScriptedGpu gpu;
  SECTION("dropped") {
    gpu.driver.launch_result = [&](const Launch&) {
      gpu.cupti.dropped_at_next_flush = 1;
      return CUDA_SUCCESS;
    };
  }
  SECTION("not flushed") {
    gpu.cupti.flush_result = CUPTI_ERROR_UNKNOWN;
  }
  CHECK(error_text<CudaUnavailable>([] { cuda_cupti_timer(); }).find("CUPTI") != std::string::npos);
  check_gone(gpu);
}

TEST_CASE("CUPTI session: the canary waits for its own stream, not for the device") {
  ScriptedGpu gpu;
  gpu.driver.busy_queries = 20;
  CHECK(cuda_cupti_timer()->name() == "CUPTI");
  CHECK(gpu.driver.busy_queries < 0);
  check_no_handles(gpu);
}

TEST_CASE("CUPTI session: a canary that cannot be loaded leaves no module, and is tried again") {
  ScriptedGpu gpu;
  gpu.driver.fails = [](const std::string& function) {
    return function == "cuModuleGetFunction" ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  };
  CHECK_THROWS_AS(cuda_cupti_timer(), CudaError);
  CHECK(gpu.driver.living_modules() == 0);
  CHECK(gpu.driver.log().beginning_with("cupti").empty());
  gpu.driver.fails = nullptr;
  CHECK(cuda_cupti_timer()->name() == "CUPTI");
}

TEST_CASE("holds 19: CUPTI session: run after run it is subscribed, and each leaves nothing behind") {
  ScriptedGpu gpu;
  Block block("session_runs");
  ContextualAutotuner tuner(options_with(cuda_cupti_timer));
  std::size_t modules_after_first = 0;
  for (std::size_t run = 1; run <= 3; ++run) {
    tuner.run("session_runs", [&] { block(gpu.stream, 1); });
    check_times(problem_of(tuner, "session_runs", "session_runs"));
    check_gone(gpu, run);
    check_no_handles(gpu);
    modules_after_first = run == 1 ? gpu.driver.living_modules() : modules_after_first;
    CHECK(gpu.driver.living_modules() == modules_after_first);  // loaded ones are loaded once
  }
}

TEST_CASE("CUPTI session: one run at a time has it, since records of two would be mixed") {
  ScriptedGpu gpu;
  const auto first = cuda_cupti_timer();
  CHECK_THAT(error_text<CudaUnavailable>([] { cuda_cupti_timer(); }), ContainsSubstring("another run"));
  CHECK(gpu.driver.log().count("cuptiSubscribe") == 1);
  {
    const StderrCapture capture;
    CHECK(cuda_timer()->name() == "CUDA events");
  }
  CHECK(gpu.cupti.subscribed());
}

TEST_CASE("CUPTI session: threads that take and leave it in turn each get it whole or not at all") {
  ScriptedGpu gpu;
  std::atomic<int> had{0};
  const auto take_turns = [&had] {
    for (int i = 0; i < 50; ++i) {
      try {
        const auto timer = cuda_cupti_timer();
        ++had;
      } catch (const CudaUnavailable&) {
        std::this_thread::yield();
      }
    }
  };
  std::thread other(take_turns);
  take_turns();
  other.join();
  CHECK(had > 0);
  CHECK_FALSE(gpu.cupti.subscribed());
  CHECK(gpu.cupti.enabled().empty());
  CHECK(gpu.driver.log().count("cuptiUnsubscribe") == static_cast<std::size_t>(had.load()));
}

TEST_CASE("CUPTI session: it is detached eight times at most, then stays until it is told to go") {
  ScriptedGpu gpu;
  const StderrCapture capture;
  for (int run = 0; run < 12; ++run) {
    const auto timer = cuda_cupti_timer();
    CHECK_FALSE(detach_cupti());  // a timer has it
  }
  CHECK(gpu.driver.log().count("cuptiFinalize") == 8);
  CHECK(gpu.driver.log().count("cuptiUnsubscribe") == 12);
  CHECK(count_of(capture.text(), "CUPTI stays attached") == 1);
  CHECK(detach_cupti());
  CHECK(gpu.driver.log().count("cuptiFinalize") == 9);
  CHECK(detach_cupti());
  CHECK(gpu.driver.log().count("cuptiFinalize") == 9);  // it is gone
}

TEST_CASE("CUPTI session: an application that takes records itself keeps them") {
  ScriptedGpu gpu;
  gpu.cupti.application_records = true;
  CHECK_THAT(error_text<CudaUnavailable>([] { cuda_cupti_timer(); }), ContainsSubstring("the application"));
  CHECK_FALSE(gpu.cupti.subscribed());
  CHECK(gpu.driver.log().count("cuptiActivityRegisterCallbacks") == 0);
  CHECK(gpu.driver.log().count("cuptiActivityDisable") == 0);
  CHECK(gpu.driver.log().count("cuptiActivitySetAttribute") == 0);
  CHECK(gpu.driver.log().count("cuptiFinalize") == 0);
  CHECK(detach_cupti());
  CHECK(gpu.driver.log().count("cuptiFinalize") == 0);
}

TEST_CASE("CUPTI session: one that ends beside an application's records leaves CUPTI attached") {
  ScriptedGpu gpu;
  {
    const auto timer = cuda_cupti_timer();
    gpu.cupti.application_records = true;
  }
  CHECK_FALSE(gpu.cupti.subscribed());
  CHECK(gpu.driver.log().count("cuptiFinalize") == 0);
  CHECK_FALSE(detach_cupti());
  gpu.cupti.application_records = false;
  CHECK(detach_cupti());
  CHECK(gpu.driver.log().count("cuptiFinalize") == 1);
}

TEST_CASE("holds 19: CUPTI session: a region that throws leaves nothing behind either") {
  ScriptedGpu gpu;
  Block block("session_throws");
  ContextualAutotuner tuner(options_with(cuda_cupti_timer));
  int runs = 0;
  CHECK_THROWS_AS(tuner.run("session_throws",
                            [&] {
                              block(gpu.stream, 1);
                              if (++runs == 3) {
                                throw std::out_of_range("the region's own");
                              }
                            }),
                  std::out_of_range);
  check_gone(gpu);
  check_no_handles(gpu);
}

TEST_CASE("CUPTI session: without detaching it is only unsubscribed, and can be subscribed again") {
  ScriptedGpu gpu;
  Block block("session_attached");
  ContextualAutotuner tuner(options_with([] { return cuda_cupti_timer_with({.detach = false}); }));
  for (int run = 0; run < 2; ++run) {
    tuner.run("session_attached", [&] { block(gpu.stream, 1); });
    check_times(problem_of(tuner, "session_attached", "session_attached"));
    CHECK_FALSE(gpu.cupti.subscribed());
    CHECK(gpu.cupti.enabled().empty());
  }
  CHECK(gpu.driver.log().count("cuptiFinalize") == 0);
  CHECK(gpu.driver.log().count("cuptiUnsubscribe") == 2);
  CHECK_FALSE(gpu.cupti.promised_zeroed());
}

TEST_CASE("CUPTI session: buffers are made ahead and used again") {
  ScriptedGpu gpu;
  constexpr int kernels = 2'000;  // some 400 KB of records each time
  TunableKernel many{"session_buffers", blocks(6), single_problem, [&](const test::Block&, CUstream s) {
                       for (int i = 0; i < kernels; ++i) {
                         gpu.driver.launch_kernel(s, 10);
                       }
                     }};
  tuned(options_with(cuda_cupti_timer), "session_buffers", [&] { many(gpu.stream); });
  CHECK(gpu.cupti.buffers().size() <= 4);
  CHECK(gpu.cupti.dirty_buffers() == 0);
  CHECK(gpu.cupti.log().count("cuptiActivitySetAttribute") > 0);
}

TEST_CASE(
    "CUPTI session: while work never ends CUPTI is left alone; the next run has it, and takes it away") {
  ScriptedGpu gpu;
  Block block("session_stuck");
  std::atomic<bool> stuck{false};
  gpu.driver.is_busy = [&](CUcontext) { return stuck.load(); };
  Options options = options_with(cuda_cupti_timer);
  options.deadline = std::chrono::milliseconds(400);
  {
    ContextualAutotuner tuner(options);
    const std::string text = error_text<Error>([&] {
      tuner.run("session_stuck", [&] {
        block(gpu.stream, 1);
        stuck = true;
      });
    });
    CHECK_THAT(text, ContainsSubstring("did not end before the deadline"));
  }
  CHECK(gpu.cupti.subscribed());
  CHECK(gpu.driver.log().count("cuptiFinalize") == 0);
  CHECK(gpu.cupti.enabled().size() == 4);
  stuck = false;
  options.deadline = std::chrono::seconds(60);
  const RegionReport report = tuned(options, "session_stuck", [&] { block(gpu.stream, 1); });
  check_times(of_kernel(report, "session_stuck"));
  check_gone(gpu);
}

TEST_CASE("CUPTI session: where another thread was in CUDA it stays attached, which is said once") {
  ScriptedGpu gpu;
  const StderrCapture capture;
  for (int run = 0; run < 3; ++run) {
    const auto timer = cuda_cupti_timer();
    if (run == 1) {
      std::thread([&] { gpu.driver.write_word(); }).join();
    }
  }
  CHECK(gpu.driver.log().count("cuptiUnsubscribe") == 3);
  CHECK(gpu.driver.log().count("cuptiFinalize") == 1);  // of the first; the thread may still be there later
  CHECK(count_of(capture.text(), "CUPTI stays attached") == 1);
  CHECK_THAT(capture.text(), ContainsSubstring("other threads of the process use CUDA"));
  CHECK(detach_cupti());
  CHECK(gpu.driver.log().count("cuptiFinalize") == 2);
}

TEST_CASE("CUPTI session: what a thread does on the host only counts as being in CUDA, too") {
  ScriptedGpu gpu;
  const StderrCapture capture;
  {
    const auto timer = cuda_cupti_timer();
    std::thread([&] {
      gpu.driver.call("cuGraphExecDestroy", CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy,
                      []() -> CUresult { return CUDA_SUCCESS; });
    }).join();
  }
  CHECK(gpu.driver.log().count("cuptiFinalize") == 0);
}

TEST_CASE("CUPTI session: while work is under way it stays attached, and nothing waits for it in CUPTI") {
  ScriptedGpu gpu;
  const StderrCapture capture;
  {
    const auto timer = cuda_cupti_timer();
    gpu.driver.is_busy = [](CUcontext) { return true; };
  }
  CHECK_FALSE(gpu.cupti.subscribed());
  CHECK(gpu.driver.log().count("cuptiFinalize") == 0);
  CHECK_THAT(capture.text(), ContainsSubstring("as work is under way"));
}

TEST_CASE(
    "holds 20: CUPTI session: while the default stream has work, CUPTI is not asked, and the ranks take "
    "events") {
  ScriptedGpu gpu;
  const detail::OngoingRun run({std::chrono::milliseconds(400), std::chrono::milliseconds(0)});
  gpu.driver.is_busy = [](CUcontext) { return true; };
  CHECK_THAT(error_text<CudaUnavailable>([] { cuda_cupti_timer(); }), ContainsSubstring("a kernel runs"));
  CHECK(gpu.driver.log().beginning_with("cupti").empty());
  gpu.driver.is_busy = nullptr;
  CHECK(cuda_cupti_timer()->name() == "CUPTI");
  CHECK(cuda_cupti_timer()->substitute_name() == cuda_event_timer()->name());
}

TEST_CASE(
    "holds 20: CUPTI session: a subscription that arrives late is given back, and blocks no other run") {
  ScriptedGpu gpu;
  const detail::OngoingRun run({std::chrono::milliseconds(400), std::chrono::milliseconds(0)});
  std::atomic<bool> blocks{true};
  gpu.cupti.on_subscribe = [&] {
    while (blocks) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  CHECK_THAT(error_text<CudaUnavailable>([] { cuda_cupti_timer(); }), ContainsSubstring("a kernel runs"));
  CHECK_THAT(error_text<CudaUnavailable>([] { cuda_cupti_timer(); }), ContainsSubstring("another run"));
  CHECK(detach_cupti());  // nothing is attached yet
  blocks = false;
  while (gpu.driver.log().count("cuptiUnsubscribe") == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK_FALSE(gpu.cupti.subscribed());
  CHECK(gpu.driver.log().count("cuptiFinalize") == 0);
  check_made_at_last();
}

TEST_CASE(
    "holds 20: CUPTI session: own code that loads late leaves the run to events, and is there for the next "
    "one") {
  ScriptedGpu gpu;
  const detail::OngoingRun run({std::chrono::milliseconds(400), std::chrono::milliseconds(0)});
  std::atomic<bool> blocks{true};
  gpu.driver.fails = [&](const std::string& function) {
    for (int looks = 0; function == "cuModuleLoadData" && blocks; ++looks) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      blocks = blocks && looks < 10'000;
    }
    return CUDA_SUCCESS;
  };
  CHECK_THAT(error_text<CudaUnavailable>([] { cuda_cupti_timer(); }), ContainsSubstring("a kernel runs"));
  CHECK_FALSE(gpu.cupti.subscribed());
  CHECK(cuda_event_timer()->bias_ns() == std::nullopt);  // its own code is not there either
  CHECK(blocks);
  blocks = false;
  gpu.driver.wait_until_left();
  check_made_at_last();
}

TEST_CASE("CUPTI session: beside a thread that captures no call is made for a whole context") {
  ScriptedGpu gpu;
  const StderrCapture capture;
  Block block("session_captures");
  CUstream captured = gpu.driver.make_stream();
  bool began = false;
  std::size_t recorded_before = 0;
  const RegionReport report = tuned(options_with(cuda_cupti_timer), "session_captures", [&] {
    if (!began) {
      std::thread([&] { gpu.driver.begin_capture(captured); }).join();
      began = true;
      recorded_before = gpu.driver.log().count("cuCtxRecordEvent");
    }
    block(gpu.stream, 1);
  });
  CHECK(gpu.driver.capturing.contains(captured));
  CHECK(gpu.driver.log().count("cuCtxRecordEvent") == recorded_before);
  CHECK(gpu.driver.log().count("cuCtxWaitEvent") == 0);
  CHECK(gpu.driver.log().count("cuptiFinalize") == 0);
  check_times(of_kernel(report, "session_captures"));
}

}  // namespace contextual::test::cuda_test::cupti_session_test
