#include "contextual/cuda/nvtx_ranges.hpp"

#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>

using namespace contextual;
using namespace contextual::cuda;

namespace {

/// NVTX looks for its tool at its first use in a process, so this executable has one test case.
constexpr const char* recorded = "nvtx_ranges_test.txt";

LaunchInfo launch(std::string_view kernel, std::size_t config_id, bool warmup) {
  LaunchInfo info;
  info.region = "ag_gemm";
  info.kernel = kernel;
  info.config_id = config_id;
  info.warmup = warmup;
  return info;
}

std::vector<std::string> recorded_lines() {
  std::ifstream file(recorded);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("nvtx: a tool sees region, tuning iterations, kernels and configs, every range ended", "[unit]") {
  REQUIRE(setenv("NVTX_INJECTION64_PATH", NVTX_RECORDER, 1) == 0);
  REQUIRE(setenv("NVTX_RECORDER_FILE", recorded, 1) == 0);
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
  CHECK(recorded_lines() == expected);
  std::remove(recorded);
}
