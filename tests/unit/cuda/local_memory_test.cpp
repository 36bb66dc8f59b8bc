#include "contextual/cuda/kernel/local_memory.hpp"

#include "support/catch.hpp"
#include "unit/cuda/tuning_support.hpp"

#include <contextual/detail/cuda/local_memory.hpp>
#include <contextual/detail/sync/ongoing_run.hpp>
#include <contextual/detail/tuning/load_notes.hpp>

namespace contextual::test::cuda_test::local_memory_test {

using detail::reserve_local_memory;

namespace {

std::size_t limit_of(const ScriptedDriver& driver) {
  const auto found = driver.stack_limits.find(driver.context());
  return found == driver.stack_limits.end() ? 1024 : found->second;
}

void tries(std::size_t bytes) {
  const detail::LoadNotes run;
  reserve_local_memory(bytes);
  CHECK(run.tried());
}

/// Beyond the limit for blocks of 128 threads and more.
void make_large_blocks_spill(ScriptedGpu& gpu) {
  gpu.driver.local_bytes = [](const std::string& code) {
    return code.find("BLOCK") == std::string::npos || code.find("BLOCK 64") != std::string::npos ? 0
                                                                                                 : 16 * 1024;
  };
}

}  // namespace

TEST_CASE("local memory: is taken once, beyond what is there alone") {
  ScriptedDriver driver;
  reserve_local_memory(1024);
  CHECK(driver.log().count("cuCtxSetLimit") == 0);
  reserve_local_memory(4096);
  CHECK(limit_of(driver) == 4096);
  reserve_local_memory(2048);
  CHECK(limit_of(driver) == 4096);
  CHECK(driver.log().count("cuCtxSetLimit") == 1);
}

TEST_CASE("local memory: what was tried only is given back, and what is launched later stays") {
  ScriptedDriver driver;
  tries(16 * 1024);
  reserve_local_memory(4096);
  cuda::give_back_local_memory();
  CHECK(limit_of(driver) == 4096);
  cuda::give_back_local_memory();
  CHECK(driver.log().count("cuCtxSetLimit") == 2);
}

TEST_CASE("local memory: a limit that somebody else has raised meanwhile stays") {
  ScriptedDriver driver;
  tries(4096);
  driver.stack_limits[driver.context()] = 8192;
  cuda::give_back_local_memory();
  CHECK(limit_of(driver) == 8192);
}

TEST_CASE("local memory: a limit that the application has set meanwhile is what is gone back to") {
  ScriptedDriver driver;
  reserve_local_memory(512);
  driver.stack_limits[driver.context()] = 8192;
  tries(16 * 1024);
  cuda::give_back_local_memory();
  CHECK(limit_of(driver) == 8192);
}

TEST_CASE("local memory: a config for which the device has not enough is rejected") {
  ScriptedDriver driver;
  driver.fails = [](const std::string& function) {
    return function == "cuCtxSetLimit" ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  };
  CHECK_THAT(error_text<ConfigRejected>([] { reserve_local_memory(16 * 1024); }),
             ContainsSubstring("needs 16384 bytes of local memory for each thread") &&
                 ContainsSubstring("4224 MiB"));
}

TEST_CASE("local memory: is waited for once, for half of the deadline, and given back where it comes late") {
  std::atomic<bool> kernel_ends{false};
  ScriptedDriver driver;
  driver.fails = [&](const std::string& function) {
    while (function == "cuCtxSetLimit" && !kernel_ends) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return CUDA_SUCCESS;
  };
  for (int config = 0; config < 2; ++config) {
    const detail::OngoingRun run({.deadline = std::chrono::milliseconds(40)});
    CHECK_THAT(error_text<ConfigRejected>([] { reserve_local_memory(16 * 1024); }),
               ContainsSubstring("one did not end within half of the deadline"));
  }
  kernel_ends = true;
  driver.wait_until_left();
  CHECK(driver.log().count("cuCtxSetLimit") == 1);
  CHECK(limit_of(driver) == 16 * 1024);
  for (int attempt = 0; limit_of(driver) != 1024 && attempt < 1000; ++attempt) {  // until the thread has told
    cuda::give_back_local_memory();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(limit_of(driver) == 1024);
}

TEST_CASE("local memory: a run takes it before the launch, and keeps it for what it chooses alone") {
  ScriptedGpu gpu;
  make_large_blocks_spill(gpu);
  const auto has_enough = [&](const Launch& launch) {
    return launch.block <= 64 || limit_of(gpu.driver) >= 16 * 1024 ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
  };
  gpu.driver.launch_result = has_enough;
  Block block("spilling");
  const std::size_t chosen = GENERATE(std::size_t{0}, std::size_t{2});
  if (chosen == 0) {
    gpu.driver.duration_ns = [](const Launch& launch) {
      return 1000 * static_cast<std::int64_t>(launch.block);
    };
  }
  const RegionReport report = tuned(cuda_cupti_timer, "spilling", [&] { block(gpu.stream, 1); });
  CHECK(of_kernel(report, "spilling").choice == chosen);
  CHECK(limit_of(gpu.driver) == (chosen == 0 ? 1024 : 16 * 1024));
}

}  // namespace contextual::test::cuda_test::local_memory_test
