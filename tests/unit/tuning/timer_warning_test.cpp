/// \file
/// A timer that sees the host alone says nothing of kernels on a device: the run warns.

#include "support/stderr_capture.hpp"
#include "unit/tuning/changed_options.hpp"

namespace contextual::test::timer_warning_test {

namespace {

using OnStream = TunableKernel<void(const Block&, CUstream_st*, int)>;

Key key_of(CUstream_st* const& /*stream*/, const int& size) {
  return make_key(size);
}

std::vector<std::string> warnings_of_run(ContextualAutotuner& tuner, OnStream& kernel) {
  tuner.run("on_stream", [&] { kernel(nullptr, 1), kernel(nullptr, 2); });
  return report_of(tuner, "on_stream").warnings;
}

}  // namespace

TEST_CASE("timer: a kernel on a stream is warned about, once, when the host's clock measures it") {
  OnStream kernel{"host_clock_on_stream", blocks(3), key_of, [](const Block&, CUstream_st*, int) {}};
  const TemporaryDirectory logs;
  ContextualAutotuner tuner{quick(host_timer, {.log_directory = logs.path()})};
  const std::vector<std::string> warnings = warnings_of_run(tuner, kernel);
  CHECK_THAT(only(warnings),
             ContainsAll("\"host_clock_on_stream\"", "Options{.timer = contextual::cuda_or_host_timer}"));
  CHECK(count_of(text_of_file(logs.path() / "rank-0.jsonl"), "set_default_timer") == 1);
}

TEST_CASE("timer: a kernel on a stream that is launched in a later batch is warned about too") {
  OnStream kernel{"host_clock_later", blocks(2), key_of, [](const Block&, CUstream_st*, int) {}};
  TunableKernel first{"host_clock_first", blocks(3), single_problem, [](const Block&) {}};
  ContextualAutotuner tuner{quick(host_timer)};
  int runs = 0;
  tuner.run("later", [&] {
    first();
    if (++runs > 3) {
      kernel(nullptr, 1);
    }
  });
  const std::vector<std::string> warnings = report_of(tuner, "later").warnings;
  CHECK(count_with(warnings, "host_clock_later") == 1);
}

TEST_CASE("timer: the warning is on stderr once, though nothing is printed by default") {
  OnStream kernel{"host_clock_told", blocks(3), key_of, [](const Block&, CUstream_st*, int) {}};
  ContextualAutotuner tuner{quick(host_timer)};
  const StderrCapture capture;
  warnings_of_run(tuner, kernel);
  tuner.run("on_stream_again", [&] { kernel(nullptr, 1); });
  CHECK(count_of(capture.text(), "\"host_clock_told\" works on a GPU, but the timer \"host clock\"") == 1);
}

TEST_CASE("timer: what the host's clock chooses for a kernel on a stream is not kept") {
  const TemporaryDirectory directory;
  OnStream on_stream{"host_clock_not_kept", blocks(3), key_of, [](const Block&, CUstream_st*, int) {}};
  TunableKernel on_host{"host_clock_kept", blocks(3), single_problem, [](const Block&) {}};
  const RegionReport report = tuned(quick(host_timer, {.cache_directory = directory.path()}), "host clock",
                                    [&] { on_stream(nullptr, 1), on_host(); });
  CHECK_FALSE(report.timer_measures_devices);
  const auto kept = KeptChoices(directory.path()).list("host clock").sets;
  REQUIRE(kept.size() == 1);
  CHECK(only(kept[0].configs).kernel == "host_clock_kept");

  KernelTunerOptions alone{.warmup_runs = 1, .benchmark_runs = 1, .cache_directory = directory.path()};
  alone.tuning = quick(host_timer);
  KernelTuner of_stream{on_stream, alone};
  for (int call = 0; call < 2; ++call) {
    CHECK_FALSE(of_stream.tune({.problem_size = {1}}, nullptr, 1).from_cache);
  }
}

TEST_CASE("timer: nothing is said of kernels of the host, nor by a timer that measures devices") {
  TunableKernel host{"host_clock_on_host", blocks(2), single_problem, [](const Block&) {}};
  const RegionReport report = tuned(quick(host_timer), "on_host", [&] { host(); });
  CHECK(report.warnings.empty());

  OnStream kernel{"device_clock_on_stream", blocks(2), key_of, [](const Block&, CUstream_st*, int) {}};
  ContextualAutotuner by_device_timer{quick()};
  CHECK(warnings_of_run(by_device_timer, kernel).empty());
}

}  // namespace contextual::test::timer_warning_test
