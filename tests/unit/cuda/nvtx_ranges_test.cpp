#include "contextual/cuda/timing/nvtx_ranges.hpp"

#include "support/catch.hpp"
#include "unit/cuda/scripted_cupti.hpp"
#include "unit/cuda/scripted_driver.hpp"

#include <contextual/cuda/timer.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace contextual::cuda::nvtx_ranges_test {

namespace {

/// What the tool writes; gone with the process.
struct RecordFile {
  std::string name = "nvtx_ranges_test." + std::to_string(getpid()) + ".txt";
  ~RecordFile() { std::remove(name.c_str()); }

  static const std::string& of_process() {
    static const RecordFile file;
    return file.name;
  }
};

/// NVTX looks for its tool at its first use in a process; every test case asks for it before that.
struct Recorder {
  Recorder() {
    REQUIRE(setenv("NVTX_INJECTION64_PATH", NVTX_RECORDER, 1) == 0);
    REQUIRE(setenv("NVTX_RECORDER_FILE", RecordFile::of_process().c_str(), 1) == 0);
    lines();  // of the test cases before this one
  }

  /// Those that are new.
  std::vector<std::string> lines() {
    std::ifstream file(RecordFile::of_process());
    std::vector<std::string> fresh;
    std::size_t number = 0;
    for (std::string line; std::getline(file, line); ++number) {
      if (number >= seen) {
        fresh.push_back(line);
      }
    }
    seen = number;
    return fresh;
  }

  static inline std::size_t seen = 0;
};

LaunchInfo launch(std::string_view kernel, std::size_t config_id, bool warmup) {
  LaunchInfo info;
  info.region = "ag_gemm";
  info.kernel = kernel;
  info.config_id = config_id;
  info.warmup = warmup;
  return info;
}

}  // namespace

TEST_CASE("nvtx: a tool sees region, tuning iterations, kernels and configs, every range ended") {
  Recorder recorder;
  {
    NvtxRanges ranges;
    ranges.begin_iteration(0);
    ranges.begin_launch(launch("gemm", 3, true));
    ranges.end_launch();
    ranges.end_iteration();
    ranges.begin_iteration(1);
    ranges.begin_launch(launch(std::string(300, 'k'), 4, false));
    ranges.end_launch();
    ranges.begin_iteration(2);  // the region threw in the one before
  }
  const std::vector<std::string> expected{"push [contextual] tuning iteration 0 (0)",
                                          "push [contextual] gemm config-3 (warm-up) (3)",
                                          "pop",
                                          "pop",
                                          "push [contextual] ag_gemm: tuning iteration 1 (1)",
                                          "push [contextual] " + std::string(96, 'k') + " config-4 (4)",
                                          "pop",
                                          "pop",
                                          "push [contextual] ag_gemm: tuning iteration 2 (2)",
                                          "pop"};
  CHECK(recorder.lines() == expected);
}

TEST_CASE("nvtx: both timers mark tuning iterations and launches") {
  Recorder recorder;
  test::cuda_test::ScriptedDriver driver;
  const test::cuda_test::ScriptedCupti cupti(driver);
  const std::unique_ptr<Timer> timer = GENERATE(0, 1) == 0 ? cuda_cupti_timer() : cuda_event_timer();
  IterationNote iteration;
  LaunchNote note;
  LaunchInfo gemm = launch("gemm", 7, false);
  gemm.stream = driver.make_stream();
  timer->begin_iteration(4, iteration);
  timer->begin_launch(gemm, note);
  timer->end_launch(gemm, note);
  timer->end_iteration(4, iteration);
  const std::vector<std::string> expected{"push [contextual] tuning iteration 4 (4)",
                                          "push [contextual] gemm config-7 (7)", "pop", "pop"};
  CHECK(recorder.lines() == expected);
}

}  // namespace contextual::cuda::nvtx_ranges_test
